import type { RunRow } from '../model/run.ts';

/** A failure that is older is no news any more, milliseconds. */
const NEWS = 24 * 3_600_000;

/**
 * Runs whose failure still stands: they ended badly within a day, and their workflow has not been run since. A run that is retried, or
 * replaced by a newer one, is no longer among them.
 * @param now epoch milliseconds
 * @returns at most `limit`, newest first
 */
export function standingFailures(runs: readonly RunRow[], now: number, limit = 3): RunRow[] {
  const newest = new Map<string, RunRow>();
  for (const run of runs) {
    const known = newest.get(run.workflowId);
    if (!known || run.createdAt > known.createdAt) newest.set(run.workflowId, run);
  }
  return [...newest.values()]
    .filter(({ status, error, endedAt }) => {
      const bad = status === 'failed' || status === 'partial';
      return bad && error !== undefined && now - (endedAt ?? 0) < NEWS;
    })
    .sort((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0))
    .slice(0, limit);
}
