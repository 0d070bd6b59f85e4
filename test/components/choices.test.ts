// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest';
import { followed } from '../../components/surfaces/sidepanel.tsx';
import { recentFirst } from '../../components/workflows/start-list.tsx';
import type { WorkflowSummary } from '../../src/app/protocol.ts';
import type { RunRow, RunTab } from '../../src/model/run.ts';

const tab = (browserTabId: number, closed?: RunTab['closed']): RunTab => ({
  tab: 't1',
  browserTabId,
  session: 's',
  url: '',
  title: '',
  ...(closed ? { closed } : {}),
});
const run = (runId: string, tabs: RunTab[] = []) => ({ runId, tabs: { list: tabs, next: 2 } }) as unknown as RunRow;

describe('the run that the side panel follows', () => {
  const live = [run('new'), run('mine', [tab(7)]), run('left', [tab(8, 'person')])];

  it('nothing pinned, no run in the tab: the newest', () => {
    expect(followed(live, undefined, 99)?.runId).toBe('new');
    expect(followed(live, undefined, undefined)?.runId).toBe('new');
  });

  it('a run drives the active tab: that one; not when the person closed the tab', () => {
    expect(followed(live, undefined, 7)?.runId).toBe('mine');
    expect(followed(live, undefined, 8)?.runId).toBe('new');
  });

  it('a pinned run: stays, whatever the tab', () => {
    expect(followed(live, 'left', 7)?.runId).toBe('left');
  });

  it('no live run: none', () => {
    expect(followed([], undefined, 7)).toBeUndefined();
  });
});

describe('workflows that can be started', () => {
  it('the most recently run first, then by name; those that are off are left out', () => {
    const one = (name: string, lastRunAt?: number, enabled = true) => ({ name, lastRunAt, enabled }) as WorkflowSummary;
    expect(
      recentFirst([one('b'), one('a'), one('old', 1), one('new', 2), one('off', 3, false)]).map(
        (workflow) => workflow.name,
      ),
    ).toEqual(['new', 'old', 'a', 'b']);
  });
});
