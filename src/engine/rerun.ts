import { skipList } from './flow.ts';
import { emit, type Machine, pathIn } from './machine.ts';
import { itemLists, type Plan, type PlanList, type PlanStep } from './plan.ts';
import { rescan } from './rescan.ts';
import { isTaken, type ListState, listKey, type RunState, type StepState } from './state.ts';

/** An ended run as its journal says it, and the step that a new one goes on from. */
export interface Reuse {
  before: RunState;
  from: string;
}

/** Why a revision cannot go on from a step of an ended run, as a sentence; undefined when it can. */
export function rerunProblem(before: RunState, plan: Plan, from: string): string | undefined {
  const step = plan.steps.get(from);
  const missing = new Set<string>(step ? [] : [from]);
  const target = step && targetOf(before, step);
  const again = target ? [...onTheWay(target)].flatMap((entry) => [...downstream(plan, entry, entry === target)]) : [];
  for (const { row, plan: old } of before.steps.values()) {
    if (itemLists(old.list).length > 0 || old.list.role !== 'body') continue;
    const now = plan.steps.get(old.id);
    const kept = row.status === 'completed' && !again.includes(old.id);
    if (kept && (now?.def.type !== old.def.type || now.list.id !== old.list.id)) missing.add(old.id);
  }
  if (missing.size > 0)
    return `Name a step that is there, or run the same revision again: the workflow has no ${[...missing].join(', ')} as the run had it.`;
  for (let list: PlanList | undefined = step?.list; list; list = list.owner?.list)
    if (list.kind === 'items' || list.role !== 'body')
      return `Run again from ${list.owner?.id}, which holds ${from}: one round of it cannot be run again by itself.`;
  return undefined;
}

/**
 * What a new run would begin anew though it does not depend on its step: what failed elsewhere, with all that is in it.
 * @param plan of the new run, which has the step
 */
export function begunBeside(before: RunState, plan: Plan, from: string): StepState[] {
  const target = targetOf(before, plan.steps.get(from) as PlanStep);
  const way = new Set([...onTheWay(target)].map(({ id }) => id));
  const asked = new Set([...onTheWay(target)].flatMap((entry) => [...downstream(plan, entry, entry === target)]));
  for (const id of way) if (id !== target.id) asked.delete(id);
  return [...before.steps.values()].filter((step) => {
    for (const one of aboveOf(step)) {
      if (one.plan.call || !way.has(one.plan.id)) return !asked.has(one.plan.id) && !isTaken(one);
      if (one.plan.id === target.id) return false;
    }
    return false;
  });
}

/** The steps that hold one, outermost first, and itself. */
function aboveOf(step: StepState): StepState[] {
  const found = [step];
  for (let { owner } = step.list; owner; { owner } = owner.list) found.unshift(owner);
  return found;
}

/** Takes over what does not depend on the step, and goes on from there. The run has just begun. */
export function reuse(m: Machine, { before, from }: Reuse): void {
  const step = m.plan.steps.get(from) as PlanStep;
  reuseList(m, m.state.root as ListState, before, targetOf(before, step));
  rescan(m);
}

/** A step in a branch that was not taken, or in a list that was not entered, is reached by running again what holds it. */
function targetOf(before: RunState, step: PlanStep): PlanStep {
  let target = step;
  for (let list = step.list; list.owner; list = list.owner.list) {
    const known = before.steps.get(list.owner.id)?.lists.get(list.name);
    if (!known || known.status === 'skipped') target = list.owner;
  }
  return target;
}

/** A step and those that hold it. */
function* onTheWay(step: PlanStep): Generator<PlanStep> {
  for (let at: PlanStep | undefined = step; at; at = at.list.owner) yield at;
}

/** A step, all that depends on it in its list, and what is inside of these; with `whole` also what is inside of itself. */
function downstream(plan: Plan, step: PlanStep, whole = false): Set<string> {
  const found = new Set<string>();
  const add = (one: PlanStep): void => {
    if (found.has(one.id)) return;
    found.add(one.id);
    for (const list of one.lists) for (const inner of list.steps) add(inner);
    for (const id of one.dependents) add(plan.steps.get(id) as PlanStep);
  };
  if (whole) add(step);
  found.add(step.id);
  for (const id of step.dependents) add(plan.steps.get(id) as PlanStep);
  return found;
}

/** @param target the step to go on from, where it is in this list or below */
function reuseList(m: Machine, list: ListState, before: RunState, target?: PlanStep): void {
  let entry = target;
  while (entry && entry.list !== list.plan) entry = entry.list.owner;
  const again = entry ? downstream(m.plan, entry) : new Set<string>();
  for (const plan of list.plan.steps) {
    const old = before.steps.get(pathIn(list, plan));
    if (plan === entry && entry !== target) reopen(m, list, plan, old as StepState, before, target as PlanStep);
    else if (!again.has(plan.id) && old && isTaken(old)) reuseStep(m, list, plan, old, before);
  }
}

function reuseStep(m: Machine, list: ListState, plan: PlanStep, old: StepState, before: RunState): void {
  const path = pathIn(list, plan);
  for (const inner of plan.lists) {
    const known = inner.kind === 'once' && inner.role === 'body' ? old.lists.get(inner.name) : undefined;
    if (!known) continue;
    emit(m, 'list.reused', path, { name: inner.name, status: known.status });
    reuseList(m, m.state.steps.get(path)?.lists.get(inner.name) as ListState, before);
  }
  const { status, output, error, reason, degraded, child } = old.row;
  const { handled, skip } = old;
  emit(m, 'step.reused', path, { status, output, error, reason, degraded, child, handled, skip });
}

/** A step that holds the one to go on from: it is at work, its other lists are as they were. */
function reopen(m: Machine, list: ListState, plan: PlanStep, old: StepState, before: RunState, target: PlanStep): void {
  const path = pathIn(list, plan);
  if (plan.counted) emit(m, 'attempt.began', path, { attempt: 1 });
  emit(m, 'step.opened', path, { input: old.fields, timeoutMs: plan.timeoutMs });
  const step = m.state.steps.get(path) as StepState;
  const way = new Set([...onTheWay(target)].map((one) => one.list));
  for (const inner of plan.lists) {
    if (inner.role !== 'body') continue;
    // Its branches are opened, or skipped, together.
    const known = old.lists.get(listKey(inner.name, undefined));
    // One that the run did not have: where only one branch is taken, that was another one; else it begins with what goes on.
    if (!known && !plan.type.container?.exclusive) continue;
    if (!known || known.status === 'skipped') {
      skipList(m, step, inner.name);
      continue;
    }
    emit(m, 'list.opened', path, { name: inner.name });
    reuseList(m, step.lists.get(inner.name) as ListState, before, way.has(inner) ? target : undefined);
    const outcome = old.outcomes.find(({ name }) => name === inner.name);
    if (way.has(inner) || outcome?.status !== 'completed') continue;
    emit(m, 'list.settled', path, { name: inner.name, status: 'completed', output: outcome.output });
  }
}
