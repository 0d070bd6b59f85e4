import { type BrowserContext, expect, type Page } from '@playwright/test';
import type { JsonObject } from '../../src/model/json.ts';
import type { PageCall } from '../../src/ports/pages.ts';
import { type Run, test } from '../support/pages/run.ts';
import { startPageServer } from '../support/pages/server.ts';

/** What may be believed of an action, and what it must keep to itself: the browser adapter in a real Chromium, without the engine. */

// What the page actions themselves never have: it stands in for others who are at a tab.
test.use({ granted: { hosts: ['http://127.0.0.1/*'], permissions: ['debugger'] } });

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

test.describe('passwords and secrets that pages show', () => {
  const use = (pointer: string, ...parts: (string | { secret: string })[]) => ({ secrets: [{ pointer, parts }] });

  test('a password that the page shows in plain letters: in no reading', async ({ run, harness }) => {
    await run.open('/form?plain');
    const page = await pageOf(run, harness.context, '/form?plain');
    await page.evaluate(() => {
      const put = (html: string) => document.body.insertAdjacentHTML('afterbegin', html);
      put('<label>New <input autocomplete="section-a new-password" value="seen-by-1"></label>');
      put('<label>Dots <input style="-webkit-text-security: disc" value="seen-by-2"></label>');
      put('<label>Named <input name="user_passwd" value="seen-by-3"></label>');
      put(
        '<div id="told"><label>Told <input type="password" value="seen-by-4" title="it is seen-by-4" data-v="seen-by-4"></label></div>',
      );
      put(
        '<div role="group" aria-label="Range"><label>Odd <input type="password" role="slider" value="seen-by-5"></label></div>',
      );
    });
    await run.do('fill', { target: { css: '#pw' }, value: 'seen-by-6' });
    await page.evaluate("pw.type = 'text'");
    const read = async () => [
      await run.do('snapshot'),
      await run.do('snapshot', { find: 'seen-by' }),
      await run.do('extract', { as: 'html' }),
      await run.do('extract', {}),
      ...(await Promise.all(
        ['value', 'title', 'data-v'].map((attribute) =>
          run.do('extract', { target: { css: '#told input' }, as: 'attribute', attribute }),
        ),
      )),
      await run.do('extract', { target: { css: '#pw' } }),
      await run.fail('click', { target: { role: 'textbox' } }),
    ];
    const text = JSON.stringify(await read());
    expect(text).not.toMatch(/seen-by-\d/);
    expect(text).toContain('••••');
  });

  test('a code of which each box takes one digit: none of them is shown', async ({ run, harness }) => {
    await run.open('/form?code');
    const page = await pageOf(run, harness.context, '/form?code');
    await page.evaluate(() => {
      const boxes = Array.from({ length: 10 }, () => '<input class="box" size="1">').join('');
      document.body.insertAdjacentHTML('afterbegin', `<div id="code" aria-label="Code" role="group">${boxes}</div>`);
      for (const box of document.querySelectorAll<HTMLInputElement>('.box'))
        box.addEventListener('input', () => (box.nextElementSibling as HTMLElement | null)?.focus());
    });
    const type = { target: { css: '.box', nth: 0 }, text: 'x' };
    expect(await run.do('type', type, use('/text', { secret: 'card' }))).toEqual({ value: '••••' });
    expect(await page.evaluate("[...document.querySelectorAll('.box')].map((box) => box.value).join('')")).toBe(
      '5551234567',
    );
    const seen = [
      await run.do('snapshot', { target: { css: '#code' } }),
      await run.do('extract', { target: { css: '#code' }, as: 'html' }),
      await run.do('extract', { target: { css: '.box', nth: 4 } }),
    ];
    expect(JSON.stringify(seen)).not.toMatch(/value="?\d|: \\"\d|"text":"\d/);
  });

  test('written by the page in capitals, or as its field writes it: masked there too', async ({ run, harness }) => {
    await run.open('/form?echoed');
    await run.do('fill', { target: { css: '#phone' }, value: 'x' }, use('/value', { secret: 'card' }));
    await run.do('fill', { target: { css: '#why' }, value: 'x' }, use('/value', { secret: 'password' }));
    const page = await pageOf(run, harness.context, '/form?echoed');
    await page.evaluate(() => {
      const field = (id: string) => document.getElementById(id) as HTMLInputElement;
      document.title = `${'x'.repeat(190)} ${field('why').value}`;
      document.body.insertAdjacentHTML(
        'afterbegin',
        `<p>Call ${field('phone').value}</p><p style="text-transform: uppercase">${field('why').value}</p>`,
      );
    });
    const text = JSON.stringify([await run.do('snapshot'), await run.do('extract', {})]);
    expect(text).toContain('Call ••••');
    expect(text).not.toMatch(/1234567|hunter-42|hunte/i);
  });
});

test('a form whose fields are called as what every element has: it is read and used as any other', async ({
  run,
  harness,
}) => {
  await run.open('/form?booking');
  const page = await pageOf(run, harness.context, '/form?booking');
  await page.evaluate(() => {
    const names = [
      'children',
      'matches',
      'closest',
      'id',
      'title',
      'style',
      'parentElement',
      'parentNode',
      'childNodes',
    ];
    const fields = names.map((name) => `<label>Of ${name} <input name="${name}"></label>`).join('');
    document.body.innerHTML = `<div aria-label="Around" role="group"><form aria-label="Booking">${fields}
      <button type="button" onclick="document.title = 'booked'">Book</button></form></div>`;
  });
  expect((await run.do('snapshot')).text).toMatch(/form "Booking"[\s\S]*textbox "Of children"[\s\S]*button "Book"/);
  await run.do('fill', { target: { label: 'Of children' }, value: '2' });
  await run.do('type', { target: { label: 'Of matches', within: { role: 'form' } }, text: 'x' });
  await run.do('hover', { target: { role: 'form' } });
  await run.do('click', { target: { role: 'button', name: 'Book' } });
  expect((await run.do('extract', { target: { css: 'form' } })).text).toContain('Of children');
  expect((await run.do('extract', { as: 'html' })).html).toContain('name="parentNode"');
  expect(await page.evaluate("[document.title, document.querySelector('[name=children]').value].join()")).toBe(
    'booked,2',
  );
});

test.describe('acts that come together', () => {
  test('two that type at the same time: each text is whole, in its own field', async ({ run, harness }) => {
    await run.open('/form?both');
    const page = await pageOf(run, harness.context, '/form?both');
    const texts = ['the first of two texts', 'another one for the notes'] as const;
    const both = [
      run.try('type', { target: { css: '#why' }, text: texts[0] }),
      run.try('type', { target: { css: '#rich' }, text: texts[1] }),
      run.try('fill', { target: { css: '#phone' }, value: '555' }),
    ];
    for (const answer of await Promise.all(both)) expect(answer).toMatchObject({ ok: true });
    expect(await page.evaluate("[why.value, rich.textContent.replaceAll('\\u00a0', ' '), phone.value]")).toEqual([
      texts[0],
      `old${texts[1]}`,
      '555',
    ]);
  });

  test('the page goes to an address outside of the sites between the look and the act: nothing is done there', async ({
    run,
    harness,
  }) => {
    await run.open('/form?inside');
    const page = await pageOf(run, harness.context, '/form?inside');
    // By its own script, in the same document, once the field is looked at: nobody could have checked that before.
    await page.evaluate(() => {
      setInterval(() => {
        const inside = location.pathname === '/form';
        history.replaceState(null, '', inside ? '/outside' : '/form?inside');
      }, 40);
    });
    await page.evaluate("log.addEventListener('click', () => { (window.at ??= []).push(location.pathname); })");
    const sites = [`${run.site}/form*`];
    for (let n = 0; n < 4; n++) await run.try('click', LOG, { sites, timeoutMs: 1500 });
    const at = (await page.evaluate('window.at ?? []')) as string[];
    expect(at.filter((path) => path !== '/form')).toEqual([]);
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

test.describe('where others are at the page, too', () => {
  test('page-11: a debugger is attached to the tab: the run goes on as ever, and the debugger stays and is not disturbed', async ({
    run,
    harness,
  }) => {
    await run.open('/form?debugged');
    const tabId = run.tabs.list[0]?.browserTabId as number;
    const page = await pageOf(run, harness.context, '/form?debugged');
    await harness.worker.evaluate(async (id) => {
      const told: string[] = [];
      Object.assign(globalThis, { debuggerTold: told });
      chrome.debugger.onDetach.addListener((_, reason) => void told.push(reason));
      await chrome.debugger.attach({ tabId: id }, '1.3');
      for (const method of ['Runtime.enable', 'Debugger.enable', 'Page.enable', 'DOM.enable'])
        await chrome.debugger.sendCommand({ tabId: id }, method);
    }, tabId);
    await run.do('fill', { target: { css: '#why' }, value: 'Taxi' });
    await run.do('click', LOG);
    expect((await run.do('snapshot')).text).toContain('Taxi');
    expect(await page.evaluate("events.filter((type) => type === 'click').length")).toBe(1);
    await run.open('/form?debugged-again');
    await run.do('click', LOG);
    const after = await harness.worker.evaluate(async (id) => {
      const expression = { expression: 'location.search' };
      const { result } = (await chrome.debugger.sendCommand({ tabId: id }, 'Runtime.evaluate', expression)) as {
        result: { value: string };
      };
      await chrome.debugger.detach({ tabId: id });
      return { at: result.value, told: (globalThis as unknown as { debuggerTold: string[] }).debuggerTold };
    }, tabId);
    expect(after).toEqual({ at: '?debugged-again', told: [] });
  });

  test('page-15: a secret is typed where the run may be; one that is not there, and a page of elsewhere, get nothing', async ({
    run,
    harness,
    server,
  }) => {
    const fill = (secret: string): [string, JsonObject, Partial<PageCall>] => [
      'fill',
      { target: { css: '#pw' }, value: `{{secret.${secret}}}` },
      { secrets: [{ pointer: '/value', parts: [{ secret }] }] },
    ];
    await run.open('/form?secret');
    const page = await pageOf(run, harness.context, '/form?secret');
    expect(await run.fail(...fill('pin'))).toMatchObject({
      code: 'template_unresolved',
      message: 'Add the secret "pin" in the settings.',
    });
    expect(await page.evaluate('pw.value')).toBe('topsecret');
    await run.do(...fill('password'));
    expect(await page.evaluate('pw.value')).toBe(SECRET);
    await page.goto(`${server.other}/form?elsewhere`);
    expect(await run.fail(...fill('password'))).toMatchObject({ code: 'site_not_allowed' });
    expect(await page.evaluate('pw.value')).toBe('topsecret');
  });
});
