import { interruptedInAgent } from './calls/begin.ts';
import { isOver } from './flow.ts';
import { isFinal } from './fold.ts';
import { askRecovery, interrupted } from './interrupted.ts';
import type { Machine } from './machine.ts';
import { emit } from './machine.ts';
import { rescanRollback } from './rollback.ts';
import { holdsOthers, type ListState, onInterruptedOf, type StepState } from './state.ts';

/** Looks at every open list again: after a pause, a recovery or a retry. What is settled, waits or works is left alone. */
export function rescan(m: Machine): void {
  m.places.clear();
  m.parked.clear();
  if (m.state.undo) rescanRollback(m);
  else if (m.state.root) rescanList(m, m.state.root);
}

/** Puts on the agenda whatever may go on in a list. */
export function rescanList(m: Machine, list: ListState): void {
  if (list.status !== 'open') return;
  if (isOver(m, list)) m.agenda.push({ kind: 'settled', list });
  for (const plan of list.plan.steps) {
    const step = m.state.steps.get(list.prefix + plan.id);
    if (isFinal(step)) continue;
    if (!step || step.row.status === 'pending') m.agenda.push({ kind: 'consider', list, step: plan });
    if (step) enterAgain(m, step);
  }
}

/** Puts on the agenda whatever may go on in a step that holds others. */
export function enterAgain(m: Machine, step: StepState): void {
  for (const inner of step.lists.values()) rescanList(m, inner);
  if (!step.plan.type.container || step.row.status !== 'running') return;
  // Places are not journaled: items at work take theirs first, all others get in line, before any new item.
  const yields = step.fields !== undefined && step.plan.type.container.yields?.(step.fields) === true;
  const open = [...step.lists.values()].filter((inner) => inner.status === 'open' && inner.plan.role === 'body');
  m.places.set(step, new Set(open.filter((inner) => inner.working > 0 || !yields)));
  m.agenda.push({ kind: 'next', owner: step });
}

/**
 * After the engine died: intents without a result are settled by effect class, backoffs and waits stand as they are (SPEC §6).
 * @param goneSince see `Engine.recover`
 */
export function recoverRun(m: Machine, goneSince?: number): void {
  const cut: StepState[] = [...m.state.busy].filter((step) => step.inFlight);
  const paths = cut.map((step) => step.row.path);
  if (cut.length > 0 || m.state.activeSince !== undefined) emit(m, 'run.recovered', undefined, { interrupted: paths });
  else if (goneSince !== undefined && !m.state.paused && [...m.state.due].some(isTimed)) {
    const gone = Math.max(0, m.at - Math.max(m.state.lastAt, goneSince));
    emit(m, 'run.recovered', undefined, { interrupted: paths, gone });
  }
  for (const step of m.state.steps.values())
    if (step.holding === 'cached' && step.cacheKey !== undefined)
      m.effects.push({ type: 'cached', path: step.row.path, key: step.cacheKey });
  // One before it may have ended the run, and this one with it.
  for (const step of cut)
    if (step.inFlight) interruptAttempt(m, step, 'the engine stopped before its result was stored');
  if (!m.state.paused) rescan(m);
}

function isTimed(step: StepState): boolean {
  return holdsOthers(step) && step.deadline !== undefined;
}

/** After so many interruptions in a row a step is no longer run again by itself: it may be what ends the engine. */
const MAX_INTERRUPTIONS = 5;

function interruptionsInARow(step: StepState): number {
  const { attempts } = step.row;
  const last = attempts.findLastIndex((attempt) => attempt.error?.code !== 'interrupted');
  return attempts.length - 1 - last;
}

/**
 * Closes an attempt whose result will not come. *once* steps, and those that say so, become an open question; all others are simply run
 * again with the next `rescan`, unless that has been in vain too often.
 */
export function interruptAttempt(m: Machine, step: StepState, why: string): void {
  const question = onInterruptedOf(step) !== 'retry';
  emit(m, 'step.interrupted', step.row.path, {
    attempt: step.row.attempt,
    error: { code: 'interrupted', message: `${step.row.name}: ${why}.` },
    unknown: question || undefined,
  });
  const often = interruptionsInARow(step) >= MAX_INTERRUPTIONS;
  if (question) interrupted(m, step);
  else if (!interruptedInAgent(m, step, often) && often) {
    const error = step.row.attempts.at(-1)?.error ?? { code: 'interrupted', message: why };
    askRecovery(m, step, error, `was interrupted ${MAX_INTERRUPTIONS} times in a row`);
  }
}
