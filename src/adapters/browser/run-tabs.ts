import { TabloomError } from '../../model/errors.ts';
import type { RunTab, RunTabs } from '../../model/run.ts';
import type { BrowserTab } from './browser-api.ts';
import { MASK } from './masks.ts';

/** The tabs of a run as they change. Pure: each function gives new tabs. */

/** A tab by the run's own id, else the current one. @throws TabloomError `input_invalid` when there is none, `tab_closed` when it was closed. */
export function pickTab(tabs: RunTabs, id: string | undefined): RunTab {
  const wanted = id ?? tabs.current;
  const tab = tabs.list.find((one) => one.tab === wanted);
  if (!tab) {
    const message = wanted
      ? `Name a tab of this run: it has no tab "${wanted}".`
      : 'Begin with navigate or open_tab: the run has no tab yet.';
    throw new TabloomError('input_invalid', message, { field: 'tab' });
  }
  if (tab.closed) throw closedError(tab);
  return tab;
}

export function closedError(tab: RunTab): TabloomError {
  const message =
    tab.closed === 'run'
      ? `Open another tab before this step: the run itself has closed tab ${tab.tab}.`
      : `Retry the run, and its page is opened again: tab ${tab.tab} was closed in the browser.`;
  return new TabloomError('tab_closed', message, { details: { tab: tab.tab } });
}

/** Adds a tab under the next id; `current` makes it the current one, as does being the first. */
export function addTab(tabs: RunTabs, tab: Omit<RunTab, 'tab'>, current: boolean): { tabs: RunTabs; tab: RunTab } {
  const added: RunTab = { tab: `t${tabs.next}`, ...tab };
  const next: RunTabs = { ...tabs, list: [...tabs.list, added], next: tabs.next + 1 };
  if (current || tabs.current === undefined) next.current = added.tab;
  return { tabs: next, tab: added };
}

/** Changes what is known of one tab. */
export function changeTab(tabs: RunTabs, id: string, change: Partial<RunTab>): RunTabs {
  return { ...tabs, list: tabs.list.map((tab) => (tab.tab === id ? { ...tab, ...change } : tab)) };
}

/** Marks a tab as closed; the last one that is still open becomes current in its place. */
export function closeTab(tabs: RunTabs, id: string, by: 'run' | 'person'): RunTabs {
  const closed = changeTab(tabs, id, { closed: by });
  if (tabs.current !== id || by === 'person') return closed;
  const left = closed.list.filter((tab) => !tab.closed).at(-1);
  const { current: _, ...rest } = closed;
  return left ? { ...rest, current: left.tab } : rest;
}

/** Both views of a run's tabs as one: what this life of the worker knows wins, what only the other knows is added. */
export function mergeTabs(known: RunTabs | undefined, given: RunTabs): RunTabs {
  if (!known) return given;
  const missing = given.list.filter((tab) => !known.list.some((one) => one.tab === tab.tab));
  if (missing.length === 0) return known;
  return {
    ...known,
    list: [...known.list, ...missing],
    next: Math.max(known.next, given.next),
    current: known.current ?? given.current,
  };
}

/** Whether an address was kept with something masked in it, by us or by the workflow's secret policy: it is not the page's address then. */
export function isMasked(url: string): boolean {
  return [MASK, encodeURIComponent(MASK), '[redacted:', '%5Bredacted:'].some((mask) => url.includes(mask));
}

/** Whether a tab shows a page, as far as can be seen: not what stands there before the first one. */
export function hasPage({ url }: BrowserTab): boolean {
  return Boolean(url) && url !== 'about:blank';
}
