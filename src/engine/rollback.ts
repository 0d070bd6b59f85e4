import type { ErrorInfo } from '../model/errors.ts';
import { cancelList, enterList } from './flow.ts';
import { emit, type Machine } from './machine.ts';
import { COMPENSATE } from './plan.ts';
import { rescanList } from './rescan.ts';
import type { ListState, StepState } from './state.ts';

/*
 * `onFailure: rollback` (SPEC §4): when a run has failed or was cancelled, the compensations of its completed steps run, newest step
 * first, one after another, each list in its written order, with as much active time as the run itself had.
 */

/** Begins to undo a run that ends. @returns false where nothing is to be undone, so that it can end at once */
export function beginRollback(m: Machine, status: 'failed' | 'cancelled', error: ErrorInfo): boolean {
  if (m.plan.onFailure !== 'rollback' || m.state.undo || !newest(m)) return false;
  emit(m, 'run.undoing', undefined, { status, error });
  // Cancelling is done; from here on steps may start again, those of the compensations.
  m.state.failing = undefined;
  nextCompensation(m);
  return true;
}

/** Opens the next compensation, or ends the run as it was to end. */
export function nextCompensation(m: Machine): void {
  const owner = newest(m);
  if (!owner) {
    endUndone(m);
    return;
  }
  // What the agenda still holds is about steps that are cancelled, and comes to nothing.
  m.places.clear();
  m.parked.clear();
  emit(m, 'list.opened', owner.row.path, { name: COMPENSATE });
  enterList(m, owner.lists.get(COMPENSATE) as ListState);
}

/** One has settled; one that failed keeps the others from nothing. */
export function compensationDone(m: Machine, owner: StepState, list: ListState, error: ErrorInfo | undefined): void {
  if (error) cancelList(m, list, 'a step beside it failed');
  emit(m, 'list.settled', owner.row.path, {
    name: COMPENSATE,
    status: error ? 'failed' : 'completed',
    error,
  });
  nextCompensation(m);
}

/** The rollback is cut short: by a person who cancels it, by its own deadline, or by a fault of ours. */
export function cutRollback(m: Machine, error: ErrorInfo): void {
  const open = openCompensation(m);
  m.state.failing = error;
  if (open?.owner) {
    cancelList(m, open, 'the rollback was cut short');
    emit(m, 'list.settled', open.owner.row.path, { name: COMPENSATE, status: 'failed', error });
  }
  endUndone(m);
}

/** Looks at the compensation under way again, after a pause or a recovery. */
export function rescanRollback(m: Machine): void {
  const open = openCompensation(m);
  if (open) rescanList(m, open);
}

function endUndone(m: Machine): void {
  const { status, error, failed } = m.state.undo as NonNullable<Machine['state']['undo']>;
  const why: ErrorInfo = failed
    ? {
        ...error,
        message: `${error.message} Undoing it was not complete, so look at what is left: ${failed.message}`,
        details: { compensation: { code: failed.code, message: failed.message, step: failed.step ?? null } },
      }
    : error;
  m.agenda = [];
  emit(m, 'run.ended', undefined, { status, error: why });
  m.effects.push({ type: 'ended' });
}

function openCompensation(m: Machine): ListState | undefined {
  for (const step of m.state.steps.values()) {
    const list = step.lists.get(COMPENSATE);
    if (list?.status === 'open') return list;
  }
  return undefined;
}

/** The step that completed last of those that have a compensation which has not run. What belongs to a compensation has none itself. */
function newest(m: Machine): StepState | undefined {
  let found: StepState | undefined;
  for (const step of m.state.steps.values()) {
    // What an earlier run has done is that run's.
    if (step.row.status !== 'completed' || step.row.reused || !step.plan.def.compensate || step.lists.has(COMPENSATE))
      continue;
    if (undoes(step)) continue;
    if (!found || (step.done as number) > (found.done as number)) found = step;
  }
  return found;
}

function undoes(step: StepState): boolean {
  for (let list: ListState | undefined = step.list; list; list = list.owner?.list)
    if (list.plan.role === 'compensate') return true;
  return false;
}
