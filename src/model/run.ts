import type { EffectClass } from './effect.ts';
import type { ErrorInfo } from './errors.ts';
import type { Json, JsonObject } from './json.ts';

/** SPEC §6. */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'partial' | 'failed' | 'cancelled';
export type StepStatus = 'pending' | 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';
export type WaitKind =
  | 'approval'
  | 'review'
  | 'task'
  | 'signal'
  | 'timer'
  | 'page'
  | 'budget'
  | 'recovery'
  | 'permission'
  | 'tool_change';

export const FINAL_RUN: readonly RunStatus[] = ['completed', 'partial', 'failed', 'cancelled'];
export const FINAL_STEP: readonly StepStatus[] = ['completed', 'failed', 'skipped', 'cancelled'];

/** Tokens and money. `usd` is absent where no price is known; `estimated` marks counts that did not come from the provider. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  usd?: number;
  estimated?: boolean;
}

/** Why a step waits, as data: a row with a due time or a subject, nothing in memory. Times are epoch milliseconds. */
export interface Wait {
  kind: WaitKind;
  since: number;
  /** When it ends by itself, if ever. */
  due?: number;
  /** What is waited for: an approval id, a signal's name, an origin. */
  subject?: string;
  /** One readable line ("waiting for approval of Send it?"). */
  reason?: string;
  data?: Json;
}

/** One attempt of a step, as recorded (SPEC §4). */
export interface Attempt {
  number: number;
  startedAt: number;
  endedAt?: number;
  error?: ErrorInfo;
  /** Milliseconds of backoff that followed. */
  delayMs?: number;
  usage?: Usage;
  /** What the step type keeps about the attempt (prompt and reply, matched target). No secrets. */
  meta?: Json;
}

/** A tab of a run. `tab` is the run's own id ("t1"); `browserTabId` means something only in the browser session `session`. */
export interface RunTab {
  tab: string;
  browserTabId: number;
  /** Marks one life of the browser; after a relaunch the tab is *lost*. */
  session: string;
  url: string;
  title: string;
  windowId?: number;
  closed?: 'run' | 'person';
  /** The run has changed fields of the page in it: they hold what it put there, or were `lost` when the tab was opened again. */
  filled?: 'here' | 'lost';
  /** What it has put there, in order, so that it can be put there again; and the address of the page then. */
  fields?: FieldAct[];
  filledAt?: string;
  /** Why putting it there again would not bring the page back: a *once* act changed the page too, or it was too much to remember. */
  unrestorable?: 'acted' | 'too_much';
  /** Mark of the document that all this is about. */
  page?: string;
}

/** One act on a field of a page, as it can be done again. */
export interface FieldAct {
  action: string;
  /** As the step gave them, secrets as placeholders. */
  arguments: JsonObject;
  /** Where a secret goes into the arguments (a JSON pointer), and by which name: never a value. */
  secrets?: { at: string; parts: (string | { name: string })[] }[];
  /** Origin of the document that the field is in. */
  origin: string;
}

/** The tabs of a run as a whole; replaced by each browser action's result. */
export interface RunTabs {
  list: RunTab[];
  /** Id of the current tab. */
  current?: string;
  /** Number for the next id. */
  next: number;
  /** Window of the run's own, if it has one. */
  windowId?: number;
}

/** A large value kept once by content: SHA-256 of its canonical JSON, and its length in characters. */
export interface BlobRef {
  hash: string;
  size: number;
}

/** Projection of one step run, written in the same transaction as its events. */
export interface StepRunRow {
  runId: string;
  path: string;
  stepId: string;
  type: string;
  name: string;
  status: StepStatus;
  effect: EffectClass;
  attempt: number;
  attempts: Attempt[];
  wait?: Wait;
  output?: Json;
  /** Set instead of `output` or `input` where that is larger than 8 KB: the blob that holds its canonical JSON. */
  outputRef?: BlobRef;
  inputRef?: BlobRef;
  error?: ErrorInfo;
  degraded?: boolean;
  /** Its output is that of an earlier run. */
  reused?: boolean;
  /** Its output is of an earlier time, epoch milliseconds (`cache`). */
  cachedAt?: number;
  /** What that result had cost, and this run has not spent. */
  saved?: Usage;
  /** Why it is skipped or cancelled. */
  reason?: string;
  /** Resolved fields of the last attempt, secrets as placeholders. */
  input?: Json;
  usage?: Usage;
  startedAt?: number;
  endedAt?: number;
  /** The run of another workflow that is its work (`subworkflow`). */
  child?: string;
  /** Order of first appearance within the run. */
  order: number;
}

/** Projection of a run, for lists and alarms. */
export interface RunRow {
  runId: string;
  workflowId: string;
  workflowName: string;
  /** That it runs under now, or last did. */
  revision: string;
  /** All that it has run under, oldest first, where it was retried under a newer one. */
  revisions?: string[];
  status: RunStatus;
  /** Kinds of what it waits for while `waiting`. */
  waitingFor: WaitKind[];
  /** The run's input; empty where `inputRef` stands for it. */
  input: JsonObject;
  inputRef?: BlobRef;
  trigger: JsonObject;
  startKey?: string;
  /** Hash of the input, for the idempotent start. */
  inputHash: string;
  /** The run and step that called it; `root` is the outermost run, `prefix` the path from there. */
  parent?: { runId: string; path: string; root: string; prefix: string };
  /** The run whose outputs it uses again, and the step from which it goes on by itself. */
  rerunOf?: { runId: string; from: string };
  /** It has called other workflows. */
  children?: boolean;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
  /** Active time so far (SPEC §6, *Time*), milliseconds. */
  activeMs: number;
  /** It has failed or was cancelled, and what it did is being undone. */
  undoing?: boolean;
  /** Next time something is due, for the alarm. */
  nextDue?: number;
  /** Number and hash of the last event. */
  seq: number;
  head: string;
  output?: Json;
  outputRef?: BlobRef;
  error?: ErrorInfo;
  usage: Usage;
  /** What earlier results that were used again had cost (`cache`). */
  saved?: Usage;
  /** Path of a step that is now at work or waited for, for lists. */
  current?: string;
  tabs?: RunTabs;
}

/** What a person is asked (SPEC §6, *Approval*). `hash` binds the decision to exactly this. */
export interface ApprovalRow {
  approvalId: string;
  runId: string;
  path: string;
  /** Id of the gate that asks, or on whose behalf a covered act that had changed is asked about again. */
  gate: string;
  workflowId: string;
  workflowName: string;
  revision: string;
  title: string;
  message: string;
  risk: 'reversible' | 'irreversible' | 'money' | 'message';
  requiredRole: string;
  /** What is shown; with `editable` an object. */
  show?: Json;
  editable?: JsonObject;
  covers: CoveredAct[];
  hash: string;
  createdAt: number;
  expiresAt: number;
  /** Where an *always* may be given with the yes: the sites that it would hold for. */
  standing?: { origins: string[] };
  /** Set when this one replaces an approval whose acts had changed. */
  replaces?: { hash: string; reason: string };
  status: 'pending' | 'approved' | 'rejected' | 'expired' | 'cancelled' | 'replaced';
  /** When it was closed without a decision; by whom, where somebody cancelled its run. */
  closed?: { at: number; by?: string };
  decision?: {
    decision: 'approved' | 'rejected';
    by: string;
    at: number;
    comment: string;
    surface?: string;
    edits?: JsonObject;
    /** The standing rule that the person gave with this decision. */
    gave?: string;
    /** The standing rule that decided, who gave it and when; `by` is then `rule:<id>`. */
    rule?: { ruleId: string; by: string; givenAt: number };
  };
}

/** One act that an approval covers, as shown and hashed. */
export interface CoveredAct {
  path: string;
  stepId: string;
  name: string;
  type: string;
  action?: string;
  /** Resolved arguments, secrets as placeholders. */
  arguments: Json;
  tab?: string;
  origin?: string;
}

/** An earlier result of a step with `cache`, to be used again (SPEC §4). */
export interface CacheRow {
  /** Hash of what makes two results equal. */
  key: string;
  workflowId: string;
  output: Json;
  /** What the attempt that gave it had used. */
  usage?: Usage;
  at: number;
  /** Until when it may be used instead of the work itself; after that only by `fallback: {cached: true}`. */
  until: number;
}

/** A kept file. Its bytes live once by content hash in the blob store. */
export interface ArtifactRow {
  artifactId: string;
  runId: string;
  path: string;
  name: string;
  mediaType: string;
  size: number;
  sha256: string;
  createdAt: number;
}
