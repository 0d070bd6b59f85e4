import type { Collection, Table } from 'dexie';
import { Dexie } from 'dexie';
import type { RunRow } from '../../model/run.ts';
import type { TabloomDatabase } from './database.ts';
import { removeOutbox } from './queries.ts';

/** Rows of one run in order of `field`, by the index (or primary key) `[runId+field]`. */
export function ofRun<T, K>(table: Table<T, K>, field: string, runId: string): Collection<T, K> {
  return table.where(`[runId+${field}]`).between([runId, Dexie.minKey], [runId, Dexie.maxKey]);
}

/**
 * Removes a run with its events, steps, approvals, commands, artifacts, what it has told, the runs that it has called, and the shared
 * contents that no other run uses: all or nothing.
 * @param check is shown each of the runs first and may throw.
 */
export function deleteRun(
  db: TabloomDatabase,
  runId: string,
  check: (run: RunRow | undefined) => void,
): PromiseLike<void> {
  const tables = [
    db.runs,
    db.runKeys,
    db.stepRuns,
    db.events,
    db.approvals,
    db.inbox,
    db.artifacts,
    db.files,
    db.blobs,
    db.blobUses,
    db.outbox,
    db.outboxSent,
  ];
  return db.transaction('rw', tables, async () => {
    const runs = await withCalled(db, runId);
    for (const id of runs) check(await db.runs.get(id));
    for (const id of runs) await deleteRows(db, id);
  });
}

/** A run and those that it has called, at any depth. */
async function withCalled(db: TabloomDatabase, runId: string): Promise<string[]> {
  const found = [runId];
  for (const called of await db.runKeys.where('parent.runId').equals(runId).primaryKeys())
    found.push(...(await withCalled(db, called)));
  return found;
}

async function deleteRows(db: TabloomDatabase, runId: string): Promise<void> {
  const files = new Set((await ofRun(db.artifacts, 'createdAt', runId).toArray()).map((row) => row.sha256));
  const hashes = (await ofRun(db.blobUses, 'hash', runId).toArray()).map((use) => use.hash);
  const told = await db.outbox.where('runId').equals(runId).primaryKeys();
  await Promise.all([
    removeOutbox(db, told),
    db.runs.delete(runId),
    db.runKeys.delete(runId),
    ofRun(db.events, 'seq', runId).delete(),
    ofRun(db.stepRuns, 'path', runId).delete(),
    ofRun(db.approvals, 'createdAt', runId).delete(),
    ofRun(db.artifacts, 'createdAt', runId).delete(),
    ofRun(db.blobUses, 'hash', runId).delete(),
    db.inbox.where('command.runId').equals(runId).delete(),
  ]);
  for (const sha256 of files) {
    if ((await db.artifacts.where('sha256').equals(sha256).count()) === 0) await db.files.delete(sha256);
  }
  for (const hash of hashes) {
    if ((await db.blobUses.where('hash').equals(hash).count()) === 0) await db.blobs.delete(hash);
  }
}
