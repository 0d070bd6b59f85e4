import { describe, expect, it } from 'vitest';
import type { PageBrowser, TabGrouping } from '../../../src/adapters/browser/browser-api.ts';
import { TabGroups } from '../../../src/adapters/browser/tab-groups.ts';

/** A tab strip: the group of each tab, -1 for none. */
function strip(groups: Record<number, number>, more: { allowed?: boolean; broken?: boolean } = {}) {
  const titles = new Map<number, string>([[50, "The person's own"]]);
  const calls: string[] = [];
  const browser = {
    tabs: {
      get: async (id: number) => {
        if (groups[id] === undefined) throw new Error(`No tab with id: ${id}.`);
        return { id, windowId: Math.floor(id / 10), groupId: groups[id] };
      },
      group: async ({ tabIds, groupId }: TabGrouping) => {
        if (more.broken) throw new Error('Tabs cannot be edited right now (user may be dragging a tab).');
        const to = groupId ?? 100 + titles.size;
        for (const id of tabIds) groups[id] = to;
        calls.push(`group ${tabIds} ${to}`);
        return to;
      },
      ungroup: async (ids: number[]) => {
        for (const id of ids) groups[id] = -1;
      },
    },
    ...(more.allowed === false
      ? {}
      : {
          tabGroups: {
            query: async ({ windowId, title }: { windowId: number; title: string }) =>
              [...titles].flatMap(([id, known]) =>
                known === title &&
                Object.entries(groups).some(([tab, g]) => g === id && Math.floor(+tab / 10) === windowId)
                  ? [{ id }]
                  : [],
              ),
            update: async (id: number, { title }: { title: string }) => titles.set(id, title),
          },
        }),
  } as unknown as PageBrowser;
  return { browser, groups, titles, calls };
}

describe("groups of a run's tabs", () => {
  it("tabs of a window are one group with the workflow's name; those of another window are one of its own", async () => {
    const { browser, groups, titles } = strip({ 11: -1, 12: -1, 21: -1 });
    const tabs = new TabGroups(browser);
    await tabs.gather('r1', 'Expenses', [11]);
    await tabs.gather('r1', 'Expenses', [11, 12, 21]);
    expect(groups[11]).toBe(groups[12]);
    expect(groups[21]).not.toBe(groups[11]);
    expect([titles.get(groups[11] as number), titles.get(groups[21] as number)]).toEqual(['Expenses', 'Expenses']);
  });

  it('another life of the worker finds the group again', async () => {
    const { browser, groups } = strip({ 11: -1, 12: -1 });
    await new TabGroups(browser).gather('r1', 'Expenses', [11]);
    await new TabGroups(browser).gather('r1', 'Expenses', [11, 12]);
    expect(groups[12]).toBe(groups[11]);
  });

  it('a tab that is in a group stays there, also when a person has taken it out of ours', async () => {
    const { browser, groups, calls } = strip({ 11: 50, 12: -1 });
    const tabs = new TabGroups(browser);
    await tabs.gather('r1', 'Expenses', [11, 12]);
    expect(groups[11]).toBe(50);
    groups[12] = -1;
    await tabs.gather('r1', 'Expenses', [11, 12]);
    expect(groups[12]).toBe(-1);
    expect(calls).toHaveLength(1);
  });

  it("at the end the person's own tab is as it was; what is in the run's window stays together", async () => {
    const { browser, groups } = strip({ 11: -1, 12: 50, 21: -1 });
    const tabs = new TabGroups(browser);
    await tabs.gather('r1', 'Expenses', [11, 12, 21]);
    await tabs.release('r1', (id) => id === 21);
    expect(groups).toMatchObject({ 11: -1, 12: 50 });
    expect(groups[21]).not.toBe(-1);
  });

  it.each([
    ['it is not allowed', { allowed: false }],
    ['the browser refuses', { broken: true }],
  ])('%s: nothing happens, and nothing fails', async (_, more) => {
    const { browser, groups } = strip({ 11: -1 }, more);
    const tabs = new TabGroups(browser);
    await tabs.gather('r1', 'Expenses', [11, 99]);
    await tabs.release('r1', () => false);
    expect(groups[11]).toBe(-1);
  });
});
