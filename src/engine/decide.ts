import { canonicalJson } from '../model/canonical.ts';
import type { CommandResult, InboxCommand } from '../model/commands.ts';
import type { ErrorInfo, TabloomError } from '../model/errors.ts';
import { type Json, wellFormed } from '../model/json.ts';
import { FINAL_RUN, type Usage } from '../model/run.ts';
import { outputProblem, startStep } from './begin.ts';
import { type ChildReport, takeReport } from './children/call.ts';
import { type OuterWish, takeOuter } from './children/outer.ts';
import { takeCommand } from './control.ts';
import { attemptFailed, finalFailure, takeCached } from './failure.ts';
import { complete, drain, enterList, failContainer, goOn, MAX_ENTRIES } from './flow.ts';
import type { Entry } from './fold.ts';
import { attempt, type Effect, emit, type Machine } from './machine.ts';
import type { Onto } from './newer/move.ts';
import { type Reuse, reuse } from './rerun.ts';
import { interruptAttempt, recoverRun } from './rescan.ts';
import { keepResult } from './result-cache.ts';
import { outcomeUnknown } from './retry.ts';
import { endRun } from './run-end.ts';
import { cleanFiles, errorWithoutSecrets, noteClean, secretError } from './secrets/index.ts';
import { holdsOthers, type StepState } from './state.ts';
import type { WorkResult } from './step-type.ts';
import { waitDue } from './waits.ts';

/** What can happen to a run. `at` is epoch milliseconds and never goes back. */
export type Input =
  /** `reuse`: with the outputs of an earlier run. */
  | { type: 'start'; reuse?: Reuse }
  /** `goneSince`: see `Engine.recover`. */
  | { type: 'recover'; goneSince?: number }
  /** The store could not be written to for a while, and now can again. */
  | { type: 'stalled' }
  | { type: 'continue' }
  /** `looking`: paths of steps whose work says that it has not begun to act yet. */
  | { type: 'tick'; looking?: readonly string[] }
  | { type: 'result'; path: string; attempt: number; result: WorkResult }
  | { type: 'error'; path: string; attempt: number; error: ErrorInfo; usage?: Usage; more?: Partial<WorkResult> }
  /** `onto`: for a retry under a newer revision. */
  | { type: 'command'; inbox: InboxCommand; onto?: Onto }
  /** The last result of a step that has failed, however old; without `output` there is none. */
  | { type: 'cached'; path: string; output?: Json }
  /** Origins that the user has granted, for steps that wait for one. */
  | { type: 'granted'; origins: string[] }
  /** The emergency stop: what is in flight is cut off and the run is paused. */
  | { type: 'stop' }
  /** What a run that one of its steps has called says of itself. */
  | { type: 'child'; path: string; report: ChildReport }
  /** What the run wants that has called this one. */
  | ({ type: 'outer' } & OuterWish)
  /** A fault of ours, in deciding something else: the run ends with it. */
  | { type: 'fault'; message: string };

export interface Decision {
  entries: Entry[];
  effects: Effect[];
  /** For commands. */
  answer?: CommandResult;
}

/**
 * The engine's one function: what has happened goes in; what is to be journaled and what is to be done come out, and the machine's state
 * has moved. Deterministic in state, input, time and `random`; touches nothing outside. What it throws is a fault of ours; the state is then
 * spoiled, and the run is read again and ended with `{type: 'fault'}` (src/engine/engine.ts).
 * @param random uniform in [0, 1), drawn for jitter only; what was drawn is in the journal
 */
export function decide(m: Machine, input: Input, at: number, random: () => number): Decision {
  m.at = Math.max(at, m.state.lastAt);
  m.random = random;
  m.entries = [];
  m.effects = [];
  const answer = take(m, input);
  if (!FINAL_RUN.includes(m.state.run.status)) drain(m);
  return { entries: m.entries, effects: m.effects, answer };
}

function take(m: Machine, input: Input): CommandResult | undefined {
  const final = FINAL_RUN.includes(m.state.run.status);
  if (input.type === 'command') return takeCommand(m, input.inbox, input.onto);
  if (input.type === 'result' || input.type === 'error') {
    takeResult(m, input);
    return undefined;
  }
  if (input.type === 'outer') {
    takeOuter(m, input);
    return undefined;
  }
  if (final) return undefined;
  switch (input.type) {
    case 'start':
      emit(m, 'run.started', undefined);
      if (input.reuse) reuse(m, input.reuse);
      else if (m.state.root) enterList(m, m.state.root);
      break;
    case 'recover':
      recoverRun(m, input.goneSince);
      break;
    case 'stalled':
      emit(m, 'run.stalled', undefined);
      break;
    case 'tick':
      tick(m, input.looking ?? []);
      break;
    case 'cached':
      takeCached(m, input.path, input.output);
      break;
    case 'granted':
      granted(m, input.origins);
      break;
    case 'child':
      takeReport(m, input.path, input.report);
      break;
    case 'stop':
      stop(m);
      break;
    case 'fault':
      endRun(m, 'failed', { code: 'internal', message: `Tabloom itself failed in this run: ${input.message}` });
      break;
    case 'continue':
      break;
  }
  return undefined;
}

function takeResult(m: Machine, input: Extract<Input, { type: 'result' | 'error' }>): void {
  const step = m.state.steps.get(input.path);
  if (!step?.inFlight || step.row.attempt !== input.attempt) {
    // Given up meanwhile: recorded, never applied.
    if (step)
      emit(m, 'attempt.late', input.path, {
        attempt: input.attempt,
        error: input.type === 'error' ? input.error : undefined,
      });
    return;
  }
  if (input.type === 'error') {
    const { usage, meta, tabs } = { usage: input.usage, ...input.more };
    const failed = { ...input.error, step: input.error.step ?? input.path };
    const mayHaveActed = step.row.effect === 'once' && outcomeUnknown(failed);
    attemptFailed(m, step, errorWithoutSecrets(m.plan.workflow, failed, meta, mayHaveActed), { usage, meta, tabs });
    return;
  }
  const { usage, tabs, meta, artifacts } = input.result;
  const { output, files, found } = cleanFiles(wellFormed(input.result.output), artifacts ?? []);
  const given = { output, meta: meta ?? null, files: found };
  const problem = outputProblem(m, step.plan, output) ?? secretProblem(m, step, given);
  if (!problem) {
    m.artifacts.push(...files);
    const { cachedAt, saved } = input.result;
    if (cachedAt !== undefined) complete(m, step, output, { cachedAt, saved });
    else {
      complete(m, step, output, { usage, tabs, meta });
      keepResult(m, step);
    }
    return;
  }
  if (step.row.effect === 'once') {
    // It has acted: the error is final, and what it gave back is kept with it (SPEC §6), where that can be stored at all.
    const fits = problem.code === 'output_invalid' && 'ok' in attempt(input.path, () => canonicalJson(output));
    const keep = fits ? output : undefined;
    emit(m, 'step.attempt', input.path, {
      attempt: input.attempt,
      error: problem.info,
      output: keep,
      acted: true,
      usage,
      meta,
      tabs,
    });
    finalFailure(m, step, problem.info);
  } else attemptFailed(m, step, problem.info, { usage, meta, tabs });
}

/** Under `block`, a secret in what an attempt gave back. Under `redact` the journal takes it out. */
function secretProblem(
  m: Machine,
  step: StepState,
  given: { output: Json; meta: Json; files: string[] },
): TabloomError | undefined {
  if (m.plan.workflow.secretPolicy === 'redact') return undefined;
  const found = secretError(`What ${step.plan.id} gave back`, given, step.row.path);
  if (!found) noteClean(given.output);
  return found;
}

/** Whatever is due by now, in the order in which it fell due. */
function tick(m: Machine, looking: readonly string[]): void {
  const dueOf = (step: StepState): number =>
    Math.min(step.retryAt ?? Infinity, step.deadline ?? Infinity, step.row.wait?.due ?? Infinity);
  const due = [...m.state.due]
    .filter((step) => dueOf(step) <= m.at)
    .sort((a, b) => dueOf(a) - dueOf(b) || a.row.order - b.row.order);
  for (const step of due) {
    // The rest is still due, and comes with the next tick.
    if (m.entries.length > MAX_ENTRIES) break;
    if (!m.state.due.has(step) || FINAL_RUN.includes(m.state.run.status)) continue;
    if (step.retryAt !== undefined && step.retryAt <= m.at) {
      if (!m.state.paused) startStep(m, step.list, step.plan);
    } else if (step.deadline !== undefined && step.deadline <= m.at) {
      if (!m.state.paused || !holdsOthers(step)) timedOut(m, step, looking);
    } else if (step.row.wait?.due !== undefined && step.row.wait.due <= m.at) waitDue(m, step);
  }
  const { activeSince } = m.state;
  if (FINAL_RUN.includes(m.state.run.status) || activeSince === undefined) return;
  if (m.state.run.activeMs + m.at - activeSince >= m.state.activeLimit) {
    endRun(m, 'failed', {
      code: 'timeout',
      message: 'The run took longer than its timeout allows; raise `timeout` or split the workflow.',
    });
  }
}

function timedOut(m: Machine, step: StepState, looking: readonly string[]): void {
  const { path, attempt, name } = step.row;
  if (step.plan.type.container) {
    const message = `Raise the timeout of ${name}: it took longer than that allows.`;
    failContainer(m, step, { code: 'timeout', message, step: path }, 'the step around it ran out of time');
    return;
  }
  m.effects.push({ type: 'abort', path, attempt, reason: 'timeout' });
  const limit = `${(step.plan.timeoutMs ?? 0) / 1000} s`;
  if (looking.includes(path)) {
    const message = `Look at the page of ${name}: it did not get to act within ${limit}, and nothing was done.`;
    attemptFailed(m, step, { code: 'timeout', message, step: path, acted: false });
    return;
  }
  const message = `Look at the page or model of ${name}, or raise its timeout: it took longer than ${limit}.`;
  attemptFailed(m, step, { code: 'timeout', message, step: path });
}

function granted(m: Machine, origins: string[]): void {
  for (const step of [...m.state.busy]) {
    const wait = step.row.wait;
    if (wait?.kind !== 'permission' || !wait.subject || !origins.includes(wait.subject)) continue;
    emit(m, 'step.resumed', step.row.path);
    goOn(m, step);
  }
}

function stop(m: Machine): void {
  if (!m.state.paused) emit(m, 'run.paused', undefined, { by: 'emergency stop' });
  for (const step of [...m.state.busy]) {
    if (!step.inFlight) continue;
    m.effects.push({ type: 'abort', path: step.row.path, attempt: step.row.attempt, reason: 'emergency stop' });
    interruptAttempt(m, step, 'it was cut off by the emergency stop');
  }
}
