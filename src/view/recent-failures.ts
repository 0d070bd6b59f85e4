import type { RunRow } from '../model/run.ts';

const DAY = 24 * 3_600_000;
const MOST = 3;

/**
 * Runs that failed, in whole or in part, within the last day and that nothing has come after: no later run of the same workflow has ended
 * well or is under way. Newest first, one for each workflow, three at most.
 * @param history finished runs, newest first
 * @param now epoch milliseconds
 */
export function recentFailures({
  history,
  live,
  now,
}: {
  history: readonly RunRow[];
  live: readonly RunRow[];
  now: number;
}): RunRow[] {
  const known = new Set(live.map(({ workflowId }) => workflowId));
  const failed: RunRow[] = [];
  for (const run of history) {
    if (known.has(run.workflowId)) continue;
    known.add(run.workflowId);
    const ended = run.endedAt ?? run.createdAt;
    if ((run.status === 'failed' || run.status === 'partial') && now - ended < DAY) failed.push(run);
  }
  return failed.slice(0, MOST);
}
