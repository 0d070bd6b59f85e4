import type { ErrorInfo } from '../model/errors.ts';
import type { JournalEvent } from '../model/events.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { PinnedDocument } from '../model/knowledge.ts';
import type { ApprovalRow, CoveredAct, RunRow, RunTabs, StepRunRow, Usage, WaitKind } from '../model/run.ts';
import type { SpendingRow } from '../model/spending.ts';
import type { WorkflowDefinition } from '../model/workflow.ts';
import type { Spending } from './budget.ts';
import type { Former } from './newer/move.ts';
import type { Plan, PlanList, PlanStep } from './plan.ts';

/** Why a skipped step is skipped. Only `edges` cuts the edges that leave it (SPEC §3). */
export type SkipKind = 'edges' | 'when' | 'error' | 'branch' | 'empty';

/** The run that a `subworkflow` step has called, as this run last heard of it. */
export interface ChildCall {
  runId: string;
  /** Revision that a new run of it starts with. */
  revision: string;
  /** How often the step has begun anew because the run before could not be gone on with. */
  generation: number;
  /** Generation that the run belongs to: as long as it is the present one, the next call goes on with this run. */
  of: number;
  /** How often it was called: a retry goes on with the same run, and only what it says after that counts. */
  passage: number;
  /** It is at work; else it only waits. */
  active: boolean;
  waitingFor: WaitKind[];
  /** What of its spending is counted in this run. */
  spent: Usage;
}

/** One instance of a step in this run. Exists from the moment something happened to it; before, it is pending. */
export interface StepState {
  plan: PlanStep;
  row: StepRunRow;
  list: ListState;
  skip?: SkipKind;
  /** A failure that `onError: continue` or a container has taken: its edges stay live. */
  handled?: boolean;
  /** What it counts as in its lists: a step that holds lists counts as nothing itself. */
  mode: 'none' | 'work' | 'wait';
  /** A leaf step that holds a list for the moment: its fallback, or the look whether it acted. */
  holding?: 'fallback' | 'verify' | 'cached' | 'revise';
  /** Its edges and its condition have let it in, and hold for it until it is begun again. */
  letIn?: boolean;
  /** Failed attempts so far in this passage, for the retry policy. */
  failures: number;
  /** It did what must not be done twice, and failed all the same. */
  acted?: boolean;
  /** In a round of it that is over, and no longer held here, something has acted or may have. */
  actsInside?: boolean;
  /** An attempt is under way: intent stored, no result. */
  inFlight: boolean;
  /** Under what its result is kept, and an earlier one found. */
  cacheKey?: string;
  /** What the attempt under way may spend of the run's budget. */
  reserve?: Spending;
  /** When the backoff ends. */
  retryAt?: number;
  /** When the attempt's time is up. */
  deadline?: number;
  /** Its place in the order of completion. */
  done?: number;
  /** Resolved fields, as the step began with them. */
  fields?: JsonObject;
  /** Containers: open and settled lists by name or `name[index]`. */
  lists: Map<string, ListState>;
  /** Containers of items: how many were opened so far, and how each ended. */
  opened: number;
  outcomes: Outcome[];
  firstFailed?: Outcome;
  /** Of rounds that are forgotten: how many each numbered list inside had at most, by the list's id. */
  rounds?: Record<string, number>;
  /** Interrupted *once* step: what it waits to know. `ask`: a person retries the run, so a person is asked whatever `onInterrupted` says. */
  unknown?: { error: ErrorInfo; ask?: boolean };
  /** Approvals that this step, as a gate or as a covered act, asked for; the newest last. */
  approval?: ApprovalRow;
  /** What the last reviewer said: the round it opened, the comment, and what was read. */
  review?: { round: number; comment: string; content: Json };
  /** Lists of revisions opened so far, over all passages. */
  revisions?: number;
  /** Stays when the call is over: a retry goes on with it. */
  child?: ChildCall;
  /** The failure that its `fallback` list stands in for. */
  failedWith?: ErrorInfo;
}

export interface Outcome {
  name: string;
  index?: number;
  status: 'completed' | 'failed';
  output: Json;
  error?: ErrorInfo;
}

/** One instance of a step list. */
export interface ListState {
  plan: PlanList;
  /** Path of the owning step; undefined for the root. */
  owner?: StepState;
  index?: number;
  item?: Json;
  /** Put before a step's id to make its path. */
  prefix: string;
  /** Steps not settled yet. */
  left: number;
  status: 'open' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** First failure that nobody took. */
  error?: ErrorInfo;
  /** Leaf steps of this list and below that are at work (attempt or backoff), or only wait. */
  working: number;
  waiting: number;
  /** What the call in it was asked for, in a list of an agent. */
  input?: JsonObject;
  /** The innermost numbered list around its steps: itself or the owner's. */
  frame?: Frame;
}

/** One round of a numbered list (a loop's item, a verify attempt), as far as names and paths need it. */
export interface Frame {
  list: PlanList;
  prefix: string;
  index: number;
  item?: Json;
  outer?: Frame;
}

/** A run as the fold of its journal. Owned by one machine; the fold changes it in place, so that cost per event stays flat. */
export interface RunState {
  /** Of the revision that it runs under at the moment. */
  plan: Plan;
  /** Plans of other revisions that its journal speaks of, by their keys. */
  plans: Map<string, Plan>;
  /** Steps that an earlier revision had at a path, as far as their attempts count on. */
  former: Map<string, Former>;
  run: RunRow;
  root?: ListState;
  steps: Map<string, StepState>;
  order: number;
  paused: boolean;
  /** Since when, while it is paused. */
  pausedSince?: number;
  /** Who paused it. */
  pausedBy?: string;
  /** Leaf steps at work, in all. */
  working: number;
  waiting: number;
  /** Since when the run is active, and when the last event was. */
  activeSince?: number;
  lastAt: number;
  /** Signals that came before their wait. */
  signals: { name: string; payload: Json; at: number }[];
  /** Acts that a person approved, by path; gone once done. */
  covers: Map<string, Map<string, { act: CoveredAct; approvalId: string }>>;
  /** Paths of gates that were rejected: their covered steps must not act. */
  refused: Set<string>;
  tabs: RunTabs;
  /** Documents that the workflow names, as they were when the run started. */
  documents: readonly PinnedDocument[];
  /** What its own model calls have used, by month, and the months in which that is not written yet. */
  spent: Map<string, SpendingRow>;
  spentIn: Set<string>;
  /** The workflow's budget, as it was raised since. */
  budget?: WorkflowDefinition['budget'];
  /** Steps with a due time or an intent, to look at on a tick. */
  due: Set<StepState>;
  /** Steps whose call of another workflow is under way. */
  children: Set<StepState>;
  /** Revisions of the workflows that it may call, by id, at any depth. */
  pins: Record<string, string>;
  /** For a run that was called: how often. */
  passage: number;
  /** Leaf steps that work or wait. */
  busy: Set<StepState>;
  failing?: ErrorInfo;
  /** A rollback is under way: how the run will end, and what of the rollback itself has failed. */
  undo?: { status: 'failed' | 'cancelled'; error: ErrorInfo; failed?: ErrorInfo };
  /** Active time that the run may have in all, milliseconds. */
  activeLimit: number;
  /** Steps that have completed so far. */
  completions: number;
}

export function listKey(name: string, index: number | undefined): string {
  return index === undefined ? name : `${name}[${index}]`;
}

/** Path prefix of the steps in a list. */
export function prefixOf(plan: PlanList, owner: StepState | undefined, index: number | undefined): string {
  if (!owner) return '';
  return plan.kind === 'items' ? `${owner.row.path}[${index}]/` : owner.list.prefix;
}

/** What is done about an attempt of which it is not known whether it acted. */
export function onInterruptedOf({ plan, row }: StepState): 'retry' | 'ask' | 'fail' {
  return plan.def.onInterrupted ?? (row.effect === 'once' ? 'ask' : 'retry');
}

/** Whether a step has an output, or was passed over for good: nothing of it begins again. */
export function isTaken({ row, handled }: StepState): boolean {
  return row.status === 'completed' || row.status === 'skipped' || (row.status === 'failed' && handled === true);
}

/** Whether its time goes on only while what it holds can go on: not in a pause, nor while the engine is away. */
export function holdsOthers({ plan: { type } }: StepState): boolean {
  return type.container !== undefined || type.child === true;
}

/** Earliest moment at which something happens by itself, or undefined. */
export function nextDue(state: RunState): number | undefined {
  let due: number | undefined;
  const take = (at: number | undefined): void => {
    if (at !== undefined && (due === undefined || at < due)) due = at;
  };
  for (const step of state.due) {
    // Nothing new starts while paused, so a backoff that ends then is not due.
    if (!state.paused) take(step.retryAt);
    if (!state.paused || !holdsOthers(step)) take(step.deadline);
    take(step.row.wait?.due);
  }
  if (state.activeSince !== undefined) take(state.activeSince + (state.activeLimit - state.run.activeMs));
  return due;
}

export type { JournalEvent };

/** Lists of a step's own work that have failed or were cut off: a further attempt goes on with these. */
export function unfinished(step: StepState): ListState[] {
  return [...step.lists.values()].filter(
    ({ plan, status }) => plan.role === 'body' && (status === 'failed' || status === 'cancelled'),
  );
}
