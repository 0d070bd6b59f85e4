import { type BrowserAction, browserActions, parseArguments } from '../actions/index.ts';
import { sha256Hex } from '../model/canonical.ts';
import { TabloomError } from '../model/errors.ts';
import { isObject, type Json, type JsonObject, typeName } from '../model/json.ts';
import type { AgentDefinition, StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import { z } from '../model/zod.ts';
import { OPERATIONS } from '../operations/index.ts';
import { kbSearch, MAX_HITS } from './kb-search.ts';

/** No provider takes a longer name of a tool. */
const MAX_NAME = 64;
/** Expands templates, and so reaches what the agent was not given. */
const NOT_FOR_MODELS = new Set(['transform']);

/** The profile that an agent step names. */
export function profileOf(step: StepDefinition, { agents = {} }: WorkflowDefinition): AgentDefinition | undefined {
  const id = String(step.agent);
  return Object.hasOwn(agents, id) ? agents[id] : undefined;
}

/** Names of the tools that profile and step both allow, as the file writes them. */
export function allowedTools(step: StepDefinition, workflow: WorkflowDefinition): string[] {
  const profile = profileOf(step, workflow)?.tools ?? [];
  const own = Array.isArray(step.tools) ? (step.tools as string[]) : profile;
  return [...new Set(own.filter((name) => profile.includes(name)))];
}

/**
 * The step that a tool's name stands for: `browser_<action>`, `mcp__<server>__<tool>`, `run_<workflow>`, `kb_search`, or the id of a built-in
 * operation.
 * Its id is the name that the model and paths use. `undefined` for a name of nothing.
 */
export function callOf(name: string): StepDefinition | undefined {
  const action = name.startsWith('browser_') ? name.slice('browser_'.length) : undefined;
  if (action !== undefined && browserActions.has(action)) return { id: name, type: 'browser_action', action };
  const mcp = /^mcp__(.+?)__(.+)$/.exec(name);
  if (mcp) return { id: short(name), type: 'mcp_tool', server: mcp[1], tool: mcp[2] };
  const workflow = /^run_([a-z0-9][a-z0-9-]{0,63})$/.exec(name)?.[1];
  if (workflow !== undefined) return { id: short(name), type: 'subworkflow', workflow };
  if (name === kbSearch.type) return { id: name, type: name };
  if (OPERATIONS.has(name) && !NOT_FOR_MODELS.has(name))
    return { id: name.replaceAll('.', '_'), type: 'deterministic_command', operation: name };
  return undefined;
}

/** A name that paths and all providers take; two names never become one. */
function short(name: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= MAX_NAME) return name;
  return `${name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME - 9)}_${sha256Hex(name).slice(0, 8)}`;
}

/**
 * The fields of a tool call, from what the model wrote.
 * @throws TabloomError `input_invalid` for what no page or operation could take
 */
export function fieldsOf(call: StepDefinition, written: Json): JsonObject {
  const args = written === null ? {} : written;
  if (!isObject(args)) {
    const what = typeof args === 'string' ? 'text that is no JSON' : typeName(args);
    throw new TabloomError('input_invalid', `The arguments must be an object, not ${what}.`);
  }
  if (call.type === 'subworkflow') return { input: args };
  if (call.type === kbSearch.type) return searchFields(args);
  const action = call.type === 'browser_action' ? browserActions.get(String(call.action)) : undefined;
  if (!action) return { arguments: args };
  const { tab, ...rest } = args;
  const fields: JsonObject =
    ownsTab(action) || typeof tab !== 'string' ? { arguments: args } : { arguments: rest, tab };
  parseArguments(action, fields.arguments as JsonObject);
  return fields;
}

/** What a model may ask the knowledge base for. */
export const searchArguments = z.strictObject({
  query: z.string().trim().min(1).max(1000),
  limit: z.int().min(1).max(MAX_HITS).optional(),
  collection: z.string().min(1).optional(),
});

function searchFields(args: JsonObject): JsonObject {
  const parsed = searchArguments.safeParse(args);
  if (parsed.success) return parsed.data as JsonObject;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the arguments';
  throw new TabloomError('input_invalid', `Correct ${where} of kb_search: ${issue?.message ?? 'it does not fit'}.`);
}

/** Whether `tab` is an argument of the action itself, not the tab that it acts in. */
export function ownsTab({ args }: BrowserAction): boolean {
  return 'shape' in args && isObject(args.shape) && 'tab' in args.shape;
}
