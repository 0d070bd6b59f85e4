import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import { type Tool, tool } from './define.ts';
import { CALL_MOST, RUN_SCHEMA, waitForRun } from './runs.ts';

export interface CatalogEntry {
  workflowId: string;
  name: string;
  description?: string;
  input: JsonObject;
}

/** Longest tool name: clients put their own prefix before it, and some allow 64 characters in all. */
const NAME_MOST = 48;

/** @returns `run_<id>`; an id that is too long keeps its beginning, and a mark that stays the same for it */
export function toolName(workflowId: string): string {
  const name = `run_${workflowId}`;
  if (name.length <= NAME_MOST) return name;
  const mark = createHash('sha256').update(workflowId).digest('hex').slice(0, 8);
  return `${name.slice(0, NAME_MOST - mark.length - 1)}_${mark}`;
}

/** A workflow as a tool, with its own input schema. */
export function workflowTool({ workflowId, name, description, input }: CatalogEntry): Tool {
  const properties = isObject(input.properties) ? input.properties : {};
  const taken = Object.hasOwn(properties, 'browser');
  return {
    name: toolName(workflowId),
    title: name,
    description: `${description ?? name} Runs in the browser; answers within ${CALL_MOST / 1000} s, with a runId when it goes on.`,
    inputSchema: {
      ...input,
      type: 'object',
      properties: taken ? properties : { ...properties, browser: { type: 'string' } },
    },
    outputSchema: RUN_SCHEMA,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    async run(args, context) {
      const { browser: _, ...rest } = args;
      const given = taken ? args : rest;
      const { session, browser, signal } = context;
      const { value } = await session.ask('run.start', { workflowId, input: given }, { browser, signal });
      return waitForRun((value as { runId: string }).runId, CALL_MOST - 5000, context);
    },
  };
}

export const workflowDraft = tool({
  name: 'workflow_draft',
  description: 'Keeps a workflow file (YAML) as a draft, switched off, for a person to review.',
  args: z.object({ source: z.string().min(1).max(1_048_576) }),
  outputSchema: { type: 'object', properties: { workflowId: { type: 'string' }, problems: { type: 'array' } } },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  async run({ source }, { session, signal, browser }) {
    return (await session.ask('workflow.draft', { source }, { browser, signal })).value;
  },
});
