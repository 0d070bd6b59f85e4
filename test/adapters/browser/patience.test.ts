import { expect, it } from 'vitest';
import { BrowserPages, type PageBrowser } from '../../../src/adapters/browser/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/adapters/memory/index.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { PageCall } from '../../../src/ports/pages.ts';

/** How long an action waits: as long as its step says, and no layer below says otherwise. */

const never = { addListener: () => undefined, removeListener: () => undefined };

/** A browser with one tab, whose page has nothing to act on until `readyAt`, milliseconds. */
function slowBrowser(clock: VirtualClock, readyAt: number, url: () => string, status: () => string): PageBrowser {
  const page = async (name: string, args: unknown[]): Promise<unknown> => {
    if (name === 'markPage') return 'document';
    if (name === 'answerOf') return { status: 200, type: 'text/html' };
    if (name === 'readyStateOf') return status();
    if (name !== 'callPage') return null;
    const { op, waitMs } = args[2] as { op: string; waitMs: number };
    const ends = Math.min(readyAt, clock.now() + waitMs);
    await new Promise<void>((done) => clock.setTimer(Math.max(0, ends - clock.now()), done));
    if (clock.now() >= readyAt)
      return { key: 'k', reply: { ok: true, value: op === 'locate' ? { what: 'x' } : null, matched: 0 } };
    return { key: 'k', reply: { ok: false, wait: true, error: { code: 'element_not_found', message: 'Not yet.' } } };
  };
  return {
    runtime: { getURL: (path: string) => `chrome-extension://x${path}` },
    tabs: {
      get: async (id: number) => ({ id, windowId: 1, url: url(), title: '', status: status(), active: true }),
      update: async () => undefined,
      onCreated: never,
      onUpdated: never,
    },
    permissions: { contains: async () => true },
    scripting: {
      executeScript: async (injection: { func?: { name: string }; args?: unknown[] }) => [
        { frameId: 0, result: injection.func ? await page(injection.func.name, injection.args ?? []) : null },
      ],
    },
    storage: { session: { get: async () => ({}), set: async () => undefined } },
  } as unknown as PageBrowser;
}

async function perform(clock: VirtualClock, browser: PageBrowser, action: string, args: JsonObject, timeoutMs: number) {
  const vault = {
    names: async () => [],
    reveal: async () => undefined,
    set: async () => undefined,
    remove: async () => undefined,
  };
  const pages = new BrowserPages({ browser, session: 's', clock, vault });
  const call: PageCall = {
    runId: 'r',
    path: 'step',
    attempt: 1,
    action,
    arguments: args,
    secrets: [],
    tabs: {
      list: [{ tab: 't1', browserTabId: 1, session: 's', url: 'https://a.example/', title: '' }],
      current: 't1',
      next: 2,
    },
    sites: ['https://a.example/*'],
    timeoutMs,
    idempotencyKey: 'key',
    signal: new AbortController().signal,
  };
  const settled = pages.perform(call).then(
    ({ output }) => ({ output, at: clock.now() }),
    (error: unknown) => ({ error, at: clock.now() }),
  );
  let done = false;
  void settled.then(() => {
    done = true;
  });
  for (let turns = 0; !done && turns < 20_000; turns++) {
    for (let i = 0; i < 30; i++) await Promise.resolve();
    await new Promise((next) => setImmediate(next));
    const next = clock.next();
    if (!done && next !== undefined) clock.advanceTo(next);
  }
  return settled;
}

const click = { target: { text: 'Go' } };

it.each([
  ['click', click],
  ['fill', { target: { label: 'Name' }, value: 'x' }],
  ['wait_for', { text: 'done' }],
])('timeout: 120s, and the page needs 50 s: %s waits for it', async (action, args) => {
  const clock = createVirtualClock();
  const browser = slowBrowser(
    clock,
    50_000,
    () => 'https://a.example/',
    () => 'complete',
  );
  const told = await perform(clock, browser, action, args, 120_000);
  expect(told).not.toHaveProperty('error');
  expect(told.at).toBeGreaterThanOrEqual(50_000);
  expect(told.at).toBeLessThan(60_000);
});

it('a page that takes 50 s to load is waited for by navigate', async () => {
  const clock = createVirtualClock();
  const loaded = (): boolean => clock.now() >= 50_000;
  const browser = slowBrowser(
    clock,
    0,
    () => (loaded() ? 'https://a.example/b' : 'https://a.example/'),
    () => (loaded() ? 'complete' : 'loading'),
  );
  const told = await perform(clock, browser, 'navigate', { url: 'https://a.example/b' }, 120_000);
  expect(told).toMatchObject({ output: { url: 'https://a.example/b' } });
});

it('what never comes is told within the time of the step, by its own reason', async () => {
  const clock = createVirtualClock();
  const browser = slowBrowser(
    clock,
    Number.POSITIVE_INFINITY,
    () => 'https://a.example/',
    () => 'complete',
  );
  const told = await perform(clock, browser, 'click', click, 120_000);
  expect(told).toMatchObject({ error: { info: { code: 'element_not_found', acted: false } } });
  expect(told.at).toBeGreaterThan(100_000);
  expect(told.at).toBeLessThanOrEqual(120_000);
});
