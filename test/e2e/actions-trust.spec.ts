import { type BrowserContext, expect, type Page } from '@playwright/test';
import { type Run, test } from '../support/pages/run.ts';
import { startPageServer } from '../support/pages/server.ts';

/** What may be believed of an action, and what it must keep to itself: the browser adapter in a real Chromium, without the engine. */

const LOG = { target: { css: '#log' } };
const SECRET = 'hunter-42-secret';

/** The page of the run's current tab. */
async function pageOf(run: Run, context: BrowserContext, end: string): Promise<Page> {
  await run.do('wait_for', { url: end });
  const found = () => context.pages().find((one) => one.url().includes(end));
  // Playwright learns of pages a little later than the extension.
  await expect.poll(found).toBeTruthy();
  return found() as Page;
}

test.describe('a click that may not have happened', () => {
  test('the page is loaded anew between finding and clicking: it is found again, and clicked once', async ({
    run,
    harness,
  }) => {
    await run.open('/form?again');
    await run.mishap('reload');
    expect(await run.do('click', LOG)).toMatchObject({ matched: 0 });
    const page = await pageOf(run, harness.context, '/form?again');
    expect(await page.evaluate("events.filter((type) => type === 'click').length")).toBe(1);
  });

  test('the new page has no such element: said as that, not as done', async ({ run, harness }) => {
    await run.open('/form?without');
    const page = await pageOf(run, harness.context, '/form?without');
    await page.evaluate("log.id = 'only-here'");
    await run.mishap('reload');
    const error = await run.fail('click', { target: { css: '#only-here' } }, { timeoutMs: 6000 });
    expect(error.code).toBe('element_not_found');
    expect(error.acted).not.toBe(true);
  });

  test('the tab is closed before the click: closed, and nothing was done', async ({ run }) => {
    await run.open('/form?closed');
    await run.mishap('close');
    const error = await run.fail('click', LOG, { timeoutMs: 10_000 });
    expect(error.code).toBe('tab_closed');
    expect(error.acted).not.toBe(true);
  });

  test('the tab is closed while the page is at the click: it is said that it may have happened', async ({
    run,
    harness,
  }) => {
    await run.open('/form?during');
    const page = await pageOf(run, harness.context, '/form?during');
    await page.evaluate(
      "log.addEventListener('click', () => { const end = Date.now() + 1500; while (Date.now() < end); })",
    );
    await run.mishap('close during');
    expect(await run.fail('click', LOG, { timeoutMs: 15_000 })).toMatchObject({ code: 'tab_closed', acted: true });
  });

  test('the click itself leads away, and the page is slow to let go: done', async ({ run, harness }) => {
    await run.open('/form?leaves');
    const page = await pageOf(run, harness.context, '/form?leaves');
    await page.evaluate(
      "log.addEventListener('click', () => { location.href = '/echo?left'; const end = Date.now() + 400; while (Date.now() < end); })",
    );
    expect(await run.do('click', LOG)).toMatchObject({ url: `${run.site}/echo?left` });
  });

  test('the click takes away the frame that it is in: done', async ({ run, harness }) => {
    await run.open('/frames?removed');
    const page = await pageOf(run, harness.context, '/frames?removed');
    await page.evaluate(
      "document.querySelector('iframe[name=first]').contentWindow.log.onclick = () => { document.title = 'clicked'; document.querySelector('iframe[name=first]').remove(); }",
    );
    await run.do('click', { target: { css: '#log', frame: { css: 'iframe[name=first]' } } });
    expect(await page.title()).toBe('clicked');
  });
});

test.describe('secrets after the step that used them', () => {
  const use = (pointer: string, ...parts: (string | { secret: string })[]) => ({ secrets: [{ pointer, parts }] });

  test('in an address: in no later output, tab or error', async ({ run }) => {
    await run.do('navigate', { url: 'x' }, use('/url', `${run.site}/echo?k=`, { secret: 'password' }));
    const kept = run.tabs;
    const later = [
      kept,
      await run.try('snapshot', {}),
      await run.try('extract', { as: 'html' }),
      await run.try('list_tabs', {}),
      await run.try('click', { target: { role: 'heading' } }),
      await run.try('click', { target: { text: 'nothing' } }, { timeoutMs: 500 }),
    ];
    expect(JSON.stringify(later)).toContain('/echo?k=••••');
    expect(JSON.stringify(later)).not.toContain(SECRET);
  });

  test('in a field that is no password field: also when the worker has died since', async ({ run }) => {
    await run.open('/form?kept');
    await run.do('fill', { target: { css: '#why' }, value: 'x' }, use('/value', 'my ', { secret: 'password' }));
    await run.do('fill', { target: { css: '#rich' }, value: 'x' }, use('/value', { secret: 'password' }));
    const look = async (more: object) => [
      await run.try('snapshot', {}, more),
      await run.try('extract', { as: 'html' }, more),
      await run.try('extract', { target: { css: '#why' } }, more),
      await run.try('extract', { target: { css: '#rich' } }, more),
      await run.try('extract', { target: { css: '#why' }, as: 'attribute', attribute: 'value' }, more),
    ];
    expect(JSON.stringify(await look({}))).not.toContain(SECRET);
    await run.restart('life-1');
    const after = JSON.stringify(await look({ secretNames: ['password'] }));
    expect(after).not.toContain(SECRET);
    expect(after).toContain('••••');
  });

  test('that the page writes in another way: not read back, and not shown', async ({ run, harness }) => {
    await run.open('/form?formatted');
    expect(await run.do('fill', { target: { css: '#phone' }, value: 'x' }, use('/value', { secret: 'card' }))).toEqual({
      value: '••••',
    });
    const page = await pageOf(run, harness.context, '/form?formatted');
    expect(await page.evaluate('phone.value')).toBe('(555) 1234567');
    const seen = [
      await run.do('snapshot'),
      await run.do('extract', { target: { css: '#phone' } }),
      await run.do('extract', { target: { css: '#phone' }, as: 'attribute', attribute: 'value' }),
    ];
    expect(JSON.stringify(seen)).not.toContain('1234567');
    await run.do('fill', { target: { css: '#phone' }, value: '5550000000' });
    expect((await run.do('snapshot')).text).toContain('(555) 0000000');
  });
});

test.describe('frames and tabs', () => {
  test('an approved act in a frame of another origin is refused; in one of the same it is done', async ({
    run,
    harness,
  }) => {
    const other = await startPageServer();
    try {
      await run.open('/frames?approved');
      const page = await pageOf(run, harness.context, '/frames?approved');
      await page.evaluate(
        (src) => document.body.insertAdjacentHTML('afterbegin', `<iframe title="Elsewhere" src="${src}"></iframe>`),
        `${other.origin}/form`,
      );
      const sites = [`${run.site}/*`, `${other.origin}/*`];
      const there = { target: { css: '#log', frame: { css: '[title=Elsewhere]' } } };
      expect(await run.fail('click', there, { sites, approvedOrigin: run.site, timeoutMs: 15_000 })).toMatchObject({
        code: 'site_not_allowed',
        details: { approved: run.site, origin: other.origin },
      });
      await run.do('click', there, { sites });
      const here = { target: { css: '#log', frame: { css: 'iframe[name=first]' } } };
      await run.do('click', here, { sites, approvedOrigin: run.site });
    } finally {
      await other.close();
    }
  });

  test('open_tab again after it failed: the same tab, not one more', async ({ run }) => {
    await run.open('/form');
    const key = { idempotencyKey: 'once-only' };
    const url = `${run.site}/echo?wait=1500`;
    expect(await run.fail('open_tab', { url }, { ...key, timeoutMs: 700 })).toMatchObject({
      code: 'navigation_failed',
    });
    expect(await run.do('open_tab', { url }, { ...key, attempt: 2 })).toMatchObject({ tab: 't2', title: 'Echo' });
    expect(await run.do('open_tab', { url }, { ...key, attempt: 3 })).toMatchObject({ tab: 't2', title: 'Echo' });
    expect((await run.do('list_tabs')).tabs).toHaveLength(2);
    expect(await run.do('open_tab', { url: `${run.site}/form` })).toMatchObject({ tab: 't3' });
  });

  test.describe('a tab lost with the browser, whose address was kept without its secret', () => {
    for (const kept of ['/echo?k=••••', '/echo?k=[redacted:password]']) {
      test(`${kept}: not opened again`, async ({ run }) => {
        await run.open('/form');
        const [tab] = run.tabs.list;
        run.tabs = { ...run.tabs, list: tab ? [{ ...tab, url: run.site + kept }] : [] };
        await run.restart('life-3');
        try {
          expect(await run.fail('snapshot')).toMatchObject({ code: 'tab_lost' });
        } finally {
          await run.restart('life-1');
        }
      });
    }
  });
});
