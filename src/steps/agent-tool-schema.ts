import { browserActions, targetSchema } from '../actions/index.ts';
import type { WorkContext } from '../engine/step-type.ts';
import type { JsonObject } from '../model/json.ts';
import type { StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { OPERATIONS } from '../operations/index.ts';
import type { ToolDefinition } from '../ports/model.ts';
import { allowedTools, callOf, ownsTab, searchArguments } from './agent-tools.ts';
import { kbSearch } from './kb-search.ts';
import { serverOf } from './mcp-tool.ts';

/** Longest description of a server's tool that is sent, in characters. */
const MAX_DESCRIPTION = 2000;

/** `kb_search` as models are told of it. */
const SEARCH = `${kbSearch.summary} Gives hits with documentId, title, excerpt and score.`;

/** A target as models are told of it: without the parts that refer to themselves, which no provider's schemas can say. */
const TARGET: JsonObject = {
  type: 'object',
  description:
    'The element, named in exactly one way: ref (from a snapshot), role with name, label, text, placeholder, testId, css or xpath. nth chooses among several, from 0.',
  properties: {
    ...Object.fromEntries(
      ['ref', 'role', 'name', 'label', 'text', 'placeholder', 'testId', 'css', 'xpath'].map((way) => [
        way,
        { type: 'string' },
      ]),
    ),
    exact: { type: 'boolean' },
    nth: { type: 'integer' },
  },
};

/** The definitions of an agent's tools that are our own: browser actions, operations, workflows, the search of knowledge. */
export function ownTools(step: StepDefinition, workflow: WorkflowDefinition): ToolDefinition[] {
  return allowedTools(step, workflow).flatMap((name) => {
    const def = callOf(name);
    return def ? (ownTool(def) ?? []) : [];
  });
}

/**
 * All tools that an agent may ask for, in the order of the file; those of MCP servers as their servers describe them now.
 * @throws TabloomError `mcp_unavailable` where a server does not answer
 */
export async function toolDefinitions(
  step: StepDefinition,
  { workflow, ports, signal }: Pick<WorkContext, 'workflow' | 'ports' | 'signal'>,
): Promise<ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  for (const name of allowedTools(step, workflow)) {
    const def = callOf(name);
    const own = def && ownTool(def);
    if (own) tools.push(own);
    else if (def?.type === 'mcp_tool') {
      const server = String(def.server);
      const found = (await serverOf(ports.mcp, server).tools(server, signal)).find((one) => one.name === def.tool);
      if (!found) continue;
      const description = (found.description ?? found.title ?? '').slice(0, MAX_DESCRIPTION);
      tools.push({ name: def.id, description, inputSchema: found.inputSchema });
    }
  }
  return tools;
}

function ownTool(def: StepDefinition): ToolDefinition | undefined {
  const action = def.type === 'browser_action' ? browserActions.get(String(def.action)) : undefined;
  if (action) {
    const inputSchema = schemaOf(action.args);
    if (!ownsTab(action)) {
      const tab = { type: 'string', description: "The tab to act in, by its id; the run's current tab unless given." };
      inputSchema.properties = { ...(inputSchema.properties as JsonObject), tab };
    }
    return { name: def.id, description: action.summary, inputSchema };
  }
  const operation = def.type === 'deterministic_command' ? OPERATIONS.get(String(def.operation)) : undefined;
  if (operation) {
    const description = `${operation.summary} Gives ${operation.output}.`;
    return { name: def.id, description, inputSchema: schemaOf(operation.args) };
  }
  if (def.type === kbSearch.type) return { name: def.id, description: SEARCH, inputSchema: schemaOf(searchArguments) };
  if (def.type !== 'subworkflow') return undefined;
  return { name: def.id, description: `Runs the workflow ${def.workflow}.`, inputSchema: { type: 'object' } };
}

const known = new WeakMap<z.ZodType, JsonObject>();

function schemaOf(type: z.ZodType): JsonObject {
  let schema = known.get(type);
  if (!schema) {
    const {
      $schema: _,
      $defs,
      ...made
    } = z.toJSONSchema(type, {
      io: 'input',
      unrepresentable: 'any',
      cycles: 'ref',
      override({ zodSchema, jsonSchema }) {
        if ((zodSchema as unknown) !== targetSchema) return;
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
        Object.assign(jsonSchema, TARGET);
      },
    }) as JsonObject;
    // Definitions that only a whole target would need are left out.
    schema = JSON.stringify(made).includes('$ref') ? { ...made, ...($defs ? { $defs } : {}) } : made;
    known.set(type, schema);
  }
  return { ...schema };
}
