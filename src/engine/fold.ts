import type { ErrorInfo } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { PinnedDocument } from '../model/knowledge.ts';
import type { RunRow, RunTabs } from '../model/run.ts';
import { planAt } from './calls/around.ts';
import { CALL_EVENTS } from './calls/fold.ts';
import { CHILD_EVENTS } from './children/fold.ts';
import { planKey } from './entries/link.ts';
import { LIST_EVENTS } from './fold-lists.ts';
import { REUSE_EVENTS } from './fold-reused.ts';
import { listOf, openList, STEP_EVENTS, stepState } from './fold-steps.ts';
import { moveTo } from './newer/move.ts';
import type { Plan } from './plan.ts';
import { holdsOthers, type RunState, type StepState } from './state.ts';
import { NO_USAGE } from './usage.ts';

/** A journal entry before it has its number and hash. Large values are still in place. */
export interface Entry {
  type: string;
  at: number;
  path?: string;
  data: JsonObject;
}

type Touch = (step: StepState) => void;

/**
 * State of a run from its first entry, `run.created`.
 * @param plan of the revision that it started with
 * @param plans of other revisions that it was retried under
 */
export function createState(
  plan: Plan,
  runId: string,
  created: Entry,
  plans: ReadonlyMap<string, Plan> = new Map(),
): RunState {
  const data = created.data as unknown as Pick<
    RunRow,
    'workflowId' | 'workflowName' | 'revision' | 'input' | 'inputHash' | 'trigger' | 'startKey' | 'parent' | 'rerunOf'
  > & { tabs?: RunTabs; pins?: Record<string, string>; documents?: PinnedDocument[] };
  const run: RunRow = {
    runId,
    workflowId: data.workflowId,
    workflowName: data.workflowName,
    revision: data.revision,
    status: 'queued',
    waitingFor: [],
    input: data.input,
    trigger: data.trigger,
    startKey: data.startKey,
    inputHash: data.inputHash,
    parent: data.parent,
    rerunOf: data.rerunOf,
    createdAt: created.at,
    activeMs: 0,
    seq: 0,
    head: '',
    usage: NO_USAGE,
  };
  return {
    plan,
    plans: new Map(plans).set(plan.key, plan),
    former: new Map(),
    run,
    steps: new Map(),
    order: 0,
    activeLimit: plan.timeoutMs,
    completions: 0,
    paused: false,
    working: 0,
    waiting: 0,
    lastAt: created.at,
    signals: [],
    covers: new Map(),
    refused: new Set(),
    documents: data.documents ?? [],
    tabs: data.tabs ?? { list: [], next: 1 },
    spent: new Map(),
    spentIn: new Set(),
    budget: plan.workflow.budget,
    due: new Set(),
    children: new Set(),
    pins: data.pins ?? {},
    passage: 1,
    busy: new Set(),
  };
}

const RUN_EVENTS: Record<string, (state: RunState, at: number, data: JsonObject, touch: Touch) => void> = {
  'run.created': () => {},
  'run.started': (state, at) => {
    state.run.startedAt = at;
    state.run.status = 'running';
    state.root = openList(undefined, state.plan.root, undefined);
  },
  'run.paused': (state, at, data) => {
    state.paused = true;
    state.pausedSince = at;
    state.pausedBy = data.by as string | undefined;
  },
  'run.resumed': (state, at) => {
    state.paused = false;
    // Nothing new could start meanwhile, so it uses up nobody's time.
    extend(state, at - (state.pausedSince ?? at));
    state.pausedSince = undefined;
  },
  'run.recovered': (state, at, data) => {
    // `gone`: of a run in which nothing was at work. The time of a pause is given when that ends.
    if (!state.paused) extend(state, typeof data.gone === 'number' ? data.gone : at - state.lastAt);
    if (state.activeSince === undefined) return;
    // Nobody worked between the last event and now: that time is not active (SPEC §6, *Time*).
    state.run.activeMs += state.lastAt - state.activeSince;
    state.activeSince = at;
  },
  'run.stalled': (state, at) => {
    // The store could not be written to since the last event: nobody could go on, so that time is not active and uses up no step's own.
    for (const step of state.due) if (step.deadline !== undefined) step.deadline += at - state.lastAt;
    if (state.activeSince === undefined) return;
    state.run.activeMs += state.lastAt - state.activeSince;
    state.activeSince = at;
  },
  'run.retried': (state, _at, data, touch) => {
    state.run.status = 'running';
    state.run.endedAt = undefined;
    state.run.error = undefined;
    state.run.activeMs = 0;
    state.failing = undefined;
    if (state.root) {
      state.root.status = 'open';
      state.root.error = undefined;
    }
    state.paused = data.paused === true;
    if (typeof data.passage === 'number') state.passage = data.passage;
    if (typeof data.revision !== 'string') return;
    const plan = state.plans.get(planKey(data.revision, (data.pins ?? {}) as Record<string, string>));
    if (!plan) throw new Error(`revision ${data.revision.slice(0, 12)} is missing`);
    moveTo(state, plan, data, touch);
  },
  'run.undoing': (state, at, data) => {
    state.undo = { status: data.status as 'failed' | 'cancelled', error: data.error as unknown as ErrorInfo };
    state.run.undoing = true;
    const active = state.activeSince === undefined ? 0 : at - state.activeSince;
    state.activeLimit = state.run.activeMs + active + state.plan.timeoutMs;
  },
  'run.ended': (state, at, data) => {
    state.run.status = data.status as RunRow['status'];
    state.run.endedAt = at;
    if (data.output !== undefined) state.run.output = data.output;
    state.run.error = data.error as unknown as ErrorInfo | undefined;
    state.run.undoing = undefined;
    state.paused = false;
    state.failing = undefined;
    if (state.root)
      state.root.status = data.status === 'completed' || data.status === 'partial' ? 'completed' : 'failed';
  },
  'run.budget': (state, _at, data) => {
    state.budget = { ...state.budget, ...(data.limit as RunState['budget']) };
  },
  'signal.received': (state, at, data) => {
    state.signals.push({ name: data.name as string, payload: (data.payload ?? null) as Json, at });
  },
  /** By a wait that could do nothing with it. */
  'signal.used': (state, _at, data) => {
    state.signals.splice(data.signal as number, 1);
  },
};

/** Gives the steps that hold others more time. */
function extend(state: RunState, ms: number): void {
  for (const step of state.due) if (holdsOthers(step) && step.deadline !== undefined) step.deadline += ms;
}

/**
 * Folds one entry into the state, in place. `touch` is told of every step whose row changed. Total: an entry about a step that the
 * plan does not know is an error of the store and throws.
 */
export function applyEntry(state: RunState, entry: Entry, touch: Touch = () => {}): void {
  const onRun = RUN_EVENTS[entry.type];
  if (onRun) onRun(state, entry.at, entry.data, touch);
  else {
    const { type } = entry;
    const handler =
      STEP_EVENTS[type] ?? LIST_EVENTS[type] ?? CHILD_EVENTS[type] ?? REUSE_EVENTS[type] ?? CALL_EVENTS[type];
    const path = entry.path as string;
    const plan = planAt(state.plan, path);
    if (!handler || !plan)
      throw new Error(`The journal holds an entry that this version does not know: ${entry.type} ${path}`);
    const known = state.steps.get(path);
    const list = known?.list ?? listOf(state, plan.list, path);
    if (!list) throw new Error(`The journal speaks of ${path} before its list was opened`);
    const step = known ?? stepState(state, list, plan);
    handler(state, step, entry.at, entry.data);
    // The row of a step says nothing of its lists: that of a loop, with all its items, need not be written with each of them.
    if (!type.startsWith('list.')) touch(step);
    // What a call has spent is its agent's too.
    if (plan.call && entry.data.usage && step.list.owner) touch(step.list.owner);
  }
  account(state, entry.at);
}

/** Keeps the active time (SPEC §6, *Time*): while at least one attempt, or backoff of a run that is not paused, is under way. */
function account(state: RunState, at: number): void {
  let active = state.working > 0;
  if (active && state.paused) active = [...state.due].some((step) => step.inFlight);
  if (active) state.activeSince ??= at;
  else if (state.activeSince !== undefined) {
    state.run.activeMs += at - state.activeSince;
    state.activeSince = undefined;
  }
  state.lastAt = at;
}

export { isFinal, listOf } from './fold-steps.ts';
