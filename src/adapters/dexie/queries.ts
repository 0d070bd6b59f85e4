import type { Collection } from 'dexie';
import { Dexie } from 'dexie';
import type { OutboxEntry } from '../../model/outbox.ts';
import type { ListedRule, RuleUse } from '../../model/rules.ts';
import type { ApprovalRow, RunRow } from '../../model/run.ts';
import type { Store } from '../../ports/index.ts';
import { newestFirst } from '../memory/ordered.ts';
import type { TabloomDatabase } from './database.ts';
import type { RunKeys } from './run-keys.ts';

type RunQuery = NonNullable<Parameters<Store['runs']>[0]>;
type ApprovalQuery = Parameters<Store['approvals']>[0];

/** Runs, newest first. Every shape of the query walks one index backwards and stops at `limit`. */
export function findRuns(db: TabloomDatabase, query: RunQuery): PromiseLike<RunRow[]> {
  return db.transaction('r', db.runs, db.runKeys, async () => rowsOf(db, await findKeys(db, query)));
}

async function findKeys(db: TabloomDatabase, query: RunQuery): Promise<RunKeys[]> {
  const { status, workflowId, limit = Infinity, before = Infinity, outermost } = query;
  const newest = (runs: Collection<RunKeys, string>): PromiseLike<RunKeys[]> =>
    (outermost ? runs.filter((run) => !run.parent) : runs).reverse().limit(limit).toArray();
  if (workflowId !== undefined) {
    const runs = db.runKeys.where('[workflowId+createdAt]').between([workflowId, Dexie.minKey], [workflowId, before]);
    return newest(status ? runs.filter((run) => status.includes(run.status)) : runs);
  }
  if (!status) return newest(db.runKeys.where('createdAt').below(before));
  const each = await Promise.all(
    [...new Set(status)].map((one) =>
      newest(db.runKeys.where('[status+createdAt]').between([one, Dexie.minKey], [one, before])),
    ),
  );
  return newestFirst(each.flat(), (run) => run.runId).slice(0, limit);
}

async function rowsOf(db: TabloomDatabase, keys: RunKeys[]): Promise<RunRow[]> {
  return (await db.runs.bulkGet(keys.map(({ runId }) => runId))).filter((run) => run !== undefined);
}

/** The newest run that was started with this key. */
export function findStarted(db: TabloomDatabase, workflowId: string, key: string): PromiseLike<RunRow | undefined> {
  return db.transaction('r', db.runs, db.runKeys, async () => {
    const runs = await db.runKeys.where('[workflowId+startKey]').equals([workflowId, key]).toArray();
    return (await rowsOf(db, newestFirst(runs, (run) => run.runId).slice(0, 1)))[0];
  });
}

/** Approvals, newest first. */
export async function findApprovals(db: TabloomDatabase, query: ApprovalQuery): Promise<ApprovalRow[]> {
  const { status, runId, limit = Infinity } = query;
  let found: Collection<ApprovalRow, string>;
  if (runId !== undefined) {
    found = db.approvals.where('[runId+createdAt]').between([runId, Dexie.minKey], [runId, Dexie.maxKey]);
    if (status) found = found.filter((row) => row.status === status);
  } else if (status) {
    found = db.approvals.where('[status+createdAt]').between([status, Dexie.minKey], [status, Dexie.maxKey]);
  } else {
    found = db.approvals.orderBy('createdAt');
  }
  return found.reverse().limit(limit).toArray();
}

/** Every decision that a rule took, in order of time. */
export function usesOf(db: TabloomDatabase, ruleId: string): Collection<RuleUse, [string, number, string, string]> {
  const [first, last] = [Dexie.minKey, Dexie.maxKey];
  return db.ruleUses.where('[ruleId+at+runId+path]').between([ruleId, first, first, first], [ruleId, last, last, last]);
}

/** Standing rules, newest first, with their uses. */
export function findRules(db: TabloomDatabase): PromiseLike<ListedRule[]> {
  return db.transaction('r', db.rules, db.ruleUses, async () => {
    const rules = await db.rules.orderBy('createdAt').reverse().toArray();
    return Promise.all(
      rules.map(async (rule) => {
        const [uses, last] = await Promise.all([usesOf(db, rule.ruleId).count(), usesOf(db, rule.ruleId).last()]);
        return { ...rule, uses, ...(last && { lastUsedAt: last.at }) };
      }),
    );
  });
}

/** What runs have told people, newest first, with when they were called. */
export function findOutbox(db: TabloomDatabase): PromiseLike<OutboxEntry[]> {
  return db.transaction('r', db.outbox, db.outboxSent, async () => {
    const [rows, sent] = await Promise.all([db.outbox.toArray(), db.outboxSent.toArray()]);
    const times = new Map(sent.map(({ outboxId, at }) => [outboxId, at]));
    return newestFirst(rows, (row) => row.outboxId).map((row) => {
      const sentAt = times.get(row.outboxId);
      return sentAt === undefined ? row : { ...row, sentAt };
    });
  });
}

/** Records that people were called for an entry that is there. */
export function markSent(db: TabloomDatabase, outboxId: string, at: number): PromiseLike<void> {
  return db.transaction('rw', db.outbox, db.outboxSent, async () => {
    if (await db.outbox.get(outboxId)) await db.outboxSent.put({ outboxId, at });
  });
}

/** Removes entries with their marks. */
export async function removeOutbox(db: TabloomDatabase, ids: string[]): Promise<void> {
  await Promise.all([db.outbox.bulkDelete(ids), db.outboxSent.bulkDelete(ids)]);
}
