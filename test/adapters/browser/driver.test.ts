import { describe, expect, it } from 'vitest';
import type { BrowserTab } from '../../../src/adapters/browser/browser-api.ts';
import { BrowserPages, type PageBrowser } from '../../../src/adapters/browser/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/adapters/memory/index.ts';
import { type ErrorInfo, toErrorInfo } from '../../../src/model/errors.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { RunTabs } from '../../../src/model/run.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** The driver in a browser that is made up, on a clock that is: how long it waits, and what becomes of its tabs. */

const URL_A = 'https://a.example/';

/** One tab, `id`, whose page has nothing to act on until `readyAt`, epoch milliseconds. */
class FakeBrowser {
  readonly clock: VirtualClock;
  id = 1;
  readyAt = 0;
  tab: () => Partial<BrowserTab> = () => ({});
  /** The one that was opened. */
  second: () => Partial<BrowserTab> = () => ({});
  reloads = 0;
  /** A request that takes its time, and what comes of it to be asked anything meanwhile. */
  slow: { op: string; ms: number; asked: () => Promise<unknown> } | undefined;
  /** What the page answers to a click. */
  clicked: JsonObject | null = null;
  /** A tab that is opened has no address yet. */
  blank = false;
  /** Addresses of tabs that were opened. */
  readonly opened: string[] = [];
  readonly #onCreated = new Set<(tab: BrowserTab) => void>();
  /** Outlives the worker. */
  readonly kept: Record<string, unknown> = {};

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  get api(): PageBrowser {
    const never = { addListener: () => undefined, removeListener: () => undefined };
    return {
      runtime: { getURL: (path: string) => `chrome-extension://x${path}` },
      tabs: {
        get: async (id: number) => {
          const second = id === 2 && this.opened.length > 0;
          if (id !== this.id && !second) throw new Error(`No tab with id: ${id}.`);
          const now = second ? this.second() : this.tab();
          return { id, windowId: 1, url: URL_A, title: '', status: 'complete', active: true, ...now };
        },
        update: async () => undefined,
        reload: async () => {
          this.reloads += 1;
        },
        create: async ({ url, openerTabId }: { url: string; openerTabId?: number }) => {
          this.opened.push(url);
          const tab = {
            id: 2,
            windowId: 1,
            url: this.blank ? '' : url,
            ...(openerTabId === undefined ? {} : { openerTabId }),
          };
          for (const listener of this.#onCreated) listener(tab);
          return tab;
        },
        onCreated: {
          addListener: (listener: (tab: BrowserTab) => void) => void this.#onCreated.add(listener),
          removeListener: (listener: (tab: BrowserTab) => void) => void this.#onCreated.delete(listener),
        },
        onUpdated: never,
      },
      permissions: { contains: async () => true },
      scripting: {
        executeScript: async ({ func, args }: { func?: { name: string }; args?: unknown[] }) => [
          { frameId: 0, result: func ? await this.#page(func.name, args ?? []) : null },
        ],
      },
      storage: {
        session: {
          get: async () => structuredClone(this.kept),
          set: async (items: object) => void Object.assign(this.kept, structuredClone(items)),
        },
      },
    } as unknown as PageBrowser;
  }

  async #page(name: string, args: unknown[]): Promise<unknown> {
    if (name === 'markPage') return `document ${this.reloads}`;
    if (name === 'answerOf') return { status: 200, type: 'text/html' };
    if (name === 'keyOfPage' && this.slow) return this.slow.asked();
    if (name !== 'callPage') return null;
    const { op, waitMs } = args[2] as { op: string; waitMs: number };
    if (op === this.slow?.op) await new Promise<void>((done) => this.clock.setTimer(this.slow?.ms ?? 0, done));
    const until = Math.min(this.readyAt, this.clock.now() + waitMs);
    await new Promise<void>((done) => this.clock.setTimer(Math.max(0, until - this.clock.now()), done));
    const value = op === 'click' ? this.clicked : (VALUES[op] ?? null);
    if (this.clock.now() >= this.readyAt) return { key: 'k', reply: { ok: true, value, matched: 0 } };
    return { key: 'k', reply: { ok: false, wait: true, error: { code: 'element_not_found', message: 'Not yet.' } } };
  }
}

/** What the page answers. */
const VALUES: Readonly<Record<string, JsonObject>> = {
  locate: { what: 'it' },
  fill: { value: 'x' },
  snapshot: { id: 's1', url: URL_A, title: 'A', text: '', cursor: null, frames: [] },
};

/** A run of one tab. */
class FakeRun {
  readonly clock = createVirtualClock();
  readonly browser = new FakeBrowser(this.clock);
  pages = this.worker();
  tabs: RunTabs = {
    list: [{ tab: 't1', browserTabId: 1, session: 's', url: URL_A, title: '' }],
    current: 't1',
    next: 2,
  };
  #calls = 0;

  /** Another life of the worker. */
  worker(): BrowserPages {
    const vault = {
      names: async () => [],
      reveal: async () => undefined,
      set: async () => undefined,
      remove: async () => undefined,
    };
    return new BrowserPages({ browser: this.browser.api, session: 's', clock: this.clock, vault });
  }

  /** Does an action, while time passes as fast as it can. */
  async do(
    action: string,
    args: JsonObject,
    timeoutMs = 120_000,
    tab?: string,
  ): Promise<{ output?: unknown; error?: ErrorInfo }> {
    this.#calls += 1;
    const call: PageCall = {
      runId: 'r',
      path: 'step',
      attempt: 1,
      action,
      arguments: args,
      ...(tab === undefined ? {} : { tab }),
      secrets: [],
      tabs: this.tabs,
      sites: [`${URL_A}*`],
      timeoutMs,
      idempotencyKey: `key${this.#calls}`,
      signal: new AbortController().signal,
    };
    let told: { output?: unknown; error?: ErrorInfo } | undefined;
    this.pages.perform(call).then(
      ({ output, tabs }) => {
        this.tabs = tabs;
        told = { output };
      },
      (error: unknown) => {
        told = { error: toErrorInfo(error) };
      },
    );
    for (let turns = 0; !told && turns < 20_000; turns++) {
      await new Promise((next) => setImmediate(next));
      const next = this.clock.next();
      if (!told && next !== undefined) this.clock.advanceTo(next);
    }
    return told ?? {};
  }
}

const click = { target: { text: 'Go' } };
const fill = { target: { label: 'Name' }, value: 'x' };

it.each([
  ['click', click],
  ['fill', fill],
  ['wait_for', { text: 'done' }],
])('timeout: 120s, and the page needs 50 s: %s waits for it', async (action, args) => {
  const run = new FakeRun();
  run.browser.readyAt = 50_000;
  expect(await run.do(action, args)).not.toHaveProperty('error');
  expect(run.clock.now()).toBeGreaterThanOrEqual(50_000);
  expect(run.clock.now()).toBeLessThan(60_000);
});

it('a tab that was opened a moment ago has no address yet: its first page is waited for', async () => {
  const run = new FakeRun();
  run.browser.tab = () => (run.clock.now() >= 500 ? {} : { url: '', pendingUrl: URL_A, status: 'loading' });
  expect((await run.do('snapshot', {})).error).toBeUndefined();
  expect(run.clock.now()).toBeGreaterThanOrEqual(500);
});

it('a page that takes 50 s to load is waited for by navigate', async () => {
  const run = new FakeRun();
  run.browser.tab = () => (run.clock.now() >= 50_000 ? { url: `${URL_A}b` } : { status: 'loading' });
  expect(await run.do('navigate', { url: `${URL_A}b` })).toMatchObject({ output: { url: `${URL_A}b` } });
});

it('what never comes is told within the time of the step, by its own reason', async () => {
  const run = new FakeRun();
  run.browser.readyAt = Number.POSITIVE_INFINITY;
  expect(await run.do('click', click)).toMatchObject({ error: { code: 'element_not_found', acted: false } });
  expect(run.clock.now()).toBeGreaterThan(100_000);
  expect(run.clock.now()).toBeLessThanOrEqual(120_000);
});

it.each([false, true])(
  "a tab that the browser has put another one in the place of is the run's (worker died: %s)",
  async (died) => {
    const run = new FakeRun();
    await run.do('fill', fill);
    run.browser.id = 8;
    await run.pages.replaced(7, 1);
    await run.pages.replaced(8, 7);
    if (died) run.pages = run.worker();
    expect(await run.do('click', click)).not.toHaveProperty('error');
    expect(run.tabs.list).toMatchObject([{ tab: 't1', browserTabId: 8 }]);
    expect(run.tabs.list[0]).not.toHaveProperty('closed');
  },
);

it('a page that the browser has dropped is loaded again for what reads it; what was filled in is lost to a click', async () => {
  const run = new FakeRun();
  await run.do('fill', fill);
  run.browser.tab = () => (run.browser.reloads === 0 ? { discarded: true, status: 'unloaded' } : {});
  expect(await run.do('click', click)).toMatchObject({
    error: { code: 'tab_lost', details: { reason: 'fields_lost' } },
  });
  expect(run.browser.reloads).toBe(1);
  expect(await run.do('snapshot', {})).not.toHaveProperty('error');
  expect(run.browser.reloads).toBe(1);
});

it('a page that the browser has put to sleep behind another one of the person: told, instead of being waited for', async () => {
  const run = new FakeRun();
  run.browser.tab = () => ({ active: false });
  expect(await run.do('snapshot', {})).not.toHaveProperty('error');
  run.browser.tab = () => ({ active: false, frozen: true });
  expect(await run.do('snapshot', {})).toMatchObject({ error: { code: 'tab_not_visible' } });
  expect(await run.do('list_tabs', {})).not.toHaveProperty('error');
});

it.each<[string, JsonObject]>([
  ['snapshot', {}],
  ['click', click],
  ['fill', fill],
  ['go_back', {}],
  ['close_tab', {}],
  ['handle_dialog', { accept: true }],
])('a run without a tab: no tab of a window is taken for it, and what to do is said (%s)', async (action, args) => {
  const run = new FakeRun();
  run.tabs = { list: [], next: 1 };
  const { error } = await run.do(action, args);
  expect(error).toMatchObject({ code: 'input_invalid', message: expect.stringContaining('navigate or open_tab') });
});

describe('a click that follows a link into a new tab', () => {
  const clicked = async (opens: string, kept: boolean) => {
    const run = new FakeRun();
    run.browser.clicked = { opens, kept };
    const { output } = await run.do('click', click);
    return { output, opened: run.browser.opened, ms: run.clock.now() };
  };

  it('that the browser was kept from opening: it is opened, where the run may go there', async () => {
    const { output, opened } = await clicked(`${URL_A}new`, true);
    expect(output).toMatchObject({ openedTab: 't2', dialogs: [] });
    expect(opened).toEqual([`${URL_A}new`]);
  });

  it.each(['', 'about:blank'])(
    'whose first page is not there yet ("%s"): what comes next waits for it',
    async (url) => {
      const run = new FakeRun();
      run.browser.clicked = { opens: `${URL_A}new`, kept: true };
      run.browser.blank = true;
      const there = run.clock.now() + 4000;
      run.browser.second = () => (run.clock.now() >= there ? { url: `${URL_A}new` } : { url });
      expect((await run.do('click', click)).output).toMatchObject({ openedTab: 't2' });
      // The click itself does not wait for long; should the browser die now, it is known what was asked for.
      expect(run.clock.now()).toBeLessThan(there);
      expect(run.tabs.list[1]).toMatchObject({ tab: 't2', url: `${URL_A}new` });
      expect((await run.do('snapshot', {}, 120_000, 't2')).error).toBeUndefined();
      expect(run.clock.now()).toBeGreaterThanOrEqual(there);
      // Once it was seen, a blank page is what it says.
      run.browser.second = () => ({ url: 'about:blank' });
      const since = run.clock.now();
      expect((await run.do('snapshot', {}, 120_000, 't2')).error?.code).toBe('site_not_allowed');
      expect(run.clock.now() - since).toBeLessThan(1000);
    },
  );

  it('that leads to elsewhere then: none is opened or waited for, and that is told', async () => {
    const { output, opened, ms } = await clicked('https://b.example/', true);
    const dialogs = [{ type: 'window', message: 'https://b.example/', accepted: false }];
    expect(output).toMatchObject({ openedTab: null, dialogs });
    expect(opened).toEqual([]);
    expect(ms).toBeLessThan(1000);
  });

  it('that the browser opens itself: waited for, and told where it does not come', async () => {
    const { output, opened, ms } = await clicked(`${URL_A}new`, false);
    const dialogs = [{ type: 'window', message: `${URL_A}new`, accepted: false }];
    expect(output).toMatchObject({ openedTab: null, dialogs });
    expect(opened).toEqual([]);
    expect(ms).toBeGreaterThanOrEqual(2000);
  });
});

describe('a page that is typed into for long', () => {
  const typing = { target: { label: 'Name' }, text: 'abc' };

  it('answers nothing meanwhile: told as stuck after some seconds, and as not known whether it was done', async () => {
    const run = new FakeRun();
    run.browser.slow = { op: 'type', ms: 60_000, asked: () => new Promise(() => undefined) };
    const { error } = await run.do('type', typing);
    expect(error).toMatchObject({ code: 'timeout', acted: true, details: { reason: 'tab_silent' } });
    expect(run.clock.now()).toBeLessThan(9000);
  });

  it('cannot be asked meanwhile, since it leads to another page: its own answer counts', async () => {
    const run = new FakeRun();
    const asked = () => Promise.reject(new Error('Cannot access contents of the page.'));
    run.browser.slow = { op: 'type', ms: 6000, asked };
    expect(await run.do('type', typing)).toEqual({ output: { value: null } });
  });
});
