import { Turns } from '../../engine/turns.ts';
import type { BrowserTab, PageBrowser } from './browser-api.ts';

/** Longest title of a group, characters. */
const TITLE_MOST = 60;

/**
 * Keeps the tabs of each run together in a group of the tab strip that has the workflow's name, where the person has allowed it. A nicety:
 * nothing here fails, or waits for, an action. A tab that is in a group already, the person's own or one it was opened from, stays there.
 */
export class TabGroups {
  readonly #browser: PageBrowser;
  readonly #turns = new Turns();
  /** Tabs that were seen to, each with its run; and whether it was us who grouped it. */
  readonly #seen = new Map<number, { runId: string; ours: boolean }>();

  constructor(browser: PageBrowser) {
    this.#browser = browser;
  }

  /** Whether the person has allowed it, and the browser has it (Firefox from 139). */
  get #allowed(): boolean {
    return this.#browser.tabs.group !== undefined && this.#browser.tabGroups !== undefined;
  }

  /** Groups those of a run's tabs that were not seen to before. Never throws. */
  gather(runId: string, title: string, tabIds: readonly number[]): Promise<void> {
    const fresh = tabIds.filter((id) => this.#seen.get(id)?.runId !== runId);
    if (fresh.length === 0 || !this.#allowed) return Promise.resolve();
    for (const id of fresh) this.#seen.set(id, { runId, ours: false });
    return this.#turns
      .after(runId, async () => {
        for (const id of fresh) await this.#add(runId, title.slice(0, TITLE_MOST), id).catch(() => undefined);
      })
      .catch(() => undefined);
  }

  async #add(runId: string, title: string, id: number): Promise<void> {
    const { tabs, tabGroups } = this.#browser;
    const tab = await tabs.get(id);
    if (isGrouped(tab) || tab.windowId === undefined) return;
    // Groups are of one window; after a death of the worker the group is known by its name.
    const [known] = (await tabGroups?.query({ windowId: tab.windowId, title })) ?? [];
    const options = known
      ? { tabIds: [id], groupId: known.id }
      : { tabIds: [id], createProperties: { windowId: tab.windowId } };
    const groupId = await tabs.group?.(options);
    this.#seen.set(id, { runId, ours: true });
    if (groupId !== undefined && !known) await tabGroups?.update(groupId, { title });
  }

  /** A run has ended: what it had grouped in a window that is not its own goes back to where the person had it, outside of groups. Never throws. */
  release(runId: string, own: (tabId: number) => boolean): Promise<void> {
    const mine = [...this.#seen].filter(([, seen]) => seen.runId === runId);
    for (const [id] of mine) this.#seen.delete(id);
    const back = mine.flatMap(([id, { ours }]) => (ours && !own(id) ? [id] : []));
    const { tabs } = this.#browser;
    return this.#turns
      .after(runId, async () => {
        for (const id of back) await tabs.ungroup?.([id]).catch(() => undefined);
      })
      .catch(() => undefined);
  }
}

function isGrouped({ groupId }: BrowserTab): boolean {
  return groupId !== undefined && groupId !== -1;
}
