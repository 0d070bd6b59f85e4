import { compilePlan } from '../engine/plan.ts';
import { moveToFront } from '../engine/source/reorder.ts';
import { canonicalJson } from '../model/canonical.ts';
import { isObject, type Json } from '../model/json.ts';
import type { Revision } from '../model/workflow.ts';
import { matchedTarget } from '../view/prompt-parts.ts';
import type { App } from './app.ts';
import type { Refusal } from './protocol.ts';

/**
 * Has the newest revision of a run's workflow look first for what a step of the run was found by: that alternative of its target comes first.
 * A workflow that was switched on stays on, since a person has looked at the change and it names nothing new.
 * @returns the new revision; a refusal where the step did not go by a later alternative, or its target is another one by now
 */
export async function preferMatched(
  app: App,
  runId: string,
  path: string,
): Promise<{ workflowId: string; revision: string } | { refused: Refusal }> {
  const { store, library, registry } = app;
  const run = await store.run(runId);
  const row = run && (await store.steps(runId)).find((one) => one.path === path);
  const matched = row?.attempts.map(matchedTarget).findLast((one) => one !== undefined);
  if (!run || !row || matched === undefined)
    return refuse('input_invalid', 'Choose a step that was found by a later alternative of its target.');
  const stored = await library.find(run.workflowId);
  if (!stored) return refuse('workflow_missing', `There is no workflow ${run.workflowId}; import or save it first.`);
  const before = await store.revision(run.revision);
  const pointerIn = (revision: Revision) => {
    const step = compilePlan(revision.definition, revision.revision, registry).steps.get(row.stepId);
    return step && { pointer: `${step.pointer}/arguments/target`, target: targetOf(step.def.arguments) };
  };
  const here = stored.row.draft ? undefined : pointerIn(stored.revision);
  const there = before && pointerIn(before);
  const same = here?.target && there?.target && canonicalJson(here.target) === canonicalJson(there.target);
  const source = stored.revision.source ?? `${JSON.stringify(stored.revision.definition, null, 2)}\n`;
  const changed = same ? moveToFront(source, here.pointer, matched - 1) : undefined;
  if (changed === undefined)
    return refuse('input_invalid', `Change the target of ${row.name} in its file: it is another one there by now.`);
  const saved = await library.save(changed, stored.row.enabled);
  if ('refused' in saved) return saved;
  return { workflowId: saved.row.workflowId, revision: saved.row.revision };
}

/** The list of alternatives, where it is written out. */
function targetOf(args: unknown): Json[] | undefined {
  const target = isObject(args as Json) ? (args as { target?: Json }).target : undefined;
  return Array.isArray(target) ? target : undefined;
}

function refuse(code: string, message: string): { refused: Refusal } {
  return { refused: { code, message, problems: [] } };
}
