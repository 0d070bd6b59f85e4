import type { InboxCommand } from '../model/commands.ts';
import type { JournalEvent } from '../model/events.ts';
import type { JsonObject } from '../model/json.ts';
import type {
  KnowledgeIndex,
  KnowledgeIndexChange,
  KnowledgePassage,
  KnowledgeRow,
  KnowledgeWrite,
} from '../model/knowledge.ts';
import type { OutboxEntry, OutboxRow } from '../model/outbox.ts';
import type { ListedRule, RuleUse, StandingRule } from '../model/rules.ts';
import type { ApprovalRow, ArtifactRow, CacheRow, RunRow, RunStatus, StepRunRow } from '../model/run.ts';
import type { Revision } from '../model/workflow.ts';

/** One transition of a run with everything that belongs to it: written whole or not at all. */
export interface Commit {
  runId: string;
  /** Added, never put: a `seq` that is already there rejects the whole commit with `StoreConflict`. */
  events: JournalEvent[];
  run: RunRow;
  steps: StepRunRow[];
  /** Paths whose rows are removed. */
  dropSteps?: string[];
  approvals: ApprovalRow[];
  artifacts: { row: ArtifactRow; bytes: Uint8Array }[];
  /** Large outputs by content hash. */
  blobs: { hash: string; text: string }[];
  /** Results to be used again, written over older ones. */
  cache?: CacheRow[];
  /** Writes to the knowledge base, in order. */
  knowledge?: KnowledgeWrite[];
  /** Commands consumed by this commit, with their results. */
  inbox: InboxCommand[];
  /** What is told to people, written over what has the same id. */
  outbox?: OutboxRow[];
  /** Standing rules that a person gave with a decision of this commit. */
  rules?: StandingRule[];
  /** Decisions of this commit that standing rules took. */
  ruleUses?: RuleUse[];
  /** Ask the store to be on disk before it answers (intents of *once* effects, decisions, the end of a run). */
  strict: boolean;
}

/** Thrown by `commit` when another engine has written the same `[runId, seq]`. `name` is `StoreConflict`. */
export interface StoreConflict extends Error {
  name: 'StoreConflict';
  runId: string;
}

/** A stored workflow: the pointer to its newest revision, and whether it may run. */
export interface WorkflowRow {
  workflowId: string;
  name: string;
  revision: string;
  enabled: boolean;
  /** Set for a file with errors, kept to be finished: it cannot be switched on or run. */
  draft?: boolean;
  createdAt: number;
  updatedAt: number;
}

/**
 * The engine's database. Every method rejects with an `Error` when the store fails; none returns half of a transaction.
 * `memory` is the reference; `dexie` must pass the same contract suite.
 */
export interface Store {
  /** Writes commits; those asked for in one micro-task may share one transaction. Resolves once written. */
  commit(commit: Commit): Promise<void>;

  run(runId: string): Promise<RunRow | undefined>;
  /** Newest first. `outermost`: without those that other runs have called. */
  runs(query?: {
    status?: RunStatus[];
    workflowId?: string;
    limit?: number;
    before?: number;
    outermost?: boolean;
  }): Promise<RunRow[]>;
  runByStartKey(workflowId: string, key: string): Promise<RunRow | undefined>;
  /** Events in order of `seq`, from `after` (exclusive, default 0). */
  events(runId: string, after?: number): Promise<JournalEvent[]>;
  /** Step runs of a run in `order`. */
  steps(runId: string): Promise<StepRunRow[]>;
  /** The step run at a path of a run. */
  step(runId: string, path: string): Promise<StepRunRow | undefined>;
  approvals(query: { status?: ApprovalRow['status']; runId?: string; limit?: number }): Promise<ApprovalRow[]>;
  artifact(artifactId: string): Promise<{ row: ArtifactRow; bytes: Uint8Array } | undefined>;
  artifacts(runId: string): Promise<ArtifactRow[]>;
  blob(hash: string): Promise<string | undefined>;
  /** An earlier result, also one whose time is up. */
  cached(key: string): Promise<CacheRow | undefined>;
  /** Removes results whose time was up before a moment, epoch milliseconds. */
  forgetCached(before: number): Promise<void>;

  /** Appends a command; one whose id is there already is left as it is. Returns the stored one. */
  appendCommand(command: InboxCommand): Promise<InboxCommand>;
  /** Records the answer of a command that changed no run. */
  answerCommand(command: InboxCommand): Promise<void>;
  pendingCommands(): Promise<InboxCommand[]>;
  /** The command with that id, with its result once it is consumed. */
  command(commandId: string): Promise<InboxCommand | undefined>;

  workflows(): Promise<WorkflowRow[]>;
  workflow(workflowId: string): Promise<WorkflowRow | undefined>;
  revision(revision: string): Promise<Revision | undefined>;
  revisions(workflowId: string): Promise<Revision[]>;
  /** Saves a revision (immutable: one that is there stays) and the workflow's row, together. */
  saveWorkflow(row: WorkflowRow, revision: Revision): Promise<void>;
  /** Saves a revision of something that is listed nowhere (what a client does by itself); one that is there stays. */
  saveRevision(revision: Revision): Promise<void>;
  setWorkflowEnabled(workflowId: string, enabled: boolean): Promise<void>;
  removeWorkflow(workflowId: string): Promise<void>;

  /** Standing rules, newest first, ended ones too. A row is given as it is stored: whoever acts on it checks it. */
  rules(): Promise<ListedRule[]>;
  /** Removes a rule and the record of its uses. */
  removeRule(ruleId: string): Promise<void>;

  /** What runs have told people, newest first. */
  outbox(): Promise<OutboxEntry[]>;
  /** Records that people were called for an entry; kept also when the entry is written again. */
  markSent(outboxId: string, at: number): Promise<void>;
  /** Removes an entry and its mark. */
  removeOutbox(outboxId: string): Promise<void>;
  /** Writes to the knowledge base in order of `n`: all, those of one document, or those after `after` (exclusive); the first `limit`. */
  knowledge(query?: { documentId?: string; after?: number; limit?: number }): Promise<KnowledgeRow[]>;
  /** Adds writes that belong to no run, in order; all of them or none. */
  addKnowledge(...writes: KnowledgeWrite[]): Promise<void>;
  /** Erases the writes of a document before one of them (exclusive). */
  eraseKnowledge(documentId: string, before: number): Promise<void>;
  /** The full-text index of the knowledge base. */
  knowledgeIndex(): Promise<KnowledgeIndex>;
  /** Changes the index, whole or not at all. @returns false, and nothing is changed, where another one is stored than `from` says */
  changeKnowledgeIndex(change: KnowledgeIndexChange): Promise<boolean>;
  /** Passages by document and place, in the order asked for; `undefined` for one that is not there. */
  passages(asked: { documentId: string; i: number }[]): Promise<(KnowledgePassage | undefined)[]>;

  setting(key: string): Promise<JsonObject | undefined>;
  setSetting(key: string, value: JsonObject): Promise<void>;

  /** Removes a finished run with all that belongs to it, the runs that it has called too. */
  removeRun(runId: string): Promise<void>;
  close(): Promise<void>;
}

/** Secrets at rest. Names are listable, values leave only through `reveal`, at the moment of use. */
export interface SecretVault {
  names(): Promise<string[]>;
  set(name: string, value: string): Promise<void>;
  /** `undefined` when there is no such secret. */
  reveal(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
}
