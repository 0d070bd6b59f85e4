import { hashJson } from '../../model/canonical.ts';
import { type ErrorInfo, TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject, jsonEqual } from '../../model/json.ts';
import { FINAL_RUN, type RunStatus, type Usage, type WaitKind } from '../../model/run.ts';
import { coverOf } from '../approvals/covers.ts';
import { askAgain } from '../approvals/gate.ts';
import { checkInput, outputProblem, resolveStep } from '../begin.ts';
import { coverCall, resolveCall } from '../calls/begin.ts';
import { attemptFailed, finalFailure } from '../failure.ts';
import { complete, goOn } from '../flow.ts';
import { attempt, emit, type Machine, pathIn, positionOf } from '../machine.ts';
import type { PlanStep } from '../plan.ts';
import { withoutSecrets } from '../secrets/index.ts';
import type { ListState, StepState } from '../state.ts';
import { NO_USAGE } from '../usage.ts';

/*
 * A `subworkflow` step (SPEC §5): its work is a run of its own, with its own journal, tabs, budget and deadline. The step's journal holds
 * the call (`child.called`, before the run exists) and what was heard of the run; the run holds whose call it is. Both are levels, not
 * messages: src/engine/children/keeper.ts brings each in line with the other whenever one was written or read, so that a death at any
 * moment loses nothing.
 */

/** What a run says of itself to the step that called it, as of its last commit. */
export interface ChildReport {
  runId: string;
  passage: number;
  status: RunStatus;
  active: boolean;
  waitingFor: WaitKind[];
  usage: Usage;
  output?: Json;
  error?: ErrorInfo;
  /** It cannot be gone on with by a retry. */
  undone?: boolean;
  /** It was asked to go on and cannot: another run is to take its place. */
  gone?: boolean;
  /** It could not be begun, and is not there. */
  unbegun?: boolean;
}

/** The run that a workflow reference of the file stands for in this run, by the revision pinned at its start. */
export function revisionFor(pins: Readonly<Record<string, string>>, reference: string): string | undefined {
  return Object.hasOwn(pins, reference) ? pins[reference] : undefined;
}

/**
 * Calls the step's workflow. Where a run is there to go on with, that is what is called again, with the input that it has: what it has
 * done was done for that. Whatever else its input would be by now, another run would do it all a second time.
 */
export function callChild(m: Machine, list: ListState, plan: PlanStep): void {
  const path = pathIn(list, plan);
  const known = m.state.steps.get(path);
  const reference = String(plan.def.workflow);
  const before = known && goesOnWith(known);
  const resolved = attempt(path, () => {
    const { fields } = before ?? (plan.call ? resolveCall(m, list, plan) : resolveStep(m, positionOf(list), plan));
    if (!before) checkInput(m, plan, fields);
    const revision = revisionFor(m.state.pins, reference);
    if (revision === undefined)
      throw new TabloomError('workflow_missing', `Import ${reference} and start the run again: it was not there.`);
    if (before) return { fields, revision };
    if (fields.input !== undefined && !isObject(fields.input))
      throw new TabloomError('input_invalid', `Give ${reference} an object as its input.`, {
        step: path,
        field: 'input',
      });
    const { tab } = fields;
    if (tab !== undefined && !m.state.tabs.list.some((one) => one.tab === tab && !one.closed))
      throw new TabloomError('input_invalid', `Pass an open tab of this run to ${reference}: it has no ${tab}.`, {
        step: path,
        field: 'tab',
      });
    return { fields, revision };
  });
  if ('error' in resolved) {
    if (!known || known.row.status === 'pending') emit(m, 'step.opened', path, { input: before?.fields });
    finalFailure(m, m.state.steps.get(path) as StepState, resolved.error);
    return;
  }
  const { fields, revision } = resolved.ok;
  const called = plan.call && coverCall(m, list, plan, fields);
  if (plan.call && !called) return;
  const cover = coverOf(m, list, plan, fields);
  if (cover.verdict === 'ask') {
    askAgain(m, list, plan, cover);
    return;
  }
  if (cover.verdict === 'refused') {
    emit(m, 'step.opened', path, { input: fields });
    const error = { code: 'approval_rejected', message: cover.reason, step: path };
    finalFailure(m, m.state.steps.get(path) as StepState, error);
    return;
  }
  const child = before?.runId ?? childId(m.state.run.runId, path, fields.input ?? {}, known?.child?.generation ?? 0);
  emit(m, 'child.called', path, {
    attempt: (known?.row.attempt ?? 0) + 1,
    input: fields,
    child,
    revision,
    passage: known?.child?.runId === child ? known.child.passage + 1 : 1,
    timeoutMs: plan.timeoutMs,
    approvalId: called?.approvalId ?? cover.approvalId,
  });
}

/** The run that a further call goes on with, and the fields that it was called with. */
function goesOnWith({ child, fields }: StepState): { runId: string; fields: JsonObject } | undefined {
  return child && child.of === child.generation && fields ? { runId: child.runId, fields } : undefined;
}

/** The same call is the same run, however often it is made. */
function childId(runId: string, path: string, input: Json, generation: number): string {
  return `${runId.slice(0, 8)}-${hashJson({ runId, path, input, generation }).slice(0, 26)}`;
}

/** Takes what the called run says of itself. What is known already, or is of an earlier call, changes nothing. */
export function takeReport(m: Machine, path: string, report: ChildReport): void {
  const step = m.state.steps.get(path);
  const child = step?.child;
  if (!step || child?.runId !== report.runId) return;
  const open = m.state.children.has(step);
  const done = FINAL_RUN.includes(report.status) && report.passage >= child.passage;
  const active = open && (done || report.active);
  const waitingFor = done || !open ? [] : report.waitingFor;
  const usage = minus(report.usage, child.spent);
  if (usage || active !== child.active || !jsonEqual([...waitingFor], [...child.waitingFor])) {
    emit(m, 'child.moved', path, { active, waitingFor, usage, total: usage && report.usage });
    if (active) takePlaces(m, step);
  }
  if (!open) return;
  if (report.gone) {
    const error = { code: 'interrupted', message: `The run before of ${step.row.name} cannot be gone on with.` };
    emit(m, 'child.gone', path);
    emit(m, 'step.interrupted', path, { attempt: step.row.attempt, error });
    goOn(m, step);
    return;
  }
  if (!done) return;
  if (report.status === 'completed') completed(m, step, report.output ?? null);
  else {
    if (report.undone || report.unbegun) emit(m, 'child.gone', path, { unbegun: report.unbegun });
    // A run that has ended otherwise says why.
    attemptFailed(m, step, within(step, report.error as ErrorInfo));
  }
}

function completed(m: Machine, step: StepState, given: Json): void {
  const { path } = step.row;
  const output = attempt(path, () => {
    const problem = outputProblem(m, step.plan, given);
    if (problem) throw problem;
    return withoutSecrets(m.plan.workflow, `The output of ${step.plan.id}`, given, step.plan.id);
  });
  if ('ok' in output) complete(m, step, output.ok);
  else {
    // It has done all it does: only another run can give something else.
    emit(m, 'child.gone', path);
    attemptFailed(m, step, output.error);
  }
}

/** The child's error as the step's own: its code, and where in the child it was. */
function within({ row: { path } }: StepState, { code, message, step }: ErrorInfo): ErrorInfo {
  return { code, message, step: step ? `${path}/${step}` : path };
}

/** It goes on by itself, so it counts among the items at work of the loops around it at once, also where their places are taken. */
function takePlaces(m: Machine, step: StepState): void {
  for (let list: ListState | undefined = step.list; list?.owner; list = list.owner.list)
    if (list.plan.role === 'body') m.places.get(list.owner)?.add(list);
}

/** What is in `a` beyond `b`, or undefined when that is nothing. */
function minus(a: Usage, b: Usage): Usage | undefined {
  const more: Usage = {
    inputTokens: a.inputTokens - b.inputTokens,
    outputTokens: a.outputTokens - b.outputTokens,
  };
  if (a.cachedTokens !== undefined) more.cachedTokens = a.cachedTokens - (b.cachedTokens ?? 0);
  if (a.usd !== undefined) more.usd = a.usd - (b.usd ?? 0);
  if (a.estimated) more.estimated = true;
  const none = more.inputTokens === 0 && more.outputTokens === 0 && !more.cachedTokens && !more.usd;
  return none ? undefined : more;
}

export { NO_USAGE };
