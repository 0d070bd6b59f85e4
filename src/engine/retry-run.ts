import type { CommandResult } from '../model/commands.ts';
import { refuse } from './approvals/decide.ts';
import { emit, type Machine } from './machine.ts';
import { rescan } from './rescan.ts';
import type { StepState } from './state.ts';

/**
 * Goes on with a failed or partial run in place: completed steps are kept at any depth, failed and cancelled ones run again. A *once*
 * step that was cut off is recovered first.
 */
export function retryRun(m: Machine, by: string): CommandResult {
  const { status } = m.state.run;
  if (status !== 'failed' && status !== 'partial') {
    return refuse(
      status === 'completed' || status === 'cancelled' ? 'run_finished' : 'not_waiting',
      `Only a failed or partial run can be retried; this one is ${status}.`,
    );
  }
  emit(m, 'run.retried', undefined, { by });
  const again = [...m.state.steps.values()].filter(
    (step) => step.row.status === 'failed' || step.row.status === 'cancelled',
  );
  for (const step of again) reset(m, step);
  rescan(m);
  return { ok: true };
}

function reset(m: Machine, step: StepState): void {
  const { path } = step.row;
  if (step.row.status === 'failed' && step.handled) return;
  const unknown = step.unknown;
  const reopen = step.plan.type.container !== undefined && step.opened > 0;
  emit(m, reopen ? 'step.reopened' : 'step.reset', path, { timeoutMs: reopen ? step.plan.timeoutMs : undefined });
  if (!reopen) {
    if (unknown)
      emit(m, 'step.interrupted', path, { attempt: step.row.attempt, error: unknown.error, unknown: true, ask: true });
    return;
  }
  for (const [key, list] of [...step.lists]) {
    if (list.plan.role === 'body' && (list.status === 'failed' || list.status === 'cancelled')) {
      if (m.state.steps.get(path)?.lists.get(key))
        emit(m, 'list.reopened', path, { name: list.plan.name, index: list.index });
    }
  }
}
