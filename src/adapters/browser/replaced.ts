import type { RunTabs } from '../../model/run.ts';
import type { PageBrowser } from './browser-api.ts';

const KEY = 'tabloom.replaced';
/** So many are kept; the oldest ones go. */
const MOST = 500;

/**
 * Which tab the browser has put in the place of another one: Chromium gives a tab that it drops to save memory another id. What runs have
 * stored of their tabs holds the old one, so this is kept for as long as the browser lives.
 */
export class ReplacedTabs {
  readonly #session: PageBrowser['storage']['session'];
  #known: Promise<Map<number, number>> | undefined;

  constructor({ storage }: Pick<PageBrowser, 'storage'>) {
    this.#session = storage.session;
  }

  /** Never throws: where it cannot be kept it is known in this life of the worker. */
  async note(added: number, removed: number): Promise<void> {
    const known = await this.#load();
    for (const [from, to] of known) if (to === removed) known.set(from, added);
    known.set(removed, added);
    for (const from of known.keys()) if (known.size > MOST) known.delete(from);
    await this.#session.set({ [KEY]: [...known] }).catch(() => undefined);
  }

  /** A run's tabs as the browser has them now. */
  async apply(tabs: RunTabs, session: string): Promise<RunTabs> {
    const known = await this.#load();
    const list = tabs.list.map((tab) => {
      const now = tab.session === session ? known.get(tab.browserTabId) : undefined;
      return now === undefined ? tab : { ...tab, browserTabId: now };
    });
    return list.some((tab, n) => tab !== tabs.list[n]) ? { ...tabs, list } : tabs;
  }

  #load(): Promise<Map<number, number>> {
    this.#known ??= this.#session.get(KEY).then(
      (kept) => new Map((kept[KEY] ?? []) as [number, number][]),
      () => new Map<number, number>(),
    );
    return this.#known;
  }
}
