import type { Look, Sights } from '../adapters/browser/sights.ts';
import type { Engine } from '../engine/engine.ts';
import { BACKGROUND, type PageWanted, pageFits, pageWanted } from '../engine/page-wait.ts';
import { originOf } from '../engine/values/sites.ts';
import type { Command } from '../model/commands.ts';
import { FINAL_RUN, type StepRunRow } from '../model/run.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { BackgroundBrowser } from './browser-api.ts';
import type { Grants } from './grants.ts';

/** A step that waits for a page. */
interface Waiting extends PageWanted {
  runId: string;
  path: string;
  since: number;
}

export interface PageWaitsParts {
  browser: Pick<BackgroundBrowser, 'tabs'>;
  store: Pick<Store, 'steps'>;
  engine: Pick<Engine, 'active' | 'emergency' | 'send'>;
  grants: Pick<Grants, 'covers'>;
  sights: Pick<Sights, 'look'>;
  clock: Pick<Clock, 'now'>;
  random: Pick<Random, 'id'>;
}

/** Refusals after which a wait is known to be over. */
const OVER = new Set(['not_waiting', 'run_finished', 'run_missing']);

/**
 * Tells the engine when a page is open that a step waits for. What is waited for is in the store; this is only a copy, so that most of what
 * happens in the browser can be passed over at once. Looks at a tab when it shows another address or has loaded, when its page hints that an
 * element has come, and at all tabs when a wait begins and when the background does. Telling twice is harmless: a wait ends once.
 */
export class PageWaits {
  readonly #parts: PageWaitsParts;
  readonly #waits = new Map<string, Waiting>();
  readonly #telling = new Set<string>();

  constructor(parts: PageWaitsParts) {
    this.#parts = parts;
  }

  /** After recovery: reads what is waited for, and looks whether it is there. */
  async load(): Promise<void> {
    const { engine, store } = this.#parts;
    for (const { runId, waitingFor } of engine.active) {
      if (!waitingFor.includes('page')) continue;
      for (const row of await store.steps(runId)) this.#keep(runId, row);
    }
    await this.lookAtAll();
  }

  committed({ runId, run, steps, dropSteps }: Commit): void {
    if (FINAL_RUN.includes(run.status)) {
      for (const [key, waiting] of this.#waits) if (waiting.runId === runId) this.#waits.delete(key);
      return;
    }
    for (const path of dropSteps ?? []) this.#waits.delete(keyOf(runId, path));
    const begun = steps.filter((row) => this.#keep(runId, row));
    if (begun.length > 0) void this.lookAtAll().catch(() => undefined);
  }

  /** A tab shows another address, by a navigation or by its page's own script, or has loaded. */
  async updated(tabId: number, url: string): Promise<void> {
    const { engine, grants } = this.#parts;
    const fitting = [...this.#waits.values()].filter((waiting) => pageFits(waiting.url, url));
    const origin = originOf(url);
    // Whoever lifts the stop has all tabs looked at.
    if (fitting.length === 0 || origin === undefined || engine.emergency) return;
    // An address may be known for a moment without a grant: the person has just clicked us there.
    if (!(await grants.covers(origin))) return;
    const selectors = new Set(fitting.map(({ selector }) => selector));
    await Promise.all([...selectors].map((selector) => this.#look(tabId, url, selector)));
  }

  /** A page says that it should be looked at. What it says is believed only so far. */
  async hinted(tabId: number): Promise<void> {
    if (this.#waits.size === 0) return;
    const tab = await this.#parts.browser.tabs.get(tabId).catch(() => undefined);
    if (tab?.url !== undefined) await this.updated(tabId, tab.url);
  }

  /** A wait has begun, sites were granted, or the emergency stop was lifted: what is waited for may be there already. */
  async lookAtAll(): Promise<void> {
    if (this.#waits.size === 0) return;
    const tabs = (await this.#parts.browser.tabs.query?.({})) ?? [];
    await Promise.all(
      tabs.map(({ id, url }) => (id === undefined || url === undefined ? undefined : this.updated(id, url))),
    );
  }

  async #look(tabId: number, url: string, selector: string | undefined): Promise<void> {
    const look = await this.#parts.sights.look(tabId, url, selector);
    if (!look) return;
    const there = [...this.#waits.values()].filter((waiting) => waiting.selector === selector);
    // The page may have gone on since its address was told.
    const meant = there.filter((waiting) => pageFits(waiting.url, 'sight' in look ? look.sight.url : url));
    await Promise.all(meant.map((waiting) => this.#tell(waiting, look, url)));
  }

  async #tell(waiting: Waiting, look: Look, url: string): Promise<void> {
    if ('sight' in look && !look.sight.seen) return;
    const { engine, clock, random } = this.#parts;
    const { runId, path, since } = waiting;
    const key = keyOf(runId, path);
    if (this.#telling.has(key)) return;
    const about: Command =
      'sight' in look
        ? { type: 'pageSeen', runId, path, since, url: look.sight.url, title: look.sight.title }
        : {
            type: 'pageSeen',
            runId,
            path,
            since,
            url,
            title: '',
            problem: { code: 'input_invalid', message: look.unreadable },
          };
    this.#telling.add(key);
    try {
      const at = clock.now();
      const sent = { commandId: random.id(), at, by: BACKGROUND, roles: [], surface: BACKGROUND, command: about };
      const result = await engine.send(sent);
      // Anything else is tried again: the page hints once more as long as nobody ends its watch.
      if ((result.ok || OVER.has(result.code)) && this.#waits.get(key)?.since === since) this.#waits.delete(key);
    } finally {
      this.#telling.delete(key);
    }
  }

  /** @returns whether the step has just begun to wait for a page */
  #keep(runId: string, { path, status, wait }: StepRunRow): boolean {
    const key = keyOf(runId, path);
    const wanted = status === 'waiting' && wait?.kind === 'page' ? pageWanted(wait.data) : undefined;
    if (!wait || !wanted) {
      this.#waits.delete(key);
      return false;
    }
    const known = this.#waits.get(key)?.since === wait.since;
    this.#waits.set(key, { ...wanted, runId, path, since: wait.since });
    return !known;
  }
}

function keyOf(runId: string, path: string): string {
  return `${runId} ${path}`;
}
