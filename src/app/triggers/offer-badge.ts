import type { App } from '../app.ts';

const BLUE = '#1d4ed8';
/** A sign and no number: numbers on the badge are approvals. */
const SIGN = '▸';

/**
 * The toolbar button on pages for which there is a workflow. What calls for the person is said on every tab, and goes before.
 */
export class OfferBadge {
  readonly #app: Pick<App, 'browser' | 'attention'>;
  /** Offers by tab; tabs that had one stay, so that their sign can be taken away. */
  readonly #tabs = new Map<number, number>();

  constructor(app: Pick<App, 'browser' | 'attention'>) {
    this.#app = app;
    app.attention.onDraw(() => {
      for (const tabId of this.#tabs.keys()) this.#draw(tabId);
    });
  }

  set(tabId: number, offers: number): void {
    if (offers === 0 && !this.#tabs.has(tabId)) {
      // An earlier worker may have left a sign.
      this.#quietly(() => this.#app.browser.action.setBadgeText({ tabId, text: null }));
      return;
    }
    this.#tabs.set(tabId, offers);
    this.#draw(tabId);
  }

  forget(tabId: number): void {
    this.#tabs.delete(tabId);
  }

  #draw(tabId: number): void {
    const { browser, attention } = this.#app;
    const offers = this.#tabs.get(tabId) ?? 0;
    const { text, title } = attention.badge;
    const shown = offers > 0 && text === '';
    const words = offers > 0 ? attention.words('triggers.offered', offers) : '';
    this.#quietly(() =>
      Promise.all([
        browser.action.setBadgeText({ tabId, text: shown ? SIGN : null }),
        ...(shown ? [browser.action.setBadgeBackgroundColor({ tabId, color: BLUE })] : []),
        browser.action.setTitle({ tabId, title: words === '' ? title : `${title} · ${words}` }),
      ]),
    );
  }

  /** A tab may be gone by now. */
  #quietly(work: () => Promise<unknown>): void {
    Promise.resolve()
      .then(work)
      .catch(() => undefined);
  }
}
