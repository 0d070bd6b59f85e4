import type { StepType, WorkContext, WorkResult } from '../engine/step-type.ts';
import { checkSchema, validateSchema } from '../engine/values/schema.ts';
import { TabloomError } from '../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { z } from '../model/zod.ts';
import type { McpPort, McpTool } from '../ports/mcp.ts';
import { secretNames } from './secret-names.ts';

/** Longest part of a tool's own error text that is quoted, in characters. */
const QUOTED = 500;

/** Calls one tool of an MCP server. */
export const mcpTool: StepType = {
  type: 'mcp_tool',
  title: 'MCP tool',
  summary: 'Calls one tool of an MCP server that is named in the settings.',
  keys: {
    server: z.string().min(1),
    tool: z.string().min(1),
    arguments: z.record(z.string(), z.unknown()).optional(),
  },
  effect: () => 'once',
  effectNow: (step, known) => effectOf(known(String(step.server), String(step.tool))),
  works: true,
  templated: ['arguments'],
  secretFields: ['arguments'],
  inputField: 'arguments',
  run,
};

/** SPEC §5: once, unless the tool says that it only looks or that it may be called again. */
function effectOf(tool: McpTool | undefined): 'read' | 'idempotent' | undefined {
  if (tool?.annotations?.readOnlyHint === true) return 'read';
  return tool?.annotations?.idempotentHint === true ? 'idempotent' : undefined;
}

async function run(context: WorkContext): Promise<WorkResult> {
  const { step, fields, ports, signal } = context;
  const server = String(step.server);
  const name = String(step.tool);
  const port = serverOf(ports.mcp, server);
  const tool = (await port.tools(server, signal)).find((one) => one.name === name);
  if (!tool) {
    throw new TabloomError('bad_request', `The MCP server "${server}" has no tool "${name}": correct the step.`, {
      acted: false,
    });
  }
  const args = isObject(fields.arguments) ? fields.arguments : {};
  checkArguments(tool, args, context);
  const result = await port.call({
    call: { runId: context.runId, path: context.path, attempt: context.attempt },
    server,
    tool: name,
    arguments: args,
    // Pointers come relative to the step's fields.
    secrets: context.secrets.map((use) => ({ ...use, pointer: use.pointer.replace(/^\/arguments/, '') })),
    secretNames: secretNames(context.workflow),
    signal,
    idempotencyKey: context.idempotencyKey,
  });
  if (result.isError) {
    throw new TabloomError('mcp_tool_error', `The tool ${name} of "${server}" failed: ${wordsOf(result.content)}.`);
  }
  return { output: result.structuredContent ?? { content: result.content } };
}

/** The port, where it has such a server. @throws TabloomError `mcp_unavailable` */
export function serverOf(port: McpPort | undefined, server: string): McpPort {
  if (port?.has(server)) return port;
  throw new TabloomError('mcp_unavailable', `There is no MCP server "${server}": add it in Settings.`, {
    acted: false,
  });
}

/** The server may be stricter; what its schema refuses is not sent. A schema that cannot be used is left to the server. */
function checkArguments({ inputSchema, name }: McpTool, args: JsonObject, { path, secrets }: WorkContext): void {
  if (checkSchema(inputSchema) !== undefined) return;
  // In the place of a secret stands its name, which says nothing about its value.
  const hidden = secrets.map(({ pointer }) => pointer.replace(/^\/arguments/, ''));
  const wrong = validateSchema(inputSchema, args).errors.find((error) => !hidden.includes(error.path));
  if (!wrong) return;
  throw new TabloomError('input_invalid', `Correct the arguments of ${name}: ${wrong.message}.`, {
    step: path,
    field: 'arguments',
  });
}

/** The texts of a result, on one line. */
function wordsOf(content: readonly Json[]): string {
  const texts = content.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
  const line = texts.join(' ').replace(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (line === '') return 'it does not say why';
  return line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line;
}
