import { type JsonObject, jsonEqual } from '../../model/json.ts';
import type { PinnedDocument } from '../../model/knowledge.ts';
import type { StepRunRow } from '../../model/run.ts';
import { isFinal } from '../fold-steps.ts';
import type { Plan, PlanList, PlanStep } from '../plan.ts';
import { isTaken, type ListState, type RunState, type StepState } from '../state.ts';
import { hasActed, isOpenAct } from './acts.ts';

/*
 * A run that goes on under a newer revision of its workflow (SPEC §6, *Control*): what has settled stays as it is, all else follows the
 * newer definition. Steps are recognised by id, type and place.
 */

/** What a run needs to go on under another revision. */
export interface Onto {
  plan: Plan;
  /** Revisions of the workflows that it may call. */
  pins: Record<string, string>;
  documents: readonly PinnedDocument[];
}

/** The same step in another plan; undefined where that has none of this id, type and place. */
export function counterpart(plan: Plan, step: PlanStep): PlanStep | undefined {
  const above = step.list.owner;
  const owner = above && counterpart(plan, above);
  if (above && !owner) return undefined;
  if (step.call) return owner?.calls?.get(step.id);
  const now = plan.steps.get(step.id);
  return now?.def.type === step.def.type && now.list.id === step.list.id ? now : undefined;
}

/** Whether a step belongs to the work itself, not to a fallback, a look or a revision that is over. */
function ofTheWork(step: PlanStep): boolean {
  for (let list: PlanList | undefined = step.list; list; list = list.owner?.list)
    if (list.role !== 'body') return false;
  return true;
}

/** Why an ended run cannot go on under a plan, as a sentence; undefined when it can. */
export function moveProblem(state: RunState, plan: Plan): string | undefined {
  const lost = new Set<string>();
  const open = new Set<string>();
  for (const step of state.steps.values()) {
    if (counterpart(plan, step.plan)) continue;
    const id = step.plan.call ? (step.plan.list.owner?.id ?? step.plan.id) : step.plan.id;
    if (isOpenAct(step)) open.add(id);
    else if (isLost(step, plan)) lost.add(id);
  }
  if (open.size > 0)
    return `Retry the same revision, to say what became of ${[...open].join(', ')}: it may have acted, and the newest revision does not have it as the run had it.`;
  if (lost.size > 0)
    return `Retry the same revision, or start a new run: the newest one has no ${[...lost].join(', ')} as the run had it, and that is done, or some of it is.`;
  return undefined;
}

/** Whether going on without a step would do again, under another name, what it has done, or lose what others have of it. */
function isLost(step: StepState, plan: Plan): boolean {
  const { plan: old, row } = step;
  if (old.call) return hasActed(step);
  if (row.status === 'completed' && (ofTheWork(old) || plan.steps.has(old.id))) return true;
  // What is in a fallback, or a look, begins again only with what it stands beside.
  const beside = standsBeside(step);
  return hasActed(step) && !(beside && isTaken(beside));
}

/** The outermost step of which a fallback, a look or a revision holds this one; undefined for the work itself. */
function standsBeside(step: StepState): StepState | undefined {
  let found: StepState | undefined;
  for (let list: ListState | undefined = step.list; list; list = list.owner?.list)
    if (list.plan.role !== 'body') found = list.owner;
  return found;
}

/** Paths of steps that the run had and that are not in a plan. */
export function leftBehind(state: RunState, plan: Plan): string[] {
  return [...state.steps.values()].flatMap((step) => (counterpart(plan, step.plan) ? [] : step.row.path));
}

/** Puts a state under another plan, in place: the fold of a retry that says so. Nothing is at work or waits at that moment. */
export function moveTo(state: RunState, plan: Plan, data: JsonObject, touch: (step: StepState) => void): void {
  const old = state.plan;
  const places = new Map<StepState, PlanStep>();
  for (const step of [...state.steps.values()]) {
    const now = counterpart(plan, step.plan);
    if (now) places.set(step, now);
    else leave(state, step);
  }
  for (const [step, now] of places) {
    const { name, effect } = step.row;
    moveStep(step, now);
    if (name !== step.row.name || effect !== step.row.effect) touch(step);
  }
  if (state.root) state.root.plan = plan.root;
  for (const list of listsIn(state)) list.left = leftIn(state, list);
  const pins = (data.pins ?? {}) as Record<string, string>;
  if (!jsonEqual(pins, state.pins)) dropCalls(state);
  state.pins = pins;
  state.documents = (data.documents ?? []) as unknown as PinnedDocument[];
  // Only what it calls may be newer.
  if (plan === old) return;
  const { budget } = plan.workflow;
  state.budget = budget && { ...budget, ...raised(state.budget, old.workflow.budget, budget) };
  state.activeLimit = plan.timeoutMs;
  // A decision is bound to its revision, a no like a yes: what is not done yet is asked about again.
  state.covers.clear();
  state.refused.clear();
  if (plan.revision !== old.revision) state.run.revisions = [...(state.run.revisions ?? [old.revision]), plan.revision];
  state.run.revision = plan.revision;
  state.run.workflowName = plan.workflow.name;
  state.plan = plan;
}

/** What was approved of calls of other workflows was of these, and those that they call, as they were: it is asked about again. */
function dropCalls(state: RunState): void {
  for (const [path, covers] of state.covers)
    if ([...covers.values()].some(({ act }) => act.type === 'subworkflow')) state.covers.delete(path);
}

/** Should a step of that path begin again, it counts its attempts on: a late result of an old one must not pass for a new one's. */
function leave(state: RunState, step: StepState): void {
  const { path, attempt, attempts } = step.row;
  if (attempt > 0) state.former.set(path, { attempt, attempts });
  state.due.delete(step);
  state.children.delete(step);
  state.steps.delete(path);
}

function moveStep(step: StepState, now: PlanStep): void {
  const called = step.plan.def.workflow;
  if (step.child && called !== now.def.workflow) step.child.generation += 1;
  step.plan = now;
  step.row.name = now.def.name ?? now.id;
  // What has acted is judged by what it was then.
  if (step.row.status !== 'completed' && !hasActed(step)) step.row.effect = now.effect;
  for (const [key, list] of step.lists) {
    const there = now.lists.find(({ name }) => name === list.plan.name);
    if (there) {
      list.plan = there;
      if (list.index !== undefined && list.frame) list.frame.list = there;
      continue;
    }
    step.lists.delete(key);
    if (list.plan.role !== 'body') continue;
    step.outcomes = step.outcomes.filter(({ name }) => name !== list.plan.name);
    if (list.status !== 'skipped') step.opened -= 1;
  }
  step.firstFailed = step.outcomes.find((outcome) => outcome?.status === 'failed');
}

function* listsIn(state: RunState): Generator<ListState> {
  if (state.root) yield state.root;
  for (const step of state.steps.values()) yield* step.lists.values();
}

function leftIn(state: RunState, list: ListState): number {
  return list.plan.steps.filter((step) => !isFinal(state.steps.get(list.prefix + step.id))).length;
}

type Budget = RunState['budget'];

/** What a person has raised stays raised, as far as the newer limit is not higher. */
function raised(now: Budget, before: Budget, next: NonNullable<Budget>): Partial<NonNullable<Budget>> {
  const kept: Partial<NonNullable<Budget>> = {};
  for (const key of ['tokens', 'usd'] as const) {
    const [limit, was, wanted] = [now?.[key], before?.[key], next[key]];
    if (limit !== undefined && was !== undefined && wanted !== undefined && limit > was)
      kept[key] = Math.max(limit, wanted);
  }
  return kept;
}

/** What is known of the attempts of a step that an earlier revision had in its place. */
export type Former = Pick<StepRunRow, 'attempt' | 'attempts'>;
