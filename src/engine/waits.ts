import type { Command, CommandResult } from '../model/commands.ts';
import { durationMs, parseDuration } from '../model/duration.ts';
import { TabloomError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Wait } from '../model/run.ts';
import { refuse } from './approvals/decide.ts';
import { openGate } from './approvals/gate.ts';
import { applyRule } from './approvals/standing.ts';
import { apartFailed, finalFailure, finish } from './failure.ts';
import { goOn } from './flow.ts';
import { attempt, emit, type Machine, pathIn } from './machine.ts';
import { BACKGROUND, readPage } from './page-wait.ts';
import { openReview, reviewExpired } from './people/review.ts';
import { openTask } from './people/task.ts';
import type { PlanStep } from './plan.ts';
import type { ListState, StepState } from './state.ts';

/** Begins a step that waits for a person, a time or a signal. The wait is a row with a due time or a subject, nothing in memory. */
export function openWait(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject): void {
  if (plan.type.wait === 'approval') {
    openGate(m, list, plan, fields);
    applyRule(m, pathIn(list, plan));
    return;
  }
  if (plan.type.wait === 'review' || plan.type.wait === 'task') {
    (plan.type.wait === 'review' ? openReview : openTask)(m, list, plan, fields);
    return;
  }
  const path = pathIn(list, plan);
  const wait = attempt(path, () => waitOf(m, plan, fields));
  if ('error' in wait) {
    emit(m, 'step.opened', path, { input: fields });
    apartFailed(m, m.state.steps.get(path) as StepState, wait.error);
    return;
  }
  emit(m, 'step.waiting', path, { wait: wait.ok, input: fields });
  const step = m.state.steps.get(path) as StepState;
  if (wait.ok.kind === 'signal') takeSignal(m, step);
  else if (wait.ok.kind === 'timer' && (wait.ok.due as number) <= m.at)
    finish(m, step, { wokenBy: 'timer', payload: null });
}

/** Due time and subject of a wait. @throws TabloomError `input_invalid` for a time that is none */
function waitOf(m: Machine, plan: PlanStep, fields: JsonObject): Wait {
  const timeout = fields.timeout === undefined ? undefined : parseDuration(fields.timeout);
  const invalid = (field: string, what: string) =>
    new TabloomError('input_invalid', `${plan.id}: ${JSON.stringify(fields[field])} is not ${what}.`, {
      step: plan.id,
      field,
    });
  if (fields.timeout !== undefined && timeout === undefined) throw invalid('timeout', 'a duration such as 90s or 2h');
  if (typeof fields.signal === 'string') {
    const due = timeout === undefined ? undefined : m.at + timeout;
    return {
      kind: 'signal',
      since: m.at,
      due,
      subject: fields.signal,
      reason: `waiting for the signal ${fields.signal}`,
    };
  }
  if (fields.page !== undefined) {
    const { url, selector } = readPage(plan.id, fields.page, m.plan.workflow.sites ?? []);
    const what = selector === undefined ? `the page ${url}` : `${selector} on the page ${url}`;
    return {
      kind: 'page',
      since: m.at,
      due: timeout === undefined ? undefined : m.at + timeout,
      subject: url,
      reason: `waiting for ${what}`,
      data: selector === undefined ? { url } : { url, selector },
    };
  }
  let due: number | undefined;
  if (fields.for !== undefined) {
    const ms = parseDuration(fields.for);
    if (ms === undefined) throw invalid('for', 'a duration such as 90s or 2h');
    due = m.at + ms;
  } else {
    due = typeof fields.until === 'number' ? fields.until : Date.parse(String(fields.until));
    if (!Number.isFinite(due)) throw invalid('until', 'a time such as 2026-01-05T09:00:00Z');
  }
  // A timer that would outlast its own timeout ends there, with the error `timeout`.
  const end = timeout === undefined ? due : Math.min(due, m.at + timeout);
  return { kind: 'timer', since: m.at, due: end, reason: 'waiting until its time', data: { until: due } };
}

/** Gives a signal that is already there to a step that waits for it. */
export function takeSignal(m: Machine, step: StepState): boolean {
  const name = step.row.wait?.kind === 'signal' ? step.row.wait.subject : undefined;
  const index = m.state.signals.findIndex((signal) => signal.name === name);
  if (name === undefined || index < 0) return false;
  const payload: Json = m.state.signals[index]?.payload ?? null;
  finish(m, step, { wokenBy: 'signal', payload }, { signal: index });
  return true;
}

/** The background has seen the page that a step waits for. Whoever else says so is refused; so is what is meant for an earlier wait. */
export function seePage(m: Machine, by: string, command: Extract<Command, { type: 'pageSeen' }>): CommandResult {
  if (by !== BACKGROUND)
    return refuse('bad_request', 'Wake the step instead: only Tabloom itself tells what pages are open.');
  const { path, since, url, title, problem } = command;
  const step = m.state.steps.get(path);
  const wait = step?.row.wait;
  if (step?.row.status !== 'waiting' || wait?.kind !== 'page' || wait.since !== since)
    return refuse('not_waiting', `${path} does not wait for a page any more.`);
  if (problem) finalFailure(m, step, { ...problem, step: path });
  else finish(m, step, { wokenBy: 'page', payload: { url, title } });
  return { ok: true };
}

/** A wait's time has come. */
export function waitDue(m: Machine, step: StepState): void {
  const wait = step.row.wait as Wait;
  const { path, name } = step.row;
  // A new month has a budget of its own.
  if (wait.kind === 'budget') {
    emit(m, 'step.resumed', path);
    goOn(m, step);
    return;
  }
  if (wait.kind === 'approval' && step.approval && m.at < step.approval.expiresAt) {
    emit(m, 'approval.closed', path, { status: 'expired' });
    apartFailed(m, step, {
      code: 'timeout',
      message: `${name} waited as long as its timeout allows: raise it, or see why what it waits for did not come.`,
      step: path,
    });
    return;
  }
  if (wait.kind === 'approval') {
    emit(m, 'approval.closed', path, { status: 'expired' });
    finalFailure(m, step, {
      code: 'approval_expired',
      message: `Nobody decided on ${name} in time; nothing was done.`,
      step: path,
    });
    return;
  }
  if (wait.kind === 'review' && m.at >= Number((wait.data as JsonObject).expiresAt)) {
    reviewExpired(m, step);
    return;
  }
  const until = (wait.data as JsonObject | undefined)?.until;
  if (wait.kind === 'timer' && typeof until === 'number' && until <= m.at)
    finish(m, step, { wokenBy: 'timer', payload: null });
  else
    apartFailed(m, step, {
      code: 'timeout',
      message: `${name} waited as long as its timeout allows: raise it, or see why what it waits for did not come.`,
      step: path,
    });
}

export { durationMs };
