import { TabloomError } from '../../../model/errors.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';
import { method } from './define.ts';

const MAX_SOURCE = 1_048_576;

/** The workflows that are tools: those with a trigger of type `mcp` that a person has switched on. */
export const catalog = method(z.strictObject({}), async ({ app }) => {
  const workflows = [];
  for (const { workflow } of app.triggers.tools()) {
    const { workflowId, name, definition } = workflow;
    workflows.push({
      workflowId,
      name,
      ...(definition.description === undefined ? {} : { description: definition.description }),
      input: schemaOf(definition.inputs),
    });
  }
  return { workflows };
});

/** Setting: which workflows have arrived this way, and as which revision. */
const DRAFTS = 'bridge/drafts';

/**
 * Keeps a file for a person to look at: it is off, and nothing of it runs. It takes the place of an earlier proposal, and of nothing else: a
 * client could switch off, or change, what the person relies on.
 */
export const workflowDraft = method(
  z.strictObject({ source: z.string().min(1).max(MAX_SOURCE) }),
  async ({ app, params }) => {
    const { wants } = app.library.check(params.source);
    const before = wants ? await app.store.workflow(wants.id) : undefined;
    const drafts = (await app.store.setting(DRAFTS)) ?? {};
    if (before && (before.enabled || drafts[before.workflowId] !== before.revision))
      throw new TabloomError(
        'bad_request',
        `Give the draft another id: there is a workflow ${before.workflowId}, which only a person can change, in the app.`,
      );
    const saved = await app.library.save(params.source, false, true);
    if ('refused' in saved) return saved;
    const { workflowId, name, draft, revision } = saved.row;
    await app.store.setSetting(DRAFTS, { ...drafts, [workflowId]: revision });
    await app.triggers.changed();
    app.updates.push(['workflows']);
    return { workflowId, name, draft: draft === true, problems: saved.problems };
  },
);

function schemaOf(inputs: unknown): JsonObject {
  return isObject(inputs) ? inputs : { type: 'object' };
}

/** The file of a workflow that is a tool, or that has arrived this way. What else the person has is not for clients to read. */
export const workflowGet = method(
  z.strictObject({ workflowId: z.string().min(1).max(200) }),
  async ({ app, params }) => {
    const { workflowId } = params;
    const offered = app.triggers.tools().some(({ workflow }) => workflow.workflowId === workflowId);
    const drafts = (await app.store.setting(DRAFTS)) ?? {};
    const row = offered || Object.hasOwn(drafts, workflowId) ? await app.store.workflow(workflowId) : undefined;
    const revision =
      row && (offered || drafts[workflowId] === row.revision) && (await app.store.revision(row.revision));
    if (!row || !revision)
      throw new TabloomError(
        'workflow_missing',
        `Look at the list of resources: there is no workflow ${workflowId} to read.`,
      );
    return { name: row.name, source: revision.source ?? JSON.stringify(revision.definition, undefined, 2) };
  },
);
