import { type BrowserContext, expect, type Page, type Worker } from '@playwright/test';
import type { JsonObject } from '../../src/model/json.ts';
import { Run, test } from '../support/pages/run.ts';
import { startPageServer } from '../support/pages/server.ts';

/** Where a run may go, which tabs are its own, and who goes first: the browser adapter in a real Chromium, without the engine. */

const LOG = { target: { css: '#log' } };
const SECRET = 'hunter-42-secret';

/** The page of the run's current tab. */
async function pageOf(run: Run, context: BrowserContext, end: string): Promise<Page> {
  await run.do('wait_for', { url: end });
  const found = () => context.pages().find((one) => one.url().endsWith(end));
  // Playwright learns of pages a little later than the extension.
  await expect.poll(found).toBeTruthy();
  return found() as Page;
}

test.describe('history', () => {
  test('go_back: entries that a page has made, the page before, and then nothing more', async ({ run, harness }) => {
    await run.open('/form?first');
    await run.do('navigate', { url: `${run.site}/spa` });
    expect(await run.do('click', { target: { text: 'List' } })).toMatchObject({ url: `${run.site}/spa?view=list` });
    expect(await run.do('click', { target: { text: 'Detail' } })).toMatchObject({ url: `${run.site}/spa?view=detail` });
    expect(await run.do('go_back')).toEqual({ url: `${run.site}/spa?view=list`, title: 'list' });
    expect(await run.text('#view')).toBe('list');
    expect(await run.do('go_back')).toEqual({ url: `${run.site}/spa`, title: 'home' });
    expect(await run.do('go_back')).toEqual({ url: `${run.site}/form?first`, title: 'Form' });
    const page = await pageOf(run, harness.context, '/form?first');
    await run.do('click', LOG);
    expect(await page.evaluate("events.filter((type) => type === 'click').length")).toBe(1);
    const error = await run.fail('go_back', {}, { timeoutMs: 15_000 });
    expect(error).toMatchObject({ code: 'operation_failed', acted: false, details: { reason: 'no_history' } });
    expect(error.message).toContain('nothing in this tab to go back to');
    // It is where it was.
    expect(await run.text('h1')).toBe('Expense');
    expect(await page.evaluate('events.length')).toBeGreaterThan(0);
  });

  test('what is before the page is none of the sites: told, as done, and not read', async ({ run }) => {
    const other = await startPageServer();
    try {
      const both = { sites: [`${run.site}/*`, `${other.origin}/*`] };
      await run.do('navigate', { url: `${other.origin}/form?elsewhere` }, both);
      await run.open('/form?here');
      expect(await run.fail('go_back', {}, { timeoutMs: 15_000 })).toMatchObject({
        code: 'site_not_allowed',
        acted: true,
        details: { origin: other.origin },
      });
      expect((await run.fail('snapshot')).code).toBe('site_not_allowed');
      expect(await run.do('extract', { target: { css: 'h1' } }, both)).toEqual({ text: 'Expense' });
    } finally {
      await other.close();
    }
  });

  test('a page that is slow to come back is waited for, and one that does not come is told', async ({ run }) => {
    await run.open('/echo?wait=1200');
    await run.open('/form');
    expect(await run.do('go_back')).toEqual({ url: `${run.site}/echo?wait=1200`, title: 'Echo' });
  });
});

test.describe('where a page leads', () => {
  test('a click that is redirected to another site: told, and nothing is read there', async ({ run, harness }) => {
    const other = await startPageServer();
    try {
      await run.open('/form?redirected');
      const page = await pageOf(run, harness.context, '/form?redirected');
      await page.evaluate((to) => {
        (document.querySelector('#next') as HTMLAnchorElement).href = `/redirect?to=${encodeURIComponent(to)}`;
      }, `${other.origin}/form`);
      await run.do('click', { target: { css: '#next' } });
      for (const [action, args] of [
        ['snapshot', {}],
        ['extract', { target: { css: 'h1' } }],
        ['click', LOG],
        ['fill', { target: { css: '#why' }, value: 'x' }],
      ] as [string, JsonObject][]) {
        const error = await run.fail(action, args);
        expect(error, action).toMatchObject({ code: 'site_not_allowed', details: { origin: other.origin } });
        expect(error.acted, action).not.toBe(true);
      }
      // Not even its title, which is the page's own words.
      expect((await run.do('list_tabs')).tabs).toMatchObject([{ url: `${other.origin}/form`, title: '' }]);
      expect(await run.fail('navigate', { url: `${run.site}/redirect?to=${other.origin}/form` })).toMatchObject({
        code: 'site_not_allowed',
      });
    } finally {
      await other.close();
    }
  });

  test('an address of this machine under a pattern for any host: refused before it is opened', async ({
    run,
    harness,
  }) => {
    const sites = ['https://*/*', 'http://*/*', '<all_urls>'];
    const before = harness.context.pages().length;
    expect(await run.fail('navigate', { url: `${run.site}/form` }, { sites })).toMatchObject({
      code: 'site_not_allowed',
      details: { reason: 'local_network' },
    });
    expect(harness.context.pages().length).toBe(before);
  });

  test('a page of the extension or of the browser is no page for a run', async ({ run, harness }) => {
    for (const url of [
      `chrome-extension://${new URL(harness.worker.url()).host}/opening.html`,
      'chrome://version/',
      'about:blank',
    ])
      expect(await run.fail('navigate', { url }, { sites: ['<all_urls>'] })).toMatchObject({
        code: 'site_not_allowed',
      });
    await run.open('/form');
    const [tab] = run.tabs.list;
    const own = await harness.worker.evaluate(async (id) => {
      await chrome.tabs.update(id, { url: chrome.runtime.getURL('opening.html') });
      return id;
    }, tab?.browserTabId as number);
    await expect
      .poll(() => harness.worker.evaluate(async (id) => (await chrome.tabs.get(id)).url, own))
      .toContain('opening.html');
    for (const [action, args] of [
      ['snapshot', {}],
      ['click', { target: { css: 'body' } }],
      ['go_back', {}],
    ] as [string, JsonObject][])
      expect(await run.fail(action, args), action).toMatchObject({ code: 'site_not_allowed' });
  });
});

test.describe('tabs that a click opens', () => {
  test("a link that says nothing of where it came from: its tab is the run's", async ({ run }) => {
    await run.open('/spa');
    const { openedTab, url } = await run.do('click', { target: { css: '#noopener' } });
    expect([openedTab, url]).toEqual(['t2', `${run.site}/spa`]);
    expect(await run.do('extract', { target: { css: 'p' } }, { tab: 't2' })).toEqual({ text: '?from=noopener' });
  });

  test("a page's script opens a window: the browser blocks it, so that there is none", async ({ run, harness }) => {
    await run.open('/spa');
    for (const css of ['#open', '#open-noopener', '#popup'])
      expect(await run.do('click', { target: { css } }), css).toMatchObject({ openedTab: null });
    expect(harness.context.pages().filter((page) => page.url().includes('/echo'))).toEqual([]);
  });

  test('a tab of one run is no other run’s', async ({ run, harness, server }) => {
    await run.open('/form?mine');
    const other = new Run(harness.worker, server.origin, `${run.runId}-other`);
    other.tabs = run.tabs;
    expect(await other.fail('snapshot')).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'tab_leased', runId: run.runId },
    });
  });

  test("the run's tabs are in a group with the workflow's name", async ({ run, harness }) => {
    const named = { workflow: 'Weekly expenses' };
    await run.do('navigate', { url: `${run.site}/form` }, named);
    await run.do('open_tab', { url: `${run.site}/spa` }, named);
    await run.do('click', { target: { css: '#noopener' } }, named);
    const ids = run.tabs.list.map((tab) => tab.browserTabId);
    expect(ids).toHaveLength(3);
    const groups = () =>
      harness.worker.evaluate(async (all) => {
        const found = await Promise.all(all.map((id) => chrome.tabs.get(id)));
        const [first] = found;
        const same = found.every(({ groupId }) => groupId === first?.groupId);
        return same && first && first.groupId !== -1 ? (await chrome.tabGroups.get(first.groupId)).title : 'none';
      }, ids);
    await expect.poll(groups).toBe('Weekly expenses');
  });
});

test.describe('a tab that the browser has dropped to save memory', () => {
  /** Drops the first tab of a run behind another one, and gives it back as the browser has it. */
  async function discard(run: Run, worker: Worker): Promise<void> {
    const [tab] = run.tabs.list;
    await run.do('open_tab', { url: `${run.site}/echo?in-front` });
    const dropped = await worker.evaluate(
      async (id) => (await chrome.tabs.discard(id))?.discarded,
      tab?.browserTabId as number,
    );
    expect(dropped).toBe(true);
  }

  test('it is listed at once, and brought back by the next action', async ({ run, harness }) => {
    await run.open('/form?dropped');
    await discard(run, harness.worker);
    expect((await run.do('list_tabs')).tabs).toHaveLength(2);
    // The browser gave it another id, of which the run's own book may know nothing.
    await run.restart('life-1');
    expect(await run.do('extract', { target: { css: 'h1' } }, { tab: 't1' })).toEqual({ text: 'Expense' });
    await run.do('switch_tab', { tab: 't1' });
    await run.do('click', LOG);
  });

  test('what was filled in is lost: no click sends it half, and a further attempt fills it in again', async ({
    run,
    harness,
  }) => {
    await run.open('/form?half');
    await run.do('fill', { target: { css: '#why' }, value: 'whole' });
    await discard(run, harness.worker);
    const send = { target: { role: 'button', name: 'Send' } };
    expect(await run.fail('click', send, { tab: 't1', timeoutMs: 15_000 })).toMatchObject({
      code: 'tab_lost',
      details: { reason: 'fields_lost' },
    });
    await run.do('click', send, { tab: 't1', attempt: 2, restore: true, timeoutMs: 20_000 });
    const sent = () => harness.context.pages().some((page) => page.url().includes('why=whole'));
    await expect.poll(sent).toBe(true);
  });
});

test.describe('fill_form', () => {
  const field = (label: string, value: unknown): JsonObject => ({ target: { label }, value: value as never });

  test('each field is set by the kind it is', async ({ run, harness }) => {
    await run.open('/form?kinds');
    const fields: JsonObject[] = [
      field('Amount', 12.5),
      field('Justification', 'two\nlines'),
      field('Day', '2026-03-07'),
      field('Kind', 'Meals'),
      field('Tags', ['a', 'c']),
      field('I agree', true),
      { target: { role: 'radio', name: 'Cash' }, value: true },
      { target: { role: 'switch' }, value: true },
      { target: { css: '#rich' }, value: 'new words' },
    ];
    const values = ['12.5', 'two\nlines', '2026-03-07', 'm', ['a', 'c'], true, true, true, 'new words'];
    expect(await run.do('fill_form', { fields })).toEqual({ values });
    expect(await run.do('fill_form', { fields })).toEqual({ values });
    const page = await pageOf(run, harness.context, '/form?kinds');
    expect(await page.evaluate('[form.kind.value, form.terms.checked, form.pay.value].join()')).toBe('m,true,cash');
    const less = [field('Tags', []), field('I agree', false), field('Kind', 't'), field('Justification', null)];
    expect(await run.do('fill_form', { fields: less })).toEqual({ values: [[], false, 't', ''] });
  });

  test('a field that is not there, or is of another kind: named, and none is changed', async ({ run, harness }) => {
    await run.open('/form?none');
    const page = await pageOf(run, harness.context, '/form?none');
    const first = field('Justification', 'changed');
    for (const [second, code] of [
      [field('Nowhere', 'x'), 'element_not_found'],
      [field('I agree', 'yes'), 'element_not_actionable'],
      [field('Kind', true), 'element_not_actionable'],
      [field('Kind', ['t', 'm']), 'element_not_actionable'],
      [field('Amount', true), 'element_not_actionable'],
      [{ target: { testId: 'pay-now' }, value: 'x' }, 'element_not_actionable'],
    ] as [JsonObject, string][]) {
      const error = await run.fail('fill_form', { fields: [first, second] });
      expect(error).toMatchObject({ code, details: { field: 1 } });
    }
    expect(await page.evaluate('why.value')).toBe('');
    expect(run.tabs.list[0]).not.toHaveProperty('filled');
  });

  test('a secret goes into its field only; all fields come back after the browser was gone', async ({
    run,
    harness,
  }) => {
    await run.open('/form?again');
    const secrets = [{ pointer: '/fields/1/value', parts: ['my ', { secret: 'password' }] }];
    const fields = [
      field('Amount', 3),
      field('Justification', 'my [secret:password]'),
      field('Kind', 'Travel'),
      field('I agree', true),
    ];
    const answer = await run.try('fill_form', { fields }, { secrets });
    expect(answer).toMatchObject({ ok: true, result: { output: { values: ['3', 'my ••••', 't', true] } } });
    expect(JSON.stringify([answer, await run.do('snapshot')])).not.toContain(SECRET);
    await run.restart('tabs-1');
    try {
      const restore = { attempt: 2, restore: true, timeoutMs: 20_000 };
      await run.do('click', { target: { role: 'button', name: 'Send' } }, restore);
      const sent = () =>
        harness.context
          .pages()
          .find((page) => page.url().includes('/echo'))
          ?.url();
      await expect.poll(sent).toBeTruthy();
      const { searchParams } = new URL(sent() as string);
      expect(['amount', 'why', 'kind', 'terms'].map((name) => searchParams.get(name))).toEqual([
        '3',
        `my ${SECRET}`,
        't',
        'on',
      ]);
    } finally {
      await run.restart('life-1');
    }
  });

  test('fields in frames', async ({ run }) => {
    await run.open('/frames');
    const first = { css: 'iframe[name=first]' };
    const inner = { css: '#inner', frame: { css: '#second' } };
    const fields: JsonObject[] = [
      { target: { label: 'Justification', frame: first }, value: 'in a frame' },
      { target: { css: '#name', frame: inner }, value: 'Ada' },
    ];
    expect(await run.do('fill_form', { fields })).toEqual({ values: ['in a frame', 'Ada'] });
    expect(await run.do('extract', { target: { css: '#shown', frame: inner } })).toEqual({ text: 'Ada' });
  });
});

test.describe('a person at the page', () => {
  /** The page notes when keys and clicks come, by its own clock. */
  const NOTE = `window.times = { key: [], click: [] };
    addEventListener('keydown', (event) => { if (event.isTrusted) times.key.push(event.timeStamp); }, true);
    log.addEventListener('click', (event) => times.click.push(event.timeStamp));`;

  test('an act waits until they have been quiet for a moment, looks for its element again, and says so', async ({
    run,
    harness,
  }) => {
    await run.open('/form?person');
    await run.do('snapshot');
    const page = await pageOf(run, harness.context, '/form?person');
    await page.evaluate(NOTE);
    await page.focus('#why');
    await page.keyboard.press('a');
    const acting = run.try('click', LOG);
    await page.keyboard.press('b');
    await page.evaluate(
      'log.replaceWith(Object.assign(log.cloneNode(true), { onclick: (event) => times.click.push(event.timeStamp) }))',
    );
    await page.keyboard.press('c');
    const answer = await acting;
    expect(answer).toMatchObject({ ok: true, result: { meta: { yielded: true } } });
    const { key, click } = (await page.evaluate('times')) as { key: number[]; click: number[] };
    expect(key).toHaveLength(3);
    expect(click).toHaveLength(1);
    expect((click[0] as number) - (key[2] as number)).toBeGreaterThanOrEqual(1490);
    expect(await page.evaluate('why.value')).toBe('abc');
    // With nobody there it is as ever.
    const after = await run.try('fill', { target: { css: '#why' }, value: 'x' });
    expect(after).toMatchObject({ ok: true });
  });

  test('they do not stop: a typed error within the time of the step, and nothing was done', async ({
    run,
    harness,
  }) => {
    await run.open('/form?busy');
    await run.do('snapshot');
    const page = await pageOf(run, harness.context, '/form?busy');
    await page.evaluate(NOTE);
    await page.focus('#why');
    let over = false;
    const typing = (async () => {
      while (!over) await page.keyboard.press('a');
    })();
    try {
      await expect.poll(() => page.evaluate('times.key.length')).toBeGreaterThan(0);
      const error = await run.fail('click', LOG, { timeoutMs: 3000 });
      expect(error).toMatchObject({ code: 'element_not_actionable', acted: false, details: { reason: 'person' } });
      // Reading disturbs nobody.
      expect(await run.text('h1')).toBe('Expense');
    } finally {
      over = true;
      await typing;
    }
    expect(await page.evaluate('times.click.length')).toBe(0);
  });
});

test.describe('pages of several origins', () => {
  test('a button in a closed shadow root, in a frame of another origin, in another frame', async ({
    run,
    harness,
    server,
  }) => {
    const [second, third] = [await startPageServer(), await startPageServer()];
    try {
      await run.open('/echo?outer');
      const page = await pageOf(run, harness.context, '/echo?outer');
      const put = (src: string) => {
        document.body.append(
          Object.assign(document.createElement('iframe'), { src, id: 'in', width: 600, height: 400 }),
        );
      };
      await page.evaluate(put, `${second.origin}/echo?middle`);
      const frame = (end: string) => page.frames().find((one) => one.url().endsWith(end));
      await expect.poll(() => frame('/echo?middle')).toBeTruthy();
      await frame('/echo?middle')?.evaluate(put, `${third.origin}/shadow`);
      const middle = { css: '#in' };
      const inner = { css: '#in', frame: middle };
      const click = { target: { text: 'Closed one', frame: inner } };
      const sites = [run.site, second.origin, third.origin].map((origin) => `${origin}/*`);
      await run.do('click', click, { sites });
      expect(await run.do('extract', { target: { css: '#out', frame: inner } }, { sites })).toEqual({ text: 'closed' });
      const [a, b, c] = sites as [string, string, string];
      expect(await run.fail('click', click, { sites: [a, b] })).toMatchObject({
        code: 'site_not_allowed',
        details: { origin: third.origin },
      });
      expect(await run.fail('click', click, { sites: [a, c] })).toMatchObject({
        code: 'site_not_allowed',
        details: { origin: second.origin },
      });
      // The harness is not granted localhost.
      await frame('/echo?middle')?.evaluate(`document.querySelector('#in').src = '${server.other}/shadow'`);
      await expect.poll(() => page.frames().find((one) => one.url().startsWith(server.other))).toBeTruthy();
      expect(await run.fail('click', click, { sites: [...sites, `${server.other}/*`] })).toMatchObject({
        code: 'permission_denied',
        acted: false,
        details: { origin: server.other },
      });
    } finally {
      await second.close();
      await third.close();
    }
  });

  test('nothing of ours is in the world of the page', async ({ run, harness }) => {
    await run.open('/form?world');
    const page = await pageOf(run, harness.context, '/form?world');
    const LOOK = `[...Object.getOwnPropertyNames(window), ...Object.getOwnPropertyNames(document),
      ...['Element', 'HTMLElement', 'HTMLInputElement', 'EventTarget', 'Event', 'History', 'Node', 'Document']
        .flatMap((name) => Object.entries(Object.getOwnPropertyDescriptors(window[name].prototype))
          .map(([key, { value, get, set }]) => [name, key, value, get, set].map(String).join()))]
      .filter((name) => !/^\\d+$/.test(name)).sort().join('\\n')
      + document.documentElement.outerHTML`;
    const fresh = await harness.context.newPage();
    await fresh.goto(`${run.site}/form?world`);
    const before = await fresh.evaluate(LOOK);
    await run.do('snapshot');
    await run.do('click', LOG);
    await run.do('check', { target: { label: 'I agree' } });
    await run.do('fill', { target: { label: 'Amount' }, value: 2 });
    await run.do('select_option', { target: { label: 'Kind' }, label: 'Meals' });
    await run.do('fill_form', { fields: [{ target: { label: 'Day' }, value: '2026-03-07' }] });
    await run.do('extract', { as: 'html' });
    expect(await page.evaluate(LOOK)).toBe(before);
    await fresh.close();
  });
});
