import type { ErrorInfo } from '../model/errors.ts';
import { isObject, type Json } from '../model/json.ts';
import { actedInside } from './again.ts';
import { approvedAct } from './approvals/covers.ts';
import { outputProblem } from './begin.ts';
import { toldToModel } from './calls/around.ts';
import { afterStep, complete, dropCalls, goOn } from './flow.ts';
import { interrupted } from './interrupted.ts';
import { attempt, emit, type Machine, scopeOf } from './machine.ts';
import { dropPlaces } from './places.ts';
import { FALLBACK, type PlanStep } from './plan.ts';
import { rescanList } from './rescan.ts';
import { backoffMs, isRetryable, outcomeUnknown } from './retry.ts';
import { resetList } from './retry-run.ts';
import { type ListState, onInterruptedOf, type StepState } from './state.ts';
import { resolve } from './values/template.ts';

/** Errors that neither `fallback` nor `onError` may cover (SPEC §4): a rejection never becomes a yes. */
const NOT_COVERED = new Set([
  'approval_rejected',
  'review_rejected',
  'secret_detected',
  'budget_exceeded',
  'cancelled',
]);

/**
 * An attempt has failed. Order (SPEC §4): retries, `fallback`, then `onError`. A *once* attempt that may have acted is not a failure
 * but an open question.
 * @param more usage, meta and tabs of the attempt, to be recorded with it
 */
export function attemptFailed(m: Machine, step: StepState, error: ErrorInfo, more: Record<string, unknown> = {}): void {
  const { plan, row } = step;
  const details = isObject(error.details) ? error.details : undefined;
  if (error.code === 'approval_mismatch') {
    movedTab(m, step, error, details?.origin, more);
    return;
  }
  // One that has acted is not run again once access is there: whether it is done is a question like any other.
  const done = row.effect === 'once' && error.acted === true;
  if (error.code === 'permission_denied' && typeof details?.origin === 'string' && !done) {
    emit(m, 'step.interrupted', row.path, { attempt: row.attempt, error, ...more });
    emit(m, 'step.waiting', row.path, {
      wait: { kind: 'permission', since: m.at, subject: details.origin, reason: `${error.message}` },
    });
    return;
  }
  // With `onInterrupted: retry` it is a failure like any other: tried again as its `retry` allows, not without end.
  if (row.effect === 'once' && outcomeUnknown(error) && !answered(plan, error) && onInterruptedOf(step) !== 'retry') {
    emit(m, 'step.interrupted', row.path, { attempt: row.attempt, error, unknown: true, ...more });
    interrupted(m, step);
    return;
  }
  // A model turn that has failed is a failed attempt of its agent.
  const agent = plan.call === 'model' ? step.list.owner : undefined;
  const delayMs = delayAfter(m, agent ?? step, error);
  if (delayMs !== undefined && agent) {
    emit(m, 'step.interrupted', row.path, { attempt: row.attempt, error, ...more });
    emit(m, 'step.attempt', agent.row.path, { attempt: agent.row.attempt, error, delayMs });
    return;
  }
  emit(m, 'step.attempt', row.path, { attempt: row.attempt, error, delayMs, ...more });
  if (delayMs === undefined) finalFailure(m, step, error);
}

/** A step that holds others or waits has failed. It is tried again only where that is written on it. */
export function apartFailed(m: Machine, step: StepState, error: ErrorInfo): void {
  const { plan, row } = step;
  if (!plan.counted) {
    finalFailure(m, step, error);
    return;
  }
  const delayMs = actedInside(m, step) ? undefined : delayAfter(m, step, error);
  emit(m, 'step.attempt', row.path, { attempt: row.attempt, error, delayMs });
  if (delayMs === undefined) finalFailure(m, step, error);
}

/**
 * Ends a step that has waited with what it waited for, where that fits its `outputSchema`; else it fails.
 * @param more `signal`: which of the kept signals this uses up, either way
 */
export function finish(m: Machine, step: StepState, output: Json, more: Record<string, unknown> = {}): void {
  const problem = outputProblem(m, step.plan, output);
  if (!problem) {
    complete(m, step, output, more);
    return;
  }
  // Kept, it would fail each retry at once: another one, sent to put it right, would never be taken.
  if (more.signal !== undefined) emit(m, 'signal.used', step.row.path, { signal: more.signal });
  finalFailure(m, step, { ...problem.info, step: step.row.path });
}

/** Milliseconds until the next attempt; `undefined` where there is none. */
function delayAfter(m: Machine, { plan, failures: before }: StepState, error: ErrorInfo): number | undefined {
  const failures = before + 1;
  if (!isRetryable(error.code, plan.retry) || failures >= plan.retry.maxAttempts) return undefined;
  const delayMs = backoffMs(plan.retry, failures, error, m.random());
  const spent = m.state.run.activeMs + (m.state.activeSince === undefined ? 0 : m.at - m.state.activeSince);
  // A provider that asks for more than the run has left: the provider's error says more than a later `timeout` would.
  if (error.retryAfterMs !== undefined && spent + error.retryAfterMs >= m.state.activeLimit) return undefined;
  return delayMs;
}

/** A tool that says itself that it failed has answered: its agent's model is told, and nobody has to find out what happened. */
function answered(plan: PlanStep, error: ErrorInfo): boolean {
  return plan.call === 'tool' && error.code === 'mcp_tool_error';
}

/**
 * The page found the tab at another origin than the one approved. Nothing was done; with the tab's address put right, the act is
 * described as it is now and asked about again.
 */
function movedTab(
  m: Machine,
  step: StepState,
  error: ErrorInfo,
  origin: Json | undefined,
  more: Record<string, unknown>,
): void {
  const { path, attempt: number } = step.row;
  const approved = approvedAct(m, path);
  const known = m.state.tabs.list.some((tab) => tab.tab === approved?.tab);
  // Without a tab to put right the act would look as approved as before, and be tried for ever.
  if (typeof origin !== 'string' || !approved || approved.origin === origin || !known) {
    emit(m, 'step.attempt', path, { attempt: number, error, ...more });
    finalFailure(m, step, { ...error, code: 'internal' });
    return;
  }
  const { tabs } = m.state;
  const list = tabs.list.map((tab) => (tab.tab === approved.tab ? { ...tab, url: `${origin}/` } : tab));
  emit(m, 'step.interrupted', path, { ...more, attempt: number, error, tabs: { ...tabs, list } });
  goOn(m, step);
}

/** All attempts are used up, or the error is final: `fallback`, then `onError`. */
export function finalFailure(m: Machine, step: StepState, error: ErrorInfo, from: 'work' | 'fallback' = 'work'): void {
  const { plan, row } = step;
  dropCalls(m, step);
  const covered = !NOT_COVERED.has(error.code);
  const fallback = plan.def.fallback;
  if (fallback && covered && from === 'work') {
    if ('value' in fallback) {
      const value = attempt(row.path, () =>
        resolve(fallback.value, scopeOf(m, step.list), { step: plan.id, field: 'fallback' }),
      );
      if ('ok' in value) {
        complete(m, step, value.ok as Json, { degraded: true });
        return;
      }
      settleFailure(m, step, { ...value.error, cause: error }, covered);
      return;
    }
    if ('cached' in fallback && step.cacheKey !== undefined) {
      emit(m, 'step.holding', row.path, { why: 'cached', error });
      m.effects.push({ type: 'cached', path: row.path, key: step.cacheKey });
      return;
    }
    if ('steps' in fallback) {
      emit(m, 'step.holding', row.path, { why: 'fallback', error });
      emit(m, 'list.opened', row.path, { name: FALLBACK });
      const list = step.lists.get(FALLBACK) as ListState;
      // After a retry: what it has done stays done, what failed in it is tried again, at any depth.
      resetList(m, list);
      rescanList(m, list);
      return;
    }
  }
  settleFailure(m, step, error, covered);
}

/** The last cached output stands in for a failure; where there is none, the failure stands. */
export function takeCached(m: Machine, path: string, output: Json | undefined): void {
  const step = m.state.steps.get(path);
  if (step?.holding !== 'cached' || !step.failedWith) return;
  if (output === undefined) settleFailure(m, step, step.failedWith, true);
  else complete(m, step, output, { degraded: true });
}

function settleFailure(m: Machine, step: StepState, error: ErrorInfo, covered: boolean): void {
  const { plan, row } = step;
  dropPlaces(m, step);
  const taken = plan.call === 'tool' && toldToModel(error.code) ? 'continue' : plan.def.onError;
  const onError = covered ? (taken ?? 'fail') : 'fail';
  if (onError === 'skip') emit(m, 'step.skipped', row.path, { kind: 'error', reason: error.message, error });
  else emit(m, 'step.failed', row.path, { error, handled: onError === 'continue' || undefined });
  afterStep(m, row.path);
}
