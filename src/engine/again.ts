import { emit, type Machine, pathIn } from './machine.ts';
import type { PlanStep } from './plan.ts';
import { enterAgain } from './rescan.ts';
import { reset } from './retry-run.ts';
import type { ListState, StepState } from './state.ts';

/*
 * A further attempt of a step that holds others (SPEC §4, `retry` written on it). What failed or was cut off inside is begun again, and with
 * it what had completed beside it in the same list, so that the steps see each other's new outputs. Never again runs what must not
 * happen twice, what people were asked, what was waited for and what is stored already; rounds and branches that have settled well stay too.
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

function unfinished(step: StepState): ListState[] {
  return [...step.lists.values()].filter(
    ({ plan, status }) => plan.role === 'body' && (status === 'failed' || status === 'cancelled'),
  );
}

function startOver(m: Machine, list: ListState): void {
  for (const plan of list.plan.steps) {
    const step = m.state.steps.get(pathIn(list, plan));
    if (!step || step.row.status === 'pending') continue;
    const { status } = step.row;
    if (status === 'cancelled' || (status === 'failed' && !step.handled)) {
      const inner = step.plan.type.container && !step.plan.calls ? unfinished(step) : [];
      reset(m, step, false);
      for (const one of inner) startOver(m, one);
    } else if ((status === 'skipped' && step.skip !== 'error') || mayRepeat(step)) forgetWork(m, step);
  }
}

/** A list that was here before is gone through from its beginning. */
export function beginList(m: Machine, list: ListState): void {
  for (const plan of list.plan.steps) {
    const step = m.state.steps.get(pathIn(list, plan));
    if (step && step.row.status !== 'pending') forgetWork(m, step);
  }
}

/** A step that had settled is as if it had not begun, and what is inside of it is gone. */
function forgetWork(m: Machine, step: StepState): void {
  for (const list of step.lists.values()) leaveInside(m, list);
  emit(m, 'step.reset', step.row.path, { anew: true });
}

function leaveInside(m: Machine, list: ListState): void {
  for (const plan of list.plan.steps) {
    const inner = m.state.steps.get(pathIn(list, plan));
    if (!inner || inner.row.status === 'pending') continue;
    for (const one of inner.lists.values()) leaveInside(m, one);
    emit(m, 'step.left', inner.row.path, { reason: `${list.owner?.row.name ?? 'what holds it'} begins anew` });
  }
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
