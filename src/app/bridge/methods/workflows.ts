import { isObject, type JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import { method } from './define.ts';

const MAX_SOURCE = 1_048_576;

/** The workflows that are switched on and exposed as tools. */
export const catalog = method(z.strictObject({}), async ({ app }) => {
  const workflows = [];
  for (const { workflowId, name, description, enabled, draft, revision } of await app.library.summaries()) {
    if (!enabled || draft !== undefined) continue;
    const stored = await app.library.find(workflowId);
    const definition = stored?.revision.definition;
    if (!definition) continue;
    // Only what its author has made a tool is one; the trigger says so.
    const tool = (definition.triggers ?? []).find(({ type }) => type === 'mcp');
    if (!tool) continue;
    workflows.push({
      workflowId,
      revision,
      name,
      ...(description === undefined ? {} : { description }),
      input: schemaOf(definition.inputs),
    });
  }
  return { workflows };
});

/** A workflow's file, as it was saved. */
export const workflowGet = method(
  z.strictObject({ workflowId: z.string().min(1).max(200) }),
  async ({ app, params }) => {
    const stored = await app.library.find(params.workflowId);
    return stored ? { source: stored.revision.source ?? null, enabled: stored.row.enabled } : null;
  },
);

/** Keeps a file for a person to look at. It is off, whatever was there before, and nothing of it runs. */
export const workflowDraft = method(
  z.strictObject({ source: z.string().min(1).max(MAX_SOURCE) }),
  async ({ app, params }) => {
    const saved = await app.library.save(params.source, false, true);
    app.updates.push(['workflows']);
    if ('refused' in saved) return saved;
    const { workflowId, name, draft } = saved.row;
    return { workflowId, name, draft: draft === true, problems: saved.problems };
  },
);

function schemaOf(inputs: unknown): JsonObject {
  return isObject(inputs) ? inputs : { type: 'object' };
}
