import type { EffectClass } from '../model/effect.ts';
import type { ErrorInfo } from '../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { type ApprovalRow, type Attempt, FINAL_STEP, type RunTabs, type Usage, type Wait } from '../model/run.ts';
import { leavesActs } from './newer/acts.ts';
import type { PlanList, PlanStep } from './plan.ts';
import { spendOwn } from './spend.ts';
import { type ListState, listKey, prefixOf, type RunState, type SkipKind, type StepState } from './state.ts';
import { noteSaved } from './usage.ts';

/** Steps with no further to go. */
export function isFinal(step: StepState | undefined): boolean {
  return step !== undefined && FINAL_STEP.includes(step.row.status);
}

export function stepState(state: RunState, list: ListState, plan: PlanStep): StepState {
  const path = list.prefix + plan.id;
  let step = state.steps.get(path);
  if (!step) {
    const { attempt = 0, attempts = [] } = state.former.get(path) ?? {};
    step = {
      plan,
      list,
      mode: 'none',
      failures: 0,
      inFlight: false,
      lists: new Map(),
      opened: 0,
      outcomes: [],
      row: {
        runId: state.run.runId,
        path,
        stepId: plan.id,
        type: plan.def.type,
        name: plan.def.name ?? plan.id,
        status: 'pending',
        effect: plan.effect,
        attempt,
        attempts,
        order: state.order++,
      },
    };
    state.steps.set(path, step);
  }
  return step;
}

/** The open list instance that holds a path. */
export function listOf(state: RunState, plan: PlanList, path: string): ListState | undefined {
  if (!plan.owner) return state.root;
  const slash = path.lastIndexOf('/');
  const prefix = slash < 0 ? '' : path.slice(0, slash + 1);
  if (plan.kind === 'items') {
    const open = prefix.lastIndexOf('[');
    const owner = state.steps.get(prefix.slice(0, open));
    return owner?.lists.get(listKey(plan.name, Number(prefix.slice(open + 1, -2))));
  }
  return state.steps.get(prefix + plan.owner.id)?.lists.get(plan.name);
}

/** Moves a leaf step between doing nothing, working and waiting, and keeps the counts up the chain of lists. */
export function setMode(state: RunState, step: StepState, mode: 'none' | 'work' | 'wait'): void {
  const before = step.mode;
  if (before === mode) return;
  step.mode = mode;
  if (mode === 'none') state.busy.delete(step);
  else state.busy.add(step);
  const work = (mode === 'work' ? 1 : 0) - (before === 'work' ? 1 : 0);
  const wait = (mode === 'wait' ? 1 : 0) - (before === 'wait' ? 1 : 0);
  state.working += work;
  state.waiting += wait;
  for (let list: ListState | undefined = step.list; list; list = list.owner?.list) {
    list.working += work;
    list.waiting += wait;
  }
}

export function setStatus(state: RunState, step: StepState, status: StepState['row']['status']): void {
  if (status !== 'running') step.holding = undefined;
  const leaf = (!step.plan.type.container || status === 'waiting') && !step.holding;
  setMode(state, step, !leaf ? 'none' : status === 'running' ? 'work' : status === 'waiting' ? 'wait' : 'none');
  const was = isFinal(step);
  step.row.status = status;
  const is = isFinal(step);
  if (was !== is) step.list.left += is ? -1 : 1;
  if (is) for (const list of step.lists.values()) if (list.status === 'open') list.status = 'cancelled';
  if (status !== 'waiting') step.row.wait = undefined;
  if (status !== 'waiting' && status !== 'running') state.children.delete(step);
  if (status !== 'running') {
    step.inFlight = false;
    step.retryAt = undefined;
    step.deadline = undefined;
  }
  if (step.retryAt !== undefined || step.deadline !== undefined || step.row.wait?.due !== undefined)
    state.due.add(step);
  else state.due.delete(step);
}

function closeAttempt(step: StepState, at: number, data: JsonObject): void {
  const attempt = step.row.attempts.at(-1);
  if (!attempt || attempt.endedAt !== undefined) return;
  attempt.endedAt = at;
  if (data.error) attempt.error = data.error as unknown as ErrorInfo;
  if (typeof data.delayMs === 'number') attempt.delayMs = data.delayMs;
  if (data.usage) attempt.usage = data.usage as unknown as Usage;
  if (data.meta !== undefined) attempt.meta = data.meta;
}

/** Forgets the inside of a settled list, so that memory does not grow with the items of a loop. Rows stay in the store. */
export function forget(state: RunState, list: ListState): void {
  for (const plan of list.plan.steps) {
    const step = state.steps.get(list.prefix + plan.id);
    if (!step) continue;
    for (const inner of step.lists.values()) forget(state, inner);
    if (list.owner && leavesActs(step)) list.owner.actsInside = true;
    state.due.delete(step);
    state.children.delete(step);
    state.covers.delete(step.row.path);
    state.refused.delete(step.row.path);
    state.steps.delete(step.row.path);
  }
}

export function openList(owner: StepState | undefined, plan: PlanList, index: number | undefined): ListState {
  const list: ListState = {
    plan,
    owner,
    index,
    prefix: prefixOf(plan, owner, index),
    left: plan.steps.length,
    status: 'open',
    working: 0,
    waiting: 0,
  };
  if (index === undefined) list.frame = owner?.list.frame;
  else {
    const item =
      plan.role === 'body' && owner?.fields ? owner.plan.type.container?.item?.(owner.fields, index) : undefined;
    list.item = item;
    list.frame = { list: plan, prefix: list.prefix, index, item, outer: owner?.list.frame };
  }
  return list;
}

/** What is begun anew in a list counts its attempts on: a late result of an old one must not pass for a new one's. */
function keepNumbers(state: RunState, list: ListState): void {
  for (const plan of list.plan.steps) {
    const step = state.steps.get(list.prefix + plan.id);
    if (!step) continue;
    for (const inner of step.lists.values()) keepNumbers(state, inner);
    const { path, attempt, attempts } = step.row;
    if (attempt > 0) state.former.set(path, { attempt, attempts });
  }
}

/** What was open of a step's own work is over. */
function giveUpLists(step: StepState): void {
  for (const list of step.lists.values())
    if (list.status === 'open' && list.plan.role === 'body') list.status = 'cancelled';
}

/** What each entry about a step does to the state, in place. */
export const STEP_EVENTS: Record<string, (state: RunState, step: StepState, at: number, data: JsonObject) => void> = {
  'step.skipped': (state, step, at, data) => {
    step.skip = data.kind as SkipKind;
    step.row.reason = data.reason as string;
    step.row.endedAt = at;
    if (data.error) step.row.error = data.error as unknown as ErrorInfo;
    setStatus(state, step, 'skipped');
  },
  'step.started': (state, step, at, data) => {
    const attempt: Attempt = { number: data.attempt as number, startedAt: at };
    step.letIn = true;
    step.row.attempt = attempt.number;
    step.row.attempts = [...step.row.attempts, attempt];
    step.row.startedAt ??= at;
    step.row.effect = (data.effect ?? step.row.effect) as EffectClass;
    if (isObject(data.input)) {
      step.fields = data.input;
      step.row.input = data.input;
    }
    step.unknown = undefined;
    step.cacheKey = data.cacheKey as string | undefined;
    step.reserve = data.reserve as unknown as StepState['reserve'];
    setStatus(state, step, 'running');
    step.inFlight = true;
    step.retryAt = undefined;
    step.deadline = typeof data.timeoutMs === 'number' ? at + data.timeoutMs : undefined;
    if (step.deadline !== undefined) state.due.add(step);
    else state.due.delete(step);
  },
  'step.attempt': (state, step, at, data) => {
    closeAttempt(step, at, data);
    spendOwn(state, step, data, at);
    if (data.tabs) state.tabs = data.tabs as unknown as RunTabs;
    if (data.output !== undefined) step.row.output = data.output;
    if (data.acted === true) {
      state.covers.delete(step.row.path);
      step.acted = true;
    }
    step.failures += 1;
    step.inFlight = false;
    state.children.delete(step);
    step.deadline = undefined;
    step.retryAt = typeof data.delayMs === 'number' ? at + data.delayMs : undefined;
    if (step.retryAt !== undefined && (step.plan.type.container || step.plan.type.wait)) {
      // Backoff is part of being at work.
      setStatus(state, step, 'running');
      setMode(state, step, 'work');
      if (!step.plan.calls) giveUpLists(step);
    }
    if (step.retryAt !== undefined) state.due.add(step);
    else state.due.delete(step);
  },
  'step.interrupted': (state, step, at, data) => {
    closeAttempt(step, at, data);
    spendOwn(state, step, data, at);
    if (data.tabs) state.tabs = data.tabs as unknown as RunTabs;
    step.unknown = data.unknown
      ? { error: data.error as unknown as ErrorInfo, ask: data.ask === true || undefined }
      : undefined;
    setStatus(state, step, 'pending');
  },
  'step.waiting': (state, step, _at, data) => {
    // The question what became of it lets nothing in.
    if ((data.wait as unknown as Wait).kind !== 'recovery') step.letIn = true;
    step.row.startedAt ??= _at;
    if (isObject(data.input)) {
      step.fields = data.input;
      step.row.input = data.input;
    }
    setStatus(state, step, 'waiting');
    step.row.wait = data.wait as unknown as Wait;
    if (step.row.wait.due !== undefined) state.due.add(step);
  },
  'step.resumed': (state, step, _at, data) => {
    // `known`: the question whether it acted is answered.
    if (data.known === true) step.unknown = undefined;
    if (data.failed === true) step.failures += 1;
    setStatus(state, step, 'pending');
  },
  'step.opened': (state, step, at, data) => {
    step.letIn = true;
    step.fields = (data.input ?? {}) as JsonObject;
    step.row.input = data.input;
    step.row.startedAt ??= at;
    step.opened = 0;
    step.outcomes = [];
    step.firstFailed = undefined;
    step.lists.clear();
    setStatus(state, step, 'running');
    if (typeof data.timeoutMs === 'number') {
      step.deadline = at + data.timeoutMs;
      state.due.add(step);
    }
  },
  'step.completed': (state, step, at, data) => {
    closeAttempt(step, at, data);
    spendOwn(state, step, data, at);
    if (isObject(data.input)) step.row.input = data.input;
    if (data.tabs) state.tabs = data.tabs as unknown as RunTabs;
    if (data.degraded === true) step.row.degraded = true;
    if (typeof data.cachedAt === 'number') step.row.cachedAt = data.cachedAt;
    if (isObject(data.saved)) noteSaved(state.run, step.row, data.saved as unknown as Usage);
    if (typeof data.signal === 'number') state.signals.splice(data.signal, 1);
    step.row.startedAt ??= at;
    step.row.endedAt = at;
    step.row.output = data.output ?? null;
    step.unknown = undefined;
    step.done = state.completions++;
    state.covers.delete(step.row.path);
    setStatus(state, step, 'completed');
  },
  'step.failed': (state, step, at, data) => {
    closeAttempt(step, at, data);
    spendOwn(state, step, data, at);
    step.row.error = data.error as unknown as ErrorInfo;
    step.row.endedAt = at;
    step.handled = data.handled === true;
    if (data.output !== undefined) step.row.output = data.output;
    if (!step.handled) {
      const error = step.row.error;
      step.list.error ??= { ...error, step: error.step ?? step.row.path };
    }
    // It may have acted: what was approved for it is used up.
    if (step.row.error.code === 'interrupted') state.covers.delete(step.row.path);
    setStatus(state, step, 'failed');
  },
  'step.cancelled': (state, step, at, data) => {
    closeAttempt(step, at, { error: { code: 'cancelled', message: data.reason as string } });
    step.row.reason = data.reason as string;
    step.row.endedAt = at;
    step.unknown = data.unknown === true ? { error: { code: 'cancelled', message: data.reason as string } } : undefined;
    setStatus(state, step, 'cancelled');
  },
  'step.holding': (state, step, _at, data) => {
    state.children.delete(step);
    step.holding = data.why as StepState['holding'];
    step.failedWith = data.error as unknown as ErrorInfo;
    // What it was bound by is over with its attempt; what it held was given up.
    step.retryAt = undefined;
    step.deadline = undefined;
    giveUpLists(step);
    setStatus(state, step, 'running');
  },
  /** An attempt of a step that holds others or waits, where its attempts count. */
  'attempt.began': (state, step, at, data) => {
    step.letIn = true;
    step.row.attempt = data.attempt as number;
    step.row.attempts = [...step.row.attempts, { number: step.row.attempt, startedAt: at }];
    step.retryAt = undefined;
    state.due.delete(step);
  },
  /** Nothing goes on from it: the revision that the run goes on under has no such step, or what holds it begins anew. */
  'step.left': (_state, step, _at, data) => {
    step.row.status = 'cancelled';
    step.row.reason = data.reason as string;
  },
  'step.reset': (state, step, _at, data) => {
    setStatus(state, step, 'pending');
    step.letIn = undefined;
    step.row.error = undefined;
    step.row.endedAt = undefined;
    step.row.reason = undefined;
    step.row.degraded = undefined;
    step.row.cachedAt = undefined;
    step.row.saved = undefined;
    step.failures = 0;
    step.acted = undefined;
    step.handled = undefined;
    step.skip = undefined;
    step.failedWith = undefined;
    step.review = undefined;
    if (data.anew === true) {
      for (const list of step.lists.values()) {
        keepNumbers(state, list);
        forget(state, list);
      }
      step.opened = 0;
      step.outcomes = [];
      step.firstFailed = undefined;
      step.rounds = undefined;
    }
    if (!step.plan.type.container || data.anew === true) step.lists.clear();
  },
  'step.reopened': (state, step, at, data) => {
    step.row.error = undefined;
    step.row.endedAt = undefined;
    step.row.reason = undefined;
    step.handled = undefined;
    step.failedWith = undefined;
    // By a retry of the run; `again` is a further attempt of the step itself.
    if (data.again !== true) step.failures = 0;
    setStatus(state, step, 'running');
    if (typeof data.timeoutMs === 'number') {
      step.deadline = at + data.timeoutMs;
      state.due.add(step);
    }
  },
  'approval.requested': (_state, step, _at, data) => {
    step.approval = data.approval as unknown as ApprovalRow;
  },
  'approval.edited': (_state, step, _at, data) => {
    step.approval = data.approval as unknown as ApprovalRow;
  },
  'approval.decided': (state, step, _at, data) => {
    const approval = { ...(data.approval as unknown as ApprovalRow) };
    step.approval = approval;
    if (approval.status === 'approved') {
      for (const act of approval.covers) {
        const known = state.covers.get(act.path) ?? new Map();
        state.covers.set(act.path, known.set(approval.gate, { act, approvalId: approval.approvalId }));
      }
      state.refused.delete(step.row.path);
    } else {
      for (const act of approval.covers) state.covers.get(act.path)?.delete(approval.gate);
      state.refused.add(step.row.path);
    }
  },
  'approval.closed': (_state, step, at, data) => {
    const status = data.status as ApprovalRow['status'];
    const closed = typeof data.by === 'string' ? { at, by: data.by } : { at };
    if (step.approval) step.approval = { ...step.approval, status, closed };
  },
  'review.decided': (_state, step, _at, data) => {
    const { round, comment, payload } = data as { round: number; comment: string; payload?: Json };
    step.review = { round, comment, content: payload ?? null };
  },
  'attempt.late': () => {},
};
