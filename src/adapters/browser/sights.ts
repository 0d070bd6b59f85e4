import type { PageSight } from '../../actions/protocol.ts';
import { originOf } from '../../engine/values/sites.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageBrowser } from './browser-api.ts';
import { PageScripts } from './page-scripts.ts';
import { Allowance } from './time.ts';

/** How long one look may take in all, milliseconds. */
const LOOK = 10_000;

/** What a look at an open page gives; `unreadable` is why its selector can never be looked for. */
export type Look = { sight: PageSight } | { unreadable: string };

/** Looks at pages that are open in the browser, whosever they are. The caller has checked that it may. */
export class Sights {
  readonly #scripts: PageScripts;
  readonly #clock: Clock;
  #requests = 0;

  constructor(browser: PageBrowser, clock: Clock) {
    this.#scripts = new PageScripts(browser, clock);
    this.#clock = clock;
  }

  /**
   * Looks at the top page of a tab. From then on the page looks at itself, and sends `SIGHT_HINT` when it should be looked at again.
   * @param url where the tab is; a page of another origin that has come meanwhile is not looked at
   * @returns `undefined` where the page cannot be asked now: gone, an error page, or silent
   */
  async look(tabId: number, url: string, selector: string | undefined): Promise<Look | undefined> {
    const origin = originOf(url);
    if (origin === undefined) return undefined;
    this.#requests += 1;
    const time = new Allowance(this.#clock, LOOK, new AbortController().signal);
    const args: JsonObject = selector === undefined ? {} : { selector };
    const request = { id: `sight${this.#requests}`, op: 'sight', args, waitMs: 0, origin } as const;
    const asked = await this.#scripts.ask({ tabId, frameId: 0 }, request, time).catch(() => undefined);
    if (!asked || asked.gone) return undefined;
    const { reply } = asked;
    if (reply.ok) return { sight: reply.value as unknown as PageSight };
    return reply.error.code === 'input_invalid' ? { unreadable: reply.error.message } : undefined;
  }
}
