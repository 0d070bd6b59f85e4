import type { CommandResult } from '../../model/commands.ts';
import { type JsonObject, jsonEqual } from '../../model/json.ts';
import type { RunRow } from '../../model/run.ts';
import type { Revision } from '../../model/workflow.ts';
import type { KnowledgePort } from '../../ports/knowledge.ts';
import type { Store } from '../../ports/store.ts';
import { refuse } from '../approvals/decide.ts';
import { pinNow, referencesIn } from '../children/pins.ts';
import { entriesNamed } from '../entries/link.ts';
import { pinDocuments } from '../knowledge/base.ts';
import type { Plans } from '../plans.ts';
import { checkInput } from '../preflight/input.ts';
import { readRun } from '../read-run.ts';
import { isTaken, type RunState } from '../state.ts';
import type { StepRegistry } from '../step-type.ts';
import { actedIn } from './acts.ts';
import { counterpart, moveProblem, type Onto } from './move.ts';

/** What is asked for a retry under the newest revision. */
export interface Shelf {
  store: Store;
  registry: StepRegistry;
  knowledge: KnowledgePort;
  readonly plans: Plans;
}

/** A revision as a run goes on under it, its documents as they are now. */
export async function ontoRevision(shelf: Shelf, revision: Revision, pins: Record<string, string>): Promise<Onto> {
  const plan = await shelf.plans.of(revision, pins, shelf.store);
  return { plan, pins, documents: await pinDocuments(shelf.knowledge, plan) };
}

/**
 * What a failed or partial run needs to go on under the newest revision of its workflow, or why it cannot. Empty where neither it nor
 * what it calls is any newer, or where a retry is refused anyway.
 */
export async function ontoNewest(shelf: Shelf, runId: string): Promise<{ onto?: Onto } | { refused: CommandResult }> {
  const { store, registry } = shelf;
  const no = (code: string, message: string) => ({ refused: refuse(code, message) });
  const read = await readRun(store, runId, shelf.plans);
  const { state } = read?.machine ?? {};
  if (!state || (state.run.status !== 'failed' && state.run.status !== 'partial') || state.undo) return {};
  const { run } = state;
  const row = await store.workflow(run.workflowId);
  if (!row) return no('workflow_missing', `Import ${run.workflowName} again: it is no longer there.`);
  if (row.draft)
    return no('preflight_failed', `Correct ${row.name} first: its newest revision is a draft with errors.`);
  if (!row.enabled) return no('workflow_disabled', `Switch on ${row.name} before the run goes on with it.`);
  const revision = await store.revision(row.revision);
  if (!revision) return no('workflow_missing', `Import ${row.name} again: its newest revision is not there.`);
  const unfit = unfitInput(revision, run.input);
  if (unfit) return no('input_invalid', `Retry the same revision, or start a new run: ${unfit}`);
  const { pins, problems } = await pinNow(revision.definition, registry, store);
  const [problem] = problems;
  if (problem) return no(problem.code, problem.message);
  if (row.revision === run.revision && jsonEqual(pins, state.pins)) return {};
  const onto = await ontoRevision(shelf, revision, pins);
  const lost = moveProblem(state, onto.plan) ?? (await calledProblem(shelf, state, onto));
  return lost === undefined ? { onto } : no('unknown_step', lost);
}

/** Whether a workflow that an ended run may call has, at any depth, another revision now than the run would go on with. */
export async function callsNewer(
  { store, registry }: Pick<Shelf, 'store' | 'registry'>,
  run: RunRow,
): Promise<boolean> {
  const revision = await store.revision(run.revision);
  if (!revision) return false;
  const { definition } = revision;
  if (referencesIn(definition, registry).length + entriesNamed(definition, registry).length === 0) return false;
  const { pins, problems } = await pinNow(revision.definition, registry, store);
  if (problems.length > 0) return false;
  const pinned = (await store.events(run.runId)).findLast(
    ({ type, data }) => type === 'run.created' || (type === 'run.retried' && data.revision !== undefined),
  );
  return !jsonEqual(pins, (pinned?.data.pins ?? {}) as JsonObject);
}

function unfitInput({ definition }: Revision, input: JsonObject): string | undefined {
  const [problem] = checkInput(definition, input);
  return problem && `in ${definition.name}: ${problem.message}`;
}

/** Why a called run that a retry goes on with cannot go on under the newest revision of its own workflow. */
async function calledProblem(shelf: Shelf, state: RunState, { plan, pins }: Onto): Promise<string | undefined> {
  for (const called of state.steps.values()) {
    const { child, row, plan: step } = called;
    if (!child) continue;
    const now = counterpart(plan, step);
    if (!now || now.def.workflow !== step.def.workflow) {
      // Another run would take its place.
      const acted = row.status === 'completed' ? [] : await actedIn(shelf.store, shelf.plans, child.runId);
      if (acted.length === 0) continue;
      return `Retry the same revision, or start a new run: the newest one does not call ${step.def.workflow} in ${row.path} as the run did, and that has acted, or may have (${acted.join(', ')}).`;
    }
    if (isTaken(called)) continue;
    const wanted = pins[String(now.def.workflow)];
    const read = await readRun(shelf.store, child.runId, shelf.plans);
    const inner = read?.machine.state;
    if (!inner || wanted === undefined || inner.undo || inner.run.status === 'completed') continue;
    const revision = await shelf.store.revision(wanted);
    const at = revision ? await shelf.plans.of(revision, pins, shelf.store) : inner.plan;
    const problem =
      (revision && at !== inner.plan ? (unfitInput(revision, inner.run.input) ?? moveProblem(inner, at)) : undefined) ??
      (await calledProblem(shelf, inner, { plan: at, pins, documents: [] }));
    if (problem !== undefined) return `${problem} (${row.name})`;
  }
  return undefined;
}
