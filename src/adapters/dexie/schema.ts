import type { Dexie, Transaction } from 'dexie';
import type { RunRow } from '../../model/run.ts';
import { keysOf } from './run-keys.ts';

/**
 * One version of the database. `stores` names what is new or changed since the version before (Dexie's notation: primary key, then
 * indexes; `null` drops a store). `upgrade` brings the rows along; it runs inside the one transaction that changes the version, so the
 * database is afterwards either wholly new or untouched. Inside it, await nothing but the given transaction's own operations: anything
 * else lets the transaction end early.
 */
export interface SchemaVersion {
  version: number;
  stores: Record<string, string | null>;
  upgrade?: (transaction: Transaction) => PromiseLike<unknown>;
}

/**
 * Every version there has been, oldest first. A released one is never edited: add another below it, with its `upgrade`, and a case to
 * the migration test that opens a database of the version before.
 */
export const SCHEMA: readonly SchemaVersion[] = [
  {
    version: 1,
    stores: {
      workflows: 'workflowId',
      revisions: 'revision, [workflowId+createdAt]',
      runs: 'runId, createdAt, [status+createdAt], [workflowId+createdAt], [workflowId+startKey]',
      stepRuns: '[runId+path], [runId+order]',
      events: '[runId+seq]',
      approvals: 'approvalId, createdAt, [status+createdAt], [runId+createdAt]',
      // `queued` is there only while a command waits, so the index holds just those, in the order they came.
      inbox: 'commandId, queued, command.runId',
      artifacts: 'artifactId, [runId+createdAt], sha256',
      // Bytes of artifacts, once by content.
      files: 'sha256',
      // Large outputs, once by content, and which runs use them.
      blobs: 'hash',
      blobUses: '[runId+hash], hash',
      settings: 'key',
      secrets: 'name',
      keys: 'id',
    },
  },
  {
    version: 2,
    stores: {
      // Results of steps with `cache`.
      cache: 'key, until',
      // Standing rules, and each decision that one took: counting rows needs no row to be read before it is written.
      rules: 'ruleId, createdAt',
      ruleUses: '[ruleId+at+runId+path]',
      // A run's row changes with every step; what runs are looked up by hardly ever does, and every index of a row is written with it.
      runs: 'runId',
      runKeys: 'runId, createdAt, [status+createdAt], [workflowId+createdAt], [workflowId+startKey], parent.runId',
      stepRuns: '[runId+path]',
      // What runs tell people, and when they were called: a mark of its own, so that a commit need not read before it writes.
      outbox: 'outboxId, createdAt, runId',
      outboxSent: 'outboxId',
      // Writes to the knowledge base, only ever added.
      knowledge: '++n, documentId',
    },
    upgrade: async (transaction) => {
      const runs: RunRow[] = await transaction.table('runs').toArray();
      await transaction.table('runKeys').bulkAdd(runs.map(keysOf));
    },
  },
  {
    version: 3,
    stores: {
      // The full-text index of the knowledge base, one row a document, its passages beside it, and which writes are in it. All of it is
      // derived from the writes: those of older versions are brought in by the first look, so there is nothing to upgrade.
      knowledgeIndex: 'documentId',
      passages: '[documentId+i]',
      knowledgeSeen: 'format',
    },
  },
  {
    version: 4,
    stores: {
      // Recipes and agents: the pointer to the newest revision of each, and their revisions.
      entries: '[kind+id]',
      entryRevisions: 'revision, [kind+id+createdAt]',
      // What model calls have used, a row for each month and run.
      spending: '[month+runId]',
    },
  },
];

/** Declares versions on a database that is not yet open. */
export function declareVersions(db: Dexie, versions: readonly SchemaVersion[]): void {
  for (const { version, stores, upgrade } of versions) {
    const declared = db.version(version).stores(stores);
    if (upgrade) declared.upgrade(upgrade);
  }
}

/** Number of the newest version in a list. */
export function newestVersion(versions: readonly SchemaVersion[]): number {
  return Math.max(...versions.map(({ version }) => version));
}
