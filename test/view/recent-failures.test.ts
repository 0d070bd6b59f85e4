import { expect, it } from 'vitest';
import type { RunRow } from '../../src/model/run.ts';
import { recentFailures } from '../../src/view/recent-failures.ts';

const NOW = Date.parse('2026-01-06T09:00:00Z');
const HOUR = 3_600_000;
const run = (runId: string, workflowId: string, status: RunRow['status'], hoursAgo = 1) =>
  ({ runId, workflowId, status, createdAt: 0, endedAt: NOW - hoursAgo * HOUR }) as RunRow;
const shown = (history: RunRow[], live: RunRow[] = []) =>
  recentFailures({ history, live, now: NOW }).map(({ runId }) => runId);

it.each([
  [
    'failed and partly done ones, not those that ended well or were cancelled',
    ['a', 'd'],
    [
      run('a', 'one', 'failed'),
      run('b', 'two', 'completed'),
      run('c', 'three', 'cancelled'),
      run('d', 'four', 'partial'),
    ],
  ],
  ['the newest of each workflow only', ['a'], [run('a', 'one', 'failed'), run('b', 'one', 'failed', 2)]],
  ['none that a later run has made good', [], [run('a', 'one', 'completed'), run('b', 'one', 'failed', 2)]],
  ['none from before yesterday', ['a'], [run('a', 'one', 'failed', 23), run('b', 'two', 'failed', 24)]],
  ['three at most', ['a', 'b', 'c'], ['a', 'b', 'c', 'd'].map((id) => run(id, id, 'failed'))],
] as [string, string[], RunRow[]][])('failed lately: %s', (_name, expected, history) => {
  expect(shown(history)).toEqual(expected);
});

it('failed lately: none whose workflow runs again', () => {
  expect(shown([run('a', 'one', 'failed')], [run('l', 'one', 'running')])).toEqual([]);
});
