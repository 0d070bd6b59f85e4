import type { CommandResult } from '../model/commands.ts';
import type { ErrorInfo } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { refuse } from './approvals/decide.ts';
import { resetCalls } from './calls/begin.ts';
import { emit, type Machine, pathIn } from './machine.ts';
import { leftBehind, moveProblem, type Onto } from './newer/move.ts';
import { rescan } from './rescan.ts';
import { type ListState, type StepState, unfinished } from './state.ts';

/**
 * Goes on with a failed or partial run in place: completed steps are kept at any depth, failed and cancelled ones run again. A *once*
 * step that was cut off is recovered first.
 * @param onto the revision that it goes on under, where that is another one
 */
export function retryRun(m: Machine, by: string, onto?: Onto): CommandResult {
  const { status } = m.state.run;
  if (status !== 'failed' && status !== 'partial') {
    return refuse(
      status === 'completed' || status === 'cancelled' ? 'run_finished' : 'not_waiting',
      `Only a failed or partial run can be retried; this one is ${status}.`,
    );
  }
  if (m.state.undo) return refuse('rolled_back', 'This run was rolled back; start a new one instead.');
  const problem = onto && moveProblem(m.state, onto.plan);
  if (problem !== undefined) return refuse('unknown_step', problem);
  retried(m, { by }, onto);
  if (m.state.root) resetList(m, m.state.root);
  rescan(m);
  return { ok: true };
}

/** Journals a retry, and what is left behind by one under another revision. */
export function retried(m: Machine, data: JsonObject, onto?: Onto): void {
  if (!onto) {
    emit(m, 'run.retried', undefined, data);
    return;
  }
  const { plan, pins, documents } = onto;
  const reason = 'the revision that the run went on under does not have it so';
  for (const path of leftBehind(m.state, plan)) emit(m, 'step.left', path, { reason });
  m.state.plans.set(plan.key, plan);
  emit(m, 'run.retried', undefined, { ...data, revision: plan.revision, pins, documents });
}

/** What failed inside a step that has settled well stays as it is: that step has taken the failure. */
export function resetList(m: Machine, list: ListState): void {
  for (const plan of list.plan.steps) {
    const step = m.state.steps.get(pathIn(list, plan));
    const { status } = step?.row ?? {};
    if (!step || (status !== 'cancelled' && (status !== 'failed' || step.handled))) continue;
    // A fallback begins when it is needed again, and looks at its steps then; the next look or revision is a list of its own.
    const inner = unfinished(step);
    reset(m, step);
    for (const one of inner) resetList(m, one);
  }
}

/**
 * Makes a step that failed or was cancelled ready to begin again.
 * @param ask a person retries the run: whether it acted is asked, whatever `onInterrupted` says
 */
export function reset(m: Machine, step: StepState, ask = true): void {
  if (step.plan.calls) {
    resetCalls(m, step, ask);
    return;
  }
  const { path } = step.row;
  const unknown = step.unknown ?? givenUp(step, ask);
  const reopen = step.plan.type.container !== undefined && step.opened > 0;
  if (reopen && step.plan.counted) emit(m, 'attempt.began', path, { attempt: step.row.attempt + 1 });
  emit(m, reopen ? 'step.reopened' : 'step.reset', path, { timeoutMs: reopen ? step.plan.timeoutMs : undefined });
  if (!reopen) {
    if (unknown)
      emit(m, 'step.interrupted', path, { attempt: step.row.attempt, error: unknown.error, unknown: true, ask });
    return;
  }
  for (const [key, list] of [...step.lists]) {
    if (list.plan.role === 'body' && (list.status === 'failed' || list.status === 'cancelled')) {
      if (m.state.steps.get(path)?.lists.get(key))
        emit(m, 'list.reopened', path, { name: list.plan.name, index: list.index });
    }
  }
}

/** A *once* step that has acted, or may have and was given up: nobody but a person, who is asked, may have it done again. */
function givenUp({ row, acted }: StepState, ask: boolean): { error: ErrorInfo } | undefined {
  const open = acted === true || (!ask && row.error?.code === 'interrupted');
  return open && row.effect === 'once' && row.error ? { error: row.error } : undefined;
}
