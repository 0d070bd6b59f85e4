import { canonicalJson } from '../model/canonical.ts';
import type { ErrorInfo } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { RunTabs } from '../model/run.ts';
import { beginList } from './again.ts';
import { describeAct } from './approvals/covers.ts';
import { finalFailure } from './failure.ts';
import { complete, enterList, goOn, lastOutput } from './flow.ts';
import { attempt, emit, type Machine, scopeOf } from './machine.ts';
import { VERIFY } from './plan.ts';
import { type ListState, onInterruptedOf, type StepState } from './state.ts';
import { evaluateCondition } from './values/condition.ts';

/**
 * It is not known whether a step acted: the engine died between intent and result, or the attempt was lost after it had begun.
 * The step is `pending`, its attempt closed. What happens is `onInterrupted`; `verify` looks before anyone is asked (SPEC §6).
 */
export function interrupted(m: Machine, step: StepState): void {
  const { plan, row } = step;
  const error: ErrorInfo = step.unknown?.error ?? { code: 'interrupted', message: `${row.name} was interrupted.` };
  const policy = onInterruptedOf(step);
  if (policy === 'retry') {
    goOn(m, step);
    return;
  }
  if (policy === 'fail' && !step.unknown?.ask) {
    finalFailure(m, step, {
      code: 'interrupted',
      message: `${row.name} was interrupted, and it is not known whether it acted.`,
      step: row.path,
      cause: error,
    });
    return;
  }
  if (plan.def.verify) {
    // Nothing new starts during a pause: the look comes with the `resume`.
    if (m.state.paused) return;
    emit(m, 'step.holding', row.path, { why: 'verify', error });
    emit(m, 'list.opened', row.path, { name: VERIFY, index: row.attempt });
    const list = step.lists.get(`${VERIFY}[${row.attempt}]`);
    if (!list) return;
    // What an earlier look at this attempt saw, or was kept from seeing, may have changed.
    beginList(m, list);
    enterList(m, list);
    return;
  }
  askRecovery(m, step, error);
}

/** Lets a person say what became of a step. */
export function askRecovery(
  m: Machine,
  step: StepState,
  error: ErrorInfo,
  why = 'was interrupted and may have acted',
): void {
  emit(m, 'step.waiting', step.row.path, {
    wait: {
      kind: 'recovery',
      since: m.at,
      reason: `${step.row.name} ${why}: say whether to retry, that it is done, or that it failed`,
      data: { error: { code: error.code, message: error.message }, ...asked(m, step) },
    },
  });
}

/** Larger arguments are not said again. Characters of JSON. */
const MOST_SAID = 4000;

/** The act that is asked about and the page that it was to happen on, so that the person knows where to look. */
function asked(m: Machine, step: StepState): JsonObject {
  const act = describeAct(m, step.plan, step.row.path, step.fields ?? {});
  const said: JsonObject = {};
  if (canonicalJson(act.arguments).length <= MOST_SAID) said.act = act as unknown as JsonObject;
  const tab = m.state.tabs.list.find((one) => one.tab === act.tab);
  if (tab && step.plan.type.unseen) said.page = { url: tab.url, title: tab.title };
  return said;
}

/** What is left of the run's tabs when a step counts as done whose work nobody saw the end of. */
export function tabsUnseen(m: Machine, step: StepState): RunTabs | undefined {
  return step.plan.type.unseen?.(step.fields ?? {}, m.state.tabs);
}

/** The look is over: done means completed, not done means a further attempt, a failed look means that a person is asked. */
export function verifyDone(m: Machine, step: StepState, list: ListState, error: ErrorInfo | undefined): void {
  const condition = step.plan.def.verify?.done;
  const verdict =
    error || condition === undefined
      ? { error: error ?? { code: 'internal', message: 'verify has no condition' } }
      : attempt(step.row.path, () =>
          evaluateCondition(condition, scopeOf(m, list), { step: step.plan.id, field: 'verify' }),
        );
  emit(m, 'list.settled', step.row.path, {
    name: VERIFY,
    index: list.index,
    status: error ? 'failed' : 'completed',
    error,
  });
  const cause = step.failedWith ?? { code: 'interrupted', message: `${step.row.name} was interrupted.` };
  emit(m, 'step.interrupted', step.row.path, { attempt: step.row.attempt, error: cause, unknown: true });
  if ('error' in verdict) askRecovery(m, step, cause);
  else if (verdict.ok) complete(m, step, lastOutput(m, list), { tabs: tabsUnseen(m, step) });
  else {
    // An attempt that failed by itself counts for `retry`, or a step that always runs out of time would go on for ever.
    const failed = cause.code !== 'interrupted';
    const last = failed && step.failures + 1 >= step.plan.retry.maxAttempts;
    emit(m, 'step.resumed', step.row.path, { known: true, failed: failed || undefined });
    if (last) finalFailure(m, step, { ...cause, acted: false });
    else goOn(m, step);
  }
}
