import { type BrowserContext, expect, type Page } from '@playwright/test';
import { type Run, test } from '../support/pages/run.ts';

/**
 * What needs the scripts in every frame of a driven tab: who is at it, what windows it wanted, and that nothing stays behind. The browser
 * adapter in a real Chromium, without the engine.
 */

test.use({ granted: { hosts: ['http://127.0.0.1/*'], dialogs: true } });

/** The page of the run's current tab. */
async function pageOf(run: Run, context: BrowserContext, end: string): Promise<Page> {
  await run.do('wait_for', { url: end });
  const found = () => context.pages().find((one) => one.url().endsWith(end));
  await expect.poll(found).toBeTruthy();
  return found() as Page;
}

/** Types in a field until it is told to stop, five keys a second also where the machine is slow to take each. @returns stops it */
async function keepTyping(page: Page, frame: string | undefined): Promise<() => void> {
  const scope = frame === undefined ? page : page.frameLocator(frame);
  await scope.locator('#why').focus();
  await page.keyboard.press('a');
  const typing = setInterval(() => void page.keyboard.press('a').catch(() => undefined), 200);
  return () => clearInterval(typing);
}

const INNER = { css: '#inner', frame: { css: '#second' } };
const PERSON = { code: 'element_not_actionable', acted: false, details: { reason: 'person' } };

test.describe('a person at the page', () => {
  test('in another frame of it: a click waits for them, and says so', async ({ run, harness }) => {
    await run.open('/frames?person');
    await run.do('snapshot');
    const page = await pageOf(run, harness.context, '/frames?person');
    const stop = await keepTyping(page, 'iframe[name=first]');
    const target = { text: 'In doc', frame: { css: '[title=Inline]' } };
    expect(await run.fail('click', { target }, { timeoutMs: 3000 })).toMatchObject(PERSON);
    const fill = { target: { css: '#name', frame: INNER }, value: 'x' };
    expect(await run.fail('fill', fill, { timeoutMs: 2500 })).toMatchObject(PERSON);
    const acting = run.try('click', { target });
    stop();
    expect(await acting).toMatchObject({ ok: true, result: { meta: { yielded: true } } });
    expect(await run.do('extract', { target: { css: 'button', frame: { css: '[title=Inline]' } } })).toEqual({
      text: 'Done',
    });
  });

  test('the page is not left, closed or covered under their hands', async ({ run, harness }) => {
    await run.open('/form?mine');
    const page = await pageOf(run, harness.context, '/form?mine');
    const stop = await keepTyping(page, undefined);
    try {
      for (const [action, args] of [
        ['navigate', { url: `${run.site}/echo?left` }],
        ['open_tab', { url: `${run.site}/echo?over` }],
        ['close_tab', {}],
      ] as const)
        expect(await run.fail(action, args, { timeoutMs: 2500 }), action).toMatchObject(PERSON);
      // One that stays behind theirs, and what only looks, disturb nobody.
      expect(await run.do('open_tab', { url: `${run.site}/echo?behind`, active: false })).toMatchObject({ tab: 't2' });
      expect((await run.do('extract', { target: { css: 'h1' } }, { tab: 't1' })).text).toBe('Expense');
    } finally {
      stop();
    }
    const left = await run.try('navigate', { url: `${run.site}/echo?left` }, { tab: 't1' });
    expect(left).toMatchObject({ ok: true, result: { meta: { yielded: true } } });
  });
});

test('a reading over several pages waits for them too, rather than end as if it were whole', async ({
  run,
  harness,
}) => {
  await run.open('/paged?typing');
  const page = await pageOf(run, harness.context, '/paged?typing');
  await page.evaluate(() => document.body.insertAdjacentHTML('beforeend', '<input id="why">'));
  const stop = await keepTyping(page, undefined);
  const reading = run.do('extract', { as: 'table', next: { role: 'button', name: 'Next' } });
  // Longer than a next page that is not there is looked for.
  const now = () => page.evaluate<number>('performance.now()');
  const since = await now();
  await expect.poll(now).toBeGreaterThan(since + 1500);
  stop();
  expect(await reading).toMatchObject({ pages: 3, rows: ['0', '1', '2', '3', '4', '5'].map((N) => ({ N })) });
});

test.describe('windows that a page wants', () => {
  test('one that a script opens is told as not opened; a tab that a link opens is not', async ({ run }) => {
    await run.open('/spa');
    for (const [css, query] of [
      ['#open', 'open'],
      ['#open-noopener', 'open-noopener'],
      ['#popup', 'popup'],
    ] as const) {
      const message = `${run.site}/echo?from=${query}`;
      expect(await run.do('click', { target: { css } }), css).toMatchObject({
        openedTab: null,
        dialogs: [{ type: 'window', message, accepted: false }],
      });
    }
    expect(await run.do('click', { target: { css: '#noopener' } })).toMatchObject({ openedTab: 't2', dialogs: [] });
  });
});

test.describe('links and forms into a new tab', () => {
  test('by the click, or by a script after it: its tab is the run’s, or it is told that there is none', async ({
    run,
    harness,
  }) => {
    await run.open('/spa?tabs');
    const page = await pageOf(run, harness.context, '/spa?tabs');
    for (const [name, html] of [
      ['a link', '<a id="x" href="/echo?0" target="_blank">Go</a>'],
      [
        'a link that a script follows',
        '<a id="l" href="/echo?1" target="_blank">l</a><button id="x" onclick="l.click()">Go</button>',
      ],
      ['a form', '<form action="/echo" target="_blank"><input name="a" value="2"><button id="x">Go</button></form>'],
      ['a form that is sent', '<form action="/echo" method="post" target="_blank"><button id="x">Go</button></form>'],
    ] as const) {
      await page.evaluate((text) => {
        document.body.innerHTML = text;
      }, html);
      const { openedTab, url, dialogs } = await run.do('click', { target: { css: '#x' } }, { tab: 't1' });
      const told = (dialogs as { type: string }[]).some(({ type }) => type === 'window');
      expect([name, openedTab === null, url]).toEqual([name, told, `${run.site}/spa?tabs`]);
      if (openedTab) expect((await run.do('extract', {}, { tab: openedTab })).text, name).toContain('Echo');
    }
  });

  test('one that the page keeps to itself: nothing is waited for or told', async ({ run, harness }) => {
    await run.open('/spa?kept');
    const page = await pageOf(run, harness.context, '/spa?kept');
    await page.evaluate(() => {
      document.body.innerHTML = '<a id="x" href="/echo?0" target="_blank">Go</a>';
      document.getElementById('x')?.addEventListener('click', (event) => event.preventDefault());
    });
    expect(await run.do('click', { target: { css: '#x' } })).toMatchObject({ openedTab: null, dialogs: [] });
  });
});

test.describe('what hovering shows', () => {
  test('is gone once the run is over, and nothing of it stays in the page', async ({ run, harness }) => {
    await run.open('/hovered?over');
    const page = await pageOf(run, harness.context, '/hovered?over');
    const trace = () =>
      page.evaluate("[document.querySelectorAll('[data-tabloom-hover]').length, document.adoptedStyleSheets.length]");
    await run.do('hover', { target: { text: 'Milk' } });
    expect(await trace()).toEqual([1, 1]);
    expect((await run.do('extract', { as: 'html' })).html).not.toContain('tabloom');
    await run.release();
    await expect.poll(trace).toEqual([0, 0]);
  });
});
