import { Dexie, type Table } from 'dexie';
import type { InboxCommand } from '../../model/commands.ts';
import { FINAL_RUN } from '../../model/run.ts';
import type { Store } from '../../ports/index.ts';
import { copyData } from '../memory/copy.ts';
import { compareKeys } from '../memory/ordered.ts';
import { runUnfinished, workflowMissing } from '../memory/store.ts';
import type { DatabaseOptions, StoredCommand } from './database.ts';
import { TabloomDatabase } from './database.ts';
import { storeError } from './errors.ts';
import { changeIndex, findKnowledge, findPassages, readIndex } from './knowledge.ts';
import {
  findApprovals,
  findOutbox,
  findRules,
  findRuns,
  findStarted,
  markSent,
  removeOutbox,
  usesOf,
} from './queries.ts';
import { deleteRun, ofRun } from './run-rows.ts';
import { CommitWriter } from './writer.ts';

/** Where the store is: an open database, shared with the secret vault, or what to open. */
export type DexieStoreOptions = DatabaseOptions & { database?: TabloomDatabase };

/**
 * The engine's database in IndexedDB. Nothing is opened before the first call. Rejections are `TabloomError`s (`internal`, with a sentence
 * that says what to do) or `StoreConflict`. `close` waits for commits asked for before it and closes the database for good.
 */
export function createDexieStore(options: DexieStoreOptions = {}): Store {
  const db = options.database ?? new TabloomDatabase(options);
  const writer = new CommitWriter(db);

  /** Everything goes through here, so that no raw database error leaves the store. */
  async function ask<T>(work: () => PromiseLike<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw db.gone ?? storeError(error);
    }
  }

  return {
    commit: (commit) => writer.commit(commit),

    run: (runId) => ask(() => db.runs.get(runId)),
    runs: (query = {}) => ask(() => findRuns(db, query)),
    runByStartKey: (workflowId, key) => ask(() => findStarted(db, workflowId, key)),
    events: (runId, after = 0) =>
      ask(() => db.events.where('[runId+seq]').between([runId, after], [runId, Dexie.maxKey], false, true).toArray()),
    steps: (runId) =>
      ask(async () =>
        (await ofRun(db.stepRuns, 'path', runId).toArray()).sort(
          (a, b) => a.order - b.order || compareKeys(a.path, b.path),
        ),
      ),
    approvals: (query) => ask(() => findApprovals(db, query)),
    artifact: (artifactId) =>
      ask(async () => {
        const [row, file] = await db.transaction('r', db.artifacts, db.files, async () => {
          const found = await db.artifacts.get(artifactId);
          return [found, found && (await db.files.get(found.sha256))] as const;
        });
        return row && file && { row, bytes: new Uint8Array(await file.bytes.arrayBuffer()) };
      }),
    artifacts: (runId) => ask(() => ofRun(db.artifacts, 'createdAt', runId).toArray()),
    cached: (key) => ask(() => db.cache.get(key)),
    forgetCached: (before) => ask(async () => void (await db.cache.where('until').below(before).delete())),
    blob: (hash) => ask(async () => (await db.blobs.get(hash))?.text),

    appendCommand: (command) =>
      ask(() =>
        db.transaction('rw', db.inbox, async () => {
          const there = await db.inbox.get(command.commandId);
          if (there) return withoutPlace(there);
          const last = await db.inbox.orderBy('queued').last();
          await db.inbox.add({ ...command, queued: (last?.queued ?? 0) + 1 });
          return copyData(command);
        }),
      ),
    answerCommand: (command) => ask(async () => void (await db.inbox.put(command))),
    pendingCommands: () => ask(async () => (await db.inbox.orderBy('queued').toArray()).map(withoutPlace)),

    workflows: () => ask(() => db.workflows.toArray()),
    workflow: (workflowId) => ask(() => db.workflows.get(workflowId)),
    revision: (revision) => ask(() => db.revisions.get(revision)),
    revisions: (workflowId) =>
      ask(() =>
        db.revisions
          .where('[workflowId+createdAt]')
          .between([workflowId, Dexie.minKey], [workflowId, Dexie.maxKey])
          .reverse()
          .toArray(),
      ),
    saveWorkflow: (row, revision) =>
      ask(() =>
        db.transaction('rw', db.workflows, db.revisions, async () => {
          await addOnce(db.revisions, revision);
          await db.workflows.put(row);
        }),
      ),
    setWorkflowEnabled: (workflowId, enabled) =>
      ask(async () => {
        if ((await db.workflows.where('workflowId').equals(workflowId).modify({ enabled })) === 0)
          throw workflowMissing(workflowId);
      }),
    removeWorkflow: (workflowId) => ask(() => db.workflows.delete(workflowId)),
    saveRevision: (revision) => ask(() => db.transaction('rw', db.revisions, () => addOnce(db.revisions, revision))),

    entries: () => ask(() => db.entries.orderBy('[kind+id]').toArray()),
    entry: (kind, id) => ask(() => db.entries.get([kind, id])),
    entryRevision: (revision) => ask(() => db.entryRevisions.get(revision)),
    entryRevisions: (kind, id) =>
      ask(() =>
        db.entryRevisions
          .where('[kind+id+createdAt]')
          .between([kind, id, Dexie.minKey], [kind, id, Dexie.maxKey])
          .reverse()
          .toArray(),
      ),
    saveEntry: (row, revision) =>
      ask(() =>
        db.transaction('rw', db.entries, db.entryRevisions, async () => {
          await addOnce(db.entryRevisions, revision);
          await db.entries.put(row);
        }),
      ),
    removeEntry: (kind, id) => ask(() => db.entries.delete([kind, id])),

    rules: () => ask(() => findRules(db)),
    removeRule: (ruleId) =>
      ask(() =>
        db.transaction('rw', db.rules, db.ruleUses, async () => {
          await db.rules.delete(ruleId);
          await usesOf(db, ruleId).delete();
        }),
      ),

    outbox: () => ask(() => findOutbox(db)),
    markSent: (outboxId, at) => ask(() => markSent(db, outboxId, at)),
    removeOutbox: (outboxId) =>
      ask(() => db.transaction('rw', db.outbox, db.outboxSent, () => removeOutbox(db, [outboxId]))),
    knowledge: (query = {}) => ask(() => findKnowledge(db, query)),
    addKnowledge: (...writes) => ask(async () => void (await db.knowledge.bulkAdd(copyData(writes)))),
    eraseKnowledge: (documentId, before) =>
      ask(async () => {
        await db.knowledge
          .where('documentId')
          .equals(documentId)
          .filter((row) => row.n < before)
          .delete();
      }),
    knowledgeIndex: () => ask(() => readIndex(db)),
    changeKnowledgeIndex: (change) => ask(() => changeIndex(db, change)),
    passages: (asked) => ask(() => findPassages(db, asked)),

    spending: ({ month } = {}) =>
      ask(() =>
        month === undefined
          ? db.spending.toArray()
          : db.spending.where('[month+runId]').between([month, Dexie.minKey], [month, Dexie.maxKey]).toArray(),
      ),

    setting: (key) => ask(async () => (await db.settings.get(key))?.value),
    setSetting: (key, value) => ask(async () => void (await db.settings.put({ key, value }))),

    removeRun: (runId) =>
      ask(() =>
        deleteRun(db, runId, (run) => {
          if (run && !FINAL_RUN.includes(run.status)) throw runUnfinished(runId);
        }),
      ),
    async close() {
      await writer.idle();
      db.shut();
    },
  };
}

function withoutPlace({ queued: _, ...command }: StoredCommand): InboxCommand {
  return command;
}

/** Revisions are immutable: one that is there stays as it is. */
async function addOnce<T extends { revision: string }>(table: Table<T, string>, row: T): Promise<void> {
  if (!(await table.get(row.revision))) await table.add(row);
}
