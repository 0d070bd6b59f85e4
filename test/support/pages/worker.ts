import { BrowserPages, type PageBrowser } from '../../../src/adapters/browser/index.ts';
import { systemClock } from '../../../src/adapters/clock.ts';
import { toErrorInfo } from '../../../src/model/errors.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** Background of the extension that page actions are tried in: the real adapter, and nothing of the engine. */

const secrets = new Map([['password', 'hunter-42-secret']]);
let aborts = new AbortController();

const browser = chrome as unknown as PageBrowser;
let pages = make('life-1');

function make(session: string): BrowserPages {
  return new BrowserPages({
    browser,
    session,
    clock: systemClock,
    vault: {
      names: async () => [...secrets.keys()],
      reveal: async (name) => secrets.get(name),
      set: async () => undefined,
      remove: async () => undefined,
    },
  });
}

/** Called by the tests through the worker. */
Object.assign(globalThis, {
  async act(call: Omit<PageCall, 'signal'>) {
    aborts = new AbortController();
    try {
      return { ok: true, result: await pages.perform({ ...call, signal: aborts.signal }) };
    } catch (error) {
      return { ok: false, error: toErrorInfo(error) };
    }
  },
  abort: () => aborts.abort(),
  /** As after a relaunch of the browser (another session) or a death of the worker (the same one). */
  restart: (session: string) => {
    pages = make(session);
  },
});
