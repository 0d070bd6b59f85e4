import type { Transaction } from 'dexie';
import { Dexie } from 'dexie';
import { TabloomDatabase } from '../../src/adapters/dexie/index.ts';
import type { SchemaVersion } from '../../src/adapters/dexie/schema.ts';
import { declareVersions } from '../../src/adapters/dexie/schema.ts';

/** The IndexedDB to use. */
export interface Where {
  indexedDB: IDBFactory;
  IDBKeyRange: typeof IDBKeyRange;
}

const NAME = 'older';
const WORKFLOWS = 200;

/** A made-up older layout: workflows with their definitions inside, runs as one row with its steps in it. */
const OLDER: SchemaVersion = { version: 1, stores: { workflows: 'workflowId', runs: 'runId', leftover: 'id' } };

/** The step to a made-up next layout: definitions and steps in stores of their own, a renamed field, a store dropped. */
function newer(upgrade: (transaction: Transaction) => PromiseLike<unknown>): SchemaVersion {
  return {
    version: 2,
    stores: { revisions: 'revision', stepRuns: '[runId+path]', runs: 'runId, [status+createdAt]', leftover: null },
    upgrade,
  };
}

async function moveRows(transaction: Transaction): Promise<void> {
  const rows: { workflowId: string; definition: unknown }[] = await transaction.table('workflows').toArray();
  for (const { workflowId, definition } of rows) {
    await transaction.table('revisions').add({ revision: `rev-${workflowId}`, workflowId, definition });
    await transaction.table('workflows').put({ workflowId, revision: `rev-${workflowId}` });
  }
  const runs: { runId: string; state: string; steps: string[] }[] = await transaction.table('runs').toArray();
  for (const { runId, state, steps } of runs) {
    await transaction.table('stepRuns').bulkAdd(steps.map((path) => ({ runId, path })));
    await transaction.table('runs').put({ runId, status: state, createdAt: 1 });
  }
}

/** Writes a database of the older layout: 200 workflows, each with a run of three steps. */
export async function seedOlder(where: Where): Promise<void> {
  const db = new Dexie(NAME, where);
  declareVersions(db, [OLDER]);
  const ids = Array.from({ length: WORKFLOWS }, (_, i) => `w${i}`);
  await db
    .table('workflows')
    .bulkAdd(ids.map((workflowId) => ({ workflowId, definition: { id: workflowId, text: 'ü'.repeat(1000) } })));
  await db.table('runs').bulkAdd(ids.map((id) => ({ runId: `run-${id}`, state: 'waiting', steps: ['a', 'b', 'c'] })));
  db.close();
}

/**
 * Opens it as the next version does. `fail` throws when all rows were moved; `slow` never ends at that point, for a page
 * that is torn down there. Gives what is in it afterwards.
 */
export async function openUpgraded(
  where: Where,
  { fail, slow }: { fail?: boolean; slow?: boolean } = {},
): Promise<string> {
  const upgrade = async (transaction: Transaction): Promise<void> => {
    await moveRows(transaction);
    if (fail) throw new Error('a row could not be moved');
    if (!slow) return;
    (globalThis as { upgrading?: boolean }).upgrading = true;
    for (;;) await transaction.table('workflows').count();
  };
  const db = new TabloomDatabase({ name: NAME, ...where, versions: [OLDER, newer(upgrade)] });
  try {
    await db.open();
  } finally {
    db.shut();
  }
  return layoutOf(where);
}

/** `old`, `new` or what is wrong, read without asking for any version. */
export async function layoutOf(where: Where): Promise<string> {
  const db = new Dexie(NAME, where);
  await db.open();
  const names = db.tables
    .map(({ name }) => name)
    .sort()
    .join();
  const rows = async (name: string): Promise<Record<string, unknown>[]> =>
    names.split(',').includes(name) ? db.table(name).toArray() : [];
  const [workflows, runs, revisions, steps] = [
    await rows('workflows'),
    await rows('runs'),
    await rows('revisions'),
    await rows('stepRuns'),
  ];
  db.close();
  const all = (list: Record<string, unknown>[], key: string): boolean =>
    list.length === WORKFLOWS && list.every((row) => key in row);
  if (names === 'leftover,runs,workflows' && all(workflows, 'definition') && all(runs, 'steps')) return 'old';
  const moved =
    names === 'revisions,runs,stepRuns,workflows' && all(revisions, 'definition') && steps.length === WORKFLOWS * 3;
  if (moved && all(workflows, 'revision') && all(runs, 'status')) return 'new';
  return `mixed: ${names}; ${workflows.length} workflows, ${revisions.length} revisions, ${runs.length} runs, ${steps.length} steps`;
}
