import type { InboxCommand } from '../../model/commands.ts';
import type { JournalEvent } from '../../model/events.ts';
import type { JsonObject } from '../../model/json.ts';
import type { EntryRevision, EntryRow } from '../../model/library.ts';
import type { OutboxRow } from '../../model/outbox.ts';
import type { ListedRule, RuleUse, StandingRule } from '../../model/rules.ts';
import type { ApprovalRow, ArtifactRow, CacheRow, RunRow, StepRunRow } from '../../model/run.ts';
import type { SpendingRow } from '../../model/spending.ts';
import type { Revision } from '../../model/workflow.ts';
import type { Commit, WorkflowRow } from '../../ports/index.ts';
import { StoreConflictError } from './conflict.ts';
import { KnowledgeTables } from './knowledge.ts';
import { OrderedRows } from './ordered.ts';

/** All that belongs to one run, kept together so that a commit costs the same however many runs and steps there are. */
interface RunRows {
  run: RunRow | undefined;
  events: OrderedRows<JournalEvent>;
  steps: Map<string, StepRunRow>;
  approvals: Set<string>;
  artifacts: Set<string>;
  blobs: Set<string>;
}

/** Content kept once by its hash, with those that use it. */
interface Shared<T> {
  content: T;
  users: Set<string>;
}

/**
 * The rows of the memory store. Everything is synchronous and takes and gives the stored objects themselves: the store around it copies.
 */
export class Tables {
  readonly runs = new Map<string, RunRows>();
  readonly startKeys = new Map<string, Set<string>>();
  readonly approvals = new Map<string, ApprovalRow>();
  readonly artifacts = new Map<string, ArtifactRow>();
  readonly files = new Map<string, Shared<Uint8Array>>();
  readonly blobs = new Map<string, Shared<string>>();
  readonly inbox = new Map<string, InboxCommand>();
  /** Ids of commands not yet consumed, in the order they came. */
  readonly pending = new Set<string>();
  readonly workflows = new Map<string, WorkflowRow>();
  readonly revisions = new Map<string, Revision>();
  readonly entries = new Map<string, EntryRow>();
  readonly entryRevisions = new Map<string, EntryRevision>();
  readonly spending = new Map<string, SpendingRow>();
  readonly cache = new Map<string, CacheRow>();
  readonly rules = new Map<string, StandingRule>();
  readonly ruleUses = new Map<string, Map<string, RuleUse>>();
  readonly outbox = new Map<string, OutboxRow>();
  readonly sent = new Map<string, number>();
  readonly knowledge = new KnowledgeTables();
  readonly settings = new Map<string, JsonObject>();

  /**
   * Writes a commit whole.
   * @throws StoreConflictError when an event's `seq` is taken; nothing is changed then.
   */
  apply(commit: Commit): void {
    const rows = this.#rowsOf(commit.runId);
    const seen = new Set<number>();
    for (const { seq } of commit.events) {
      if (rows.events.has(seq) || seen.has(seq)) throw new StoreConflictError(commit.runId, seq);
      seen.add(seq);
    }
    this.runs.set(commit.runId, rows);
    for (const event of commit.events) rows.events.add(event);
    this.#putRun(rows, commit.run);
    for (const path of commit.dropSteps ?? []) rows.steps.delete(path);
    for (const step of commit.steps) rows.steps.set(step.path, step);
    for (const approval of commit.approvals) {
      this.approvals.set(approval.approvalId, approval);
      rows.approvals.add(approval.approvalId);
    }
    for (const { row, bytes } of commit.artifacts) {
      this.#dropArtifact(row.artifactId);
      this.artifacts.set(row.artifactId, row);
      rows.artifacts.add(row.artifactId);
      share(this.files, row.sha256, row.artifactId, bytes);
    }
    for (const { hash, text } of commit.blobs) {
      share(this.blobs, hash, commit.runId, text);
      rows.blobs.add(hash);
    }
    for (const row of commit.cache ?? []) this.cache.set(row.key, row);
    for (const write of commit.knowledge ?? []) this.knowledge.add(write);
    for (const command of commit.inbox) this.answer(command);
    for (const row of commit.outbox ?? []) this.outbox.set(row.outboxId, row);
    for (const row of commit.spending ?? []) this.spending.set(`${row.month} ${row.runId}`, row);
    for (const rule of commit.rules ?? []) this.rules.set(rule.ruleId, rule);
    for (const use of commit.ruleUses ?? []) {
      const uses = this.ruleUses.get(use.ruleId) ?? new Map<string, RuleUse>();
      this.ruleUses.set(use.ruleId, uses.set(JSON.stringify([use.runId, use.path, use.at]), use));
    }
  }

  /** A rule with how often and when last it decided. */
  listed(rule: StandingRule): ListedRule {
    const times = [...(this.ruleUses.get(rule.ruleId)?.values() ?? [])].map(({ at }) => at);
    return { ...rule, uses: times.length, ...(times.length > 0 && { lastUsedAt: Math.max(...times) }) };
  }

  /** Queues a command unless its id is known; gives what is stored under that id. */
  append(command: InboxCommand): InboxCommand {
    const there = this.inbox.get(command.commandId);
    if (there) return there;
    this.inbox.set(command.commandId, command);
    this.pending.add(command.commandId);
    return command;
  }

  /** Stores a command as consumed. */
  answer(command: InboxCommand): void {
    this.inbox.set(command.commandId, command);
    this.pending.delete(command.commandId);
  }

  /** A run and those that it has called, at any depth. */
  withCalled(runId: string): string[] {
    const called = [...this.runs.values()].flatMap(({ run }) => (run?.parent?.runId === runId ? [run.runId] : []));
    return [runId, ...called.flatMap((id) => this.withCalled(id))];
  }

  removeRun(runId: string): void {
    const rows = this.runs.get(runId);
    if (rows) {
      this.#unlinkStartKey(rows.run);
      for (const id of rows.approvals) this.approvals.delete(id);
      for (const id of rows.artifacts) this.#dropArtifact(id);
      for (const hash of rows.blobs) release(this.blobs, hash, runId);
      this.runs.delete(runId);
    }
    for (const row of [...this.outbox.values()]) if (row.runId === runId) this.removeOutbox(row.outboxId);
    for (const [id, command] of this.inbox) {
      if (command.command.runId !== runId) continue;
      this.inbox.delete(id);
      this.pending.delete(id);
    }
  }

  removeOutbox(outboxId: string): void {
    this.outbox.delete(outboxId);
    this.sent.delete(outboxId);
  }

  #rowsOf(runId: string): RunRows {
    const there = this.runs.get(runId);
    if (there) return there;
    return {
      run: undefined,
      events: new OrderedRows<JournalEvent>((event) => event.seq),
      steps: new Map(),
      approvals: new Set(),
      artifacts: new Set(),
      blobs: new Set(),
    };
  }

  #putRun(rows: RunRows, run: RunRow): void {
    const before = rows.run;
    rows.run = run;
    if (before?.startKey === run.startKey && before?.workflowId === run.workflowId) return;
    this.#unlinkStartKey(before);
    if (run.startKey === undefined) return;
    const key = startKeyOf(run.workflowId, run.startKey);
    const runs = this.startKeys.get(key);
    if (runs) runs.add(run.runId);
    else this.startKeys.set(key, new Set([run.runId]));
  }

  #unlinkStartKey(run: RunRow | undefined): void {
    if (run?.startKey !== undefined) this.startKeys.get(startKeyOf(run.workflowId, run.startKey))?.delete(run.runId);
  }

  #dropArtifact(artifactId: string): void {
    const row = this.artifacts.get(artifactId);
    if (!row) return;
    this.artifacts.delete(artifactId);
    release(this.files, row.sha256, artifactId);
  }
}

/** Key of the index over workflow and start key; JSON keeps two parts apart whatever they hold. */
export function startKeyOf(workflowId: string, startKey: string): string {
  return JSON.stringify([workflowId, startKey]);
}

function share<T>(shelf: Map<string, Shared<T>>, hash: string, user: string, content: T): void {
  const there = shelf.get(hash);
  if (there) there.users.add(user);
  else shelf.set(hash, { content, users: new Set([user]) });
}

function release<T>(shelf: Map<string, Shared<T>>, hash: string, user: string): void {
  const there = shelf.get(hash);
  if (!there) return;
  there.users.delete(user);
  if (there.users.size === 0) shelf.delete(hash);
}
