import { emit, type Machine, pathIn } from './machine.ts';
import type { PlanList, PlanStep } from './plan.ts';
import { enterAgain } from './rescan.ts';
import { reset } from './retry-run.ts';
import { type ListState, listKey, onInterruptedOf, type StepState, unfinished } from './state.ts';

/*
 * A further attempt of a step that holds others (SPEC §4, `retry` written on it). What failed or was cut off inside is begun again, and with
 * it what had completed beside it in the same list, so that the steps see each other's new outputs. Never again runs what must not
 * happen twice, what people were asked, what was waited for and what is stored already; rounds and branches that have settled well stay too.
 * Nor does what stands before an act that must not happen twice and is done: the page is where that act has left it, and what follows
 * goes on from there.
 */

/** Goes on with a container whose backoff is over. */
export function startAgain(m: Machine, step: StepState): void {
  emit(m, 'step.reopened', step.row.path, { timeoutMs: step.plan.timeoutMs, again: true });
  for (const list of unfinished(step)) {
    emit(m, 'list.reopened', step.row.path, { name: list.plan.name, index: list.index });
    startOver(m, list);
  }
  enterAgain(m, step);
}

function startOver(m: Machine, list: ListState): void {
  const before = beforeActs(m, list);
  for (const plan of list.plan.steps) {
    const step = m.state.steps.get(pathIn(list, plan));
    if (!step || step.row.status === 'pending') continue;
    const { status } = step.row;
    if (status === 'cancelled' || (status === 'failed' && !step.handled)) {
      // Of an agent: the call that failed or was cut off. Nobody but this makes it ready again.
      const inner = step.plan.type.container ? unfinished(step) : [];
      reset(m, step, false);
      for (const one of inner) startOver(m, one);
    } else if (!before.has(plan.id) && ((status === 'skipped' && step.skip !== 'error') || mayRepeat(step)))
      forgetWork(m, step);
  }
}

/** A step that had settled is as if it had not begun, and what is inside of it is gone. */
function forgetWork(m: Machine, step: StepState): void {
  for (const list of step.lists.values()) leaveInside(m, list);
  dropRounds(m, step);
  emit(m, 'step.reset', step.row.path, { anew: true });
}

function leaveInside(m: Machine, list: ListState): void {
  for (const plan of list.plan.steps) {
    const inner = m.state.steps.get(pathIn(list, plan));
    if (!inner || inner.row.status === 'pending') continue;
    for (const one of inner.lists.values()) leaveInside(m, one);
    dropRounds(m, inner);
    emit(m, 'step.left', inner.row.path, { reason: `${list.owner?.row.name ?? 'what holds it'} begins anew` });
  }
}

/** Rounds that are done are in the store only: their rows would speak of what is begun anew. */
function dropRounds(m: Machine, { plan, row, lists, opened, rounds = {} }: StepState): void {
  for (const list of plan.lists) {
    if (list.kind !== 'items' || list.role !== 'body') continue;
    for (let index = 0; index < opened; index++)
      if (!lists.has(listKey(list.name, index))) m.dropped.push(...pathsIn(list, `${row.path}[${index}]/`, rounds));
  }
}

/** @param rounds how many there were at most of each list below, by its id */
function* pathsIn(list: PlanList, prefix: string, rounds: Readonly<Record<string, number>>): Generator<string> {
  for (const { id, lists } of list.steps) {
    yield prefix + id;
    for (const inner of lists) {
      if (inner.kind === 'once') yield* pathsIn(inner, prefix, rounds);
      else
        for (let index = 0; index < (rounds[inner.id] ?? 0); index++)
          yield* pathsIn(inner, `${prefix}${id}[${index}]/`, rounds);
    }
  }
}

/** Ids of the steps of a list that one which has acted, or may have, depends on. */
function beforeActs(m: Machine, list: ListState): Set<string> {
  const before = new Set<string>();
  const ahead = list.plan.steps.filter((plan) => {
    const step = m.state.steps.get(pathIn(list, plan));
    return step !== undefined && hasActed(m, step);
  });
  for (let plan = ahead.pop(); plan; plan = ahead.pop())
    for (const { from } of plan.deps) {
      const source = before.has(from) ? undefined : m.plan.steps.get(from);
      before.add(from);
      if (source) ahead.push(source);
    }
  return before;
}

/** Whether a step has done what must not happen twice, or may have, itself or in what it holds. */
function hasActed(m: Machine, step: StepState): boolean {
  const { plan, row, child, outcomes, lists } = step;
  if (step.acted || (step.unknown && onInterruptedOf(step) !== 'retry')) return true;
  const done = row.status === 'completed';
  // What a run that was called has done is not known here.
  if (plan.type.child) return done || (child !== undefined && child.of === child.generation);
  if (plan.lists.length === 0 || !plan.type.container) {
    if (done && !row.degraded && row.effect === 'once') return true;
  }
  for (const list of lists.values())
    for (const inner of list.plan.steps) {
      const state = m.state.steps.get(pathIn(list, inner));
      if (state && hasActed(m, state)) return true;
    }
  // Of rounds and calls that have settled no more is known than what they were to do.
  return outcomes.some((outcome) => {
    if (outcome?.index === undefined || lists.has(listKey(outcome.name, outcome.index))) return false;
    return plan.lists.some(({ name, role, steps }) => role === 'body' && name === outcome.name && steps.some(mayAct));
  });
}

function mayAct(plan: PlanStep): boolean {
  return plan.effect === 'once' || plan.type.child === true || plan.lists.some(({ steps }) => steps.some(mayAct));
}

const REPEATABLE: readonly string[] = ['pure', 'read', 'idempotent'];

function mayRepeat({ plan, row }: StepState): boolean {
  return plan.lists.length === 0 ? REPEATABLE.includes(row.effect) && !plan.type.child : planRepeats(plan);
}

/** Whether a step, with all that it may do inside, may be done again. */
function planRepeats(plan: PlanStep): boolean {
  // An agent goes on with the calls that it has made, so it would only say again what it said.
  if (plan.calls) return false;
  const own = plan.type.container ? true : REPEATABLE.includes(plan.effect) && !plan.type.child;
  return own && plan.lists.every((list) => list.steps.every(planRepeats));
}

/** Whether something inside has acted and failed all the same: trying it again would do it twice. */
export function actedInside(m: Machine, step: StepState): boolean {
  for (const list of step.lists.values())
    for (const plan of list.plan.steps) {
      const inner = m.state.steps.get(pathIn(list, plan));
      if (inner && ((inner.row.status === 'failed' && inner.acted) || actedInside(m, inner))) return true;
    }
  return false;
}
