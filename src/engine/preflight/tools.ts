import { isObject, type Json } from '../../model/json.ts';
import type { Problem } from '../../model/workflow.ts';
import type { McpTool } from '../../ports/mcp.ts';
import { edgesOf, type Plan, type PlanStep } from '../plan.ts';
import { isSource } from '../values/fields.ts';
import { checkSchema, validateSchema } from '../values/schema.ts';
import { error } from './problem.ts';
import { checkBySchema } from './types.ts';

/** Tools of a server by its name in the settings; `undefined` where it does not answer, or where there is none of that name. */
export type ListTools = (server: string) => Promise<McpTool[] | undefined>;

/** What MCP servers say of the tools that a workflow names, in `mcp_tool` steps and for its agents: are they there, do the arguments fit. */
export async function checkTools(plan: Plan, list: ListTools): Promise<Problem[]> {
  const problems: Problem[] = [];
  const servers = new Map<string, McpTool[] | undefined>();
  const look = async (named: PlanStep, step: PlanStep, pointer: string): Promise<void> => {
    const { server, tool: name } = named.def as { server?: unknown; tool?: unknown };
    if (named.def.type !== 'mcp_tool' || typeof server !== 'string' || typeof name !== 'string') return;
    if (!servers.has(server)) servers.set(server, await list(server));
    const tools = servers.get(server);
    if (!tools) {
      const message = `The MCP server "${server}" cannot be reached: add it in Settings, or see that it runs.`;
      problems.push(error('mcp_unreachable', pointer, message, step.id));
      return;
    }
    const tool = tools.find((one) => one.name === name);
    if (tool) {
      problems.push(...unfit(named, tool));
      if (!named.call) problems.push(...checkBySchema(plan, named, tool.inputSchema));
    } else {
      const message = `The MCP server "${server}" has no tool "${name}": choose one of ${tools.map((one) => one.name).join(', ') || 'another server'}.`;
      problems.push(error('tool_unknown', pointer, message, step.id));
    }
  };
  for (const step of plan.steps.values()) {
    await look(step, step, step.pointer);
    for (const call of step.calls?.values() ?? []) await look(call, step, step.pointer);
  }
  return problems;
}

/** Arguments that do not fit the tool's schema, whatever the templates in them give. */
function unfit({ def, pointer, call, id }: PlanStep, { inputSchema, name }: McpTool): Problem[] {
  const args = (def.arguments ?? {}) as Json;
  const carried = edgesOf(def, undefined).filter((edge) => edge.carries);
  if (call || isSource(args) || !isObject(args) || checkSchema(inputSchema) !== undefined) return [];
  if (carried.some((edge) => edge.input === undefined)) return [];
  const open = new Set(carried.map((edge) => edge.input as string));
  for (const [key, value] of Object.entries(args)) if (isSource(value) || hasTemplate(value)) open.add(key);
  // What edges bring is there, whatever it is.
  const filled = { ...Object.fromEntries([...open].map((key) => [key, null])), ...args };
  const { errors } = validateSchema(inputSchema, filled);
  return errors
    .filter(({ path }) => !open.has(firstKey(path)))
    .map(({ path, message }) =>
      error('input_invalid', `${pointer}/arguments${path}`, `Correct the arguments of ${name}: ${message}.`, id),
    );
}

function firstKey(pointer: string): string {
  return (pointer.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

function hasTemplate(value: Json): boolean {
  return JSON.stringify(value).includes('{{');
}
