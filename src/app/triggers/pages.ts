import { lookAtPage, type PageLook } from '../../adapters/browser/look.ts';
import { pageAddress, pageTriggersFor } from '../../engine/triggers/rules.ts';
import { siteAllows } from '../../engine/values/sites.ts';
import { isObject } from '../../model/json.ts';
import type { TriggerOf } from '../../model/triggers.ts';
import { within } from '../doctor/within.ts';
import type { KnownTrigger } from './known.ts';
import { OfferBadge } from './offer-badge.ts';
import type { Base, Triggers } from './triggers.ts';

/** What started by itself on which page; kept as long as the browser lives. */
const VISITS = 'tabloom.visits';
/** How long an element may take to come after the page, milliseconds. */
const PATIENCE = 10_000;
/** How long a page may take to answer at all, milliseconds. */
const SILENCE = 1000;

/** A page trigger that fits the page in a tab. */
export interface Offer {
  one: KnownTrigger & { trigger: TriggerOf<'page'> };
  look: PageLook;
}

/** By tab, then by trigger: the document and address on which it has started. */
type Visits = Record<string, Record<string, string>>;

/**
 * Offers workflows on the pages that their triggers match, and starts those by themselves for which the person has said so. The browser tells
 * addresses only of pages on granted sites, changes by a page's own script included.
 */
export class PageTriggers {
  readonly badge: OfferBadge;
  readonly #app: Base;
  readonly #triggers: Triggers;
  #visits: Promise<Visits> | undefined;

  constructor(app: Base, triggers: Triggers) {
    this.#app = app;
    this.#triggers = triggers;
    this.badge = new OfferBadge(app);
  }

  /** A tab shows another page, or the same one is there whole. */
  async updated(tabId: number, url: string): Promise<void> {
    const fitting = this.#fitting(url);
    await this.#left(tabId, url);
    if (fitting.length === 0) {
      this.badge.set(tabId, 0);
      return;
    }
    const offers = await this.#look(tabId, url, fitting, PATIENCE);
    this.badge.set(tabId, offers.length);
    if (offers.length > 0) this.#app.updates.push(['workflows']);
    for (const offer of offers) await this.#auto(tabId, offer);
  }

  async closed(tabId: number): Promise<void> {
    this.badge.forget(tabId);
    const visits = await this.#known();
    if (!(tabId in visits)) return;
    delete visits[tabId];
    await this.#keep(visits);
  }

  /** Triggers were switched, or the background has begun: every page is looked at anew. Nothing starts by itself by that. */
  async lookAtAll(): Promise<void> {
    for (const { id, url } of (await this.#app.browser.tabs.query?.({})) ?? []) {
      if (id === undefined || url === undefined) continue;
      const fitting = this.#fitting(url);
      this.badge.set(id, fitting.length === 0 ? 0 : (await this.#look(id, url, fitting, 0)).length);
    }
  }

  /** What can be started on the page in a tab now. */
  async offers(tabId: number): Promise<Offer[]> {
    const url = await this.#app.browser.tabs.get(tabId).then(
      (tab) => tab.url,
      () => undefined,
    );
    return url === undefined ? [] : this.#look(tabId, url, this.#fitting(url), 0);
  }

  #fitting(url: string): Offer['one'][] {
    return this.#triggers.known
      .on('page')
      .filter(({ workflow, trigger }) =>
        pageTriggersFor(workflow.definition, url).some(({ id }) => id === trigger.id),
      ) as Offer['one'][];
  }

  async #look(tabId: number, url: string, fitting: readonly Offer['one'][], waitMs: number): Promise<Offer[]> {
    const looked = await Promise.all(
      fitting.map(async (one): Promise<Offer[]> => {
        // A page that shows a dialog, or whose script does not end, never answers; what the popup shows must not hang on it.
        const answer = lookAtPage(this.#app.browser, tabId, one.trigger.selector, waitMs);
        const look = await within(this.#app.clock, waitMs + SILENCE, answer).catch(() => undefined);
        // The page may have gone on while its element was waited for.
        return look?.found && pageAddress(look.url) === pageAddress(url) ? [{ one, look }] : [];
      }),
    );
    return looked.flat();
  }

  async #auto(tabId: number, { one, look }: Offer): Promise<void> {
    const { workflow, trigger, state } = one;
    if (trigger.auto !== true || !siteAllows(state.origins ?? [], look.url) || this.#ofRun(tabId)) return;
    const visits = await this.#known();
    const mark = `${look.document} ${pageAddress(look.url)}`;
    const name = `${workflow.workflowId}/${trigger.id}`;
    if (visits[tabId]?.[name] === mark) return;
    visits[tabId] = { ...visits[tabId], [name]: mark };
    // Stored before it fires: rather not at all than twice.
    await this.#keep(visits);
    const { url, title, matched } = look;
    const tab = { id: tabId, session: this.#app.session, address: pageAddress(url) };
    await this.#triggers.fire(one, { url, title, matched }, { tab });
  }

  /** A tab in which a run works: what a run opens must not start runs. */
  #ofRun(tabId: number): boolean {
    return this.#app.engine.active.some(({ tabs }) =>
      tabs?.list.some(
        ({ browserTabId, session, closed }) =>
          browserTabId === tabId && session === this.#app.session && closed === undefined,
      ),
    );
  }

  /** The visit of a page ends with another address; who comes back visits it anew. */
  async #left(tabId: number, url: string): Promise<void> {
    const visits = await this.#known();
    const there = Object.entries(visits[tabId] ?? {});
    const kept = there.filter(([, mark]) => mark.slice(mark.indexOf(' ') + 1) === pageAddress(url));
    if (kept.length === there.length) return;
    visits[tabId] = Object.fromEntries(kept);
    await this.#keep(visits);
  }

  #known(): Promise<Visits> {
    this.#visits ??= this.#app.browser.storage.session.get(VISITS).then(
      (kept) => (isObject(kept[VISITS]) ? (kept[VISITS] as unknown as Visits) : {}),
      () => ({}),
    );
    return this.#visits;
  }

  #keep(visits: Visits): Promise<void> {
    return this.#app.browser.storage.session.set({ [VISITS]: visits });
  }
}
