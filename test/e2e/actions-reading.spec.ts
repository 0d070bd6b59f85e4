import { expect } from '@playwright/test';
import { Run, test } from '../support/pages/run.ts';

/** The browser adapter and the page script in a real Chromium, without the engine. */

test.describe('reading', () => {
  test('snapshot: roles, names, states, values, refs; hidden content dropped, password masked, its source named', async ({
    run,
  }) => {
    await run.open('/form');
    const { text, url, title, cursor } = await run.do('snapshot');
    expect([url, title, cursor]).toEqual([`${run.site}/form`, 'Form', null]);
    expect(text).toContain(`Page "Form" of ${run.site}`);
    expect(text).toMatch(/^- heading "Expense" \[level=1\] \[ref=e\d+\]$/m);
    expect(text).toMatch(/textbox "Password" \[ref=e\d+\]: "••••"/);
    expect(text).toMatch(/spinbutton "Amount" \[ref=/);
    expect(text).toMatch(/button "Never" \[disabled\] \[ref=/);
    expect(text).toMatch(/combobox "Kind" \[ref=e\d+\]: "–"\n +- option/);
    expect(text).toContain('Fill in the whole form.');
    expect(text.match(/button "Send"/g)).toHaveLength(1);
    expect(text).not.toContain('Please wait');
    const found = await run.do('snapshot', { find: 'delete' });
    expect(found.text.match(/button "Delete"/g)).toHaveLength(2);
    expect(found.text).not.toContain('Pay now');
    const part = await run.do('snapshot', { target: { role: 'region', name: 'Rows' } });
    expect(part.text).not.toContain('Expense"');
  });

  test('snapshot in parts: whole lines within the size, and all of them by the cursor', async ({ run }) => {
    await run.open('/form');
    const whole = (await run.do('snapshot')).text.split('\n').slice(1);
    const lines: string[] = [];
    let cursor: string | undefined;
    do {
      const part = await run.do('snapshot', cursor ? { maxChars: 600, cursor } : { maxChars: 600 });
      expect(part.text.length).toBeLessThanOrEqual(600);
      const [, ...more] = part.text.split('\n');
      // The last line says how much is left, and how to get it.
      if (part.cursor) expect(more.pop()).toMatch(/^- … \d+ more lines? \[cursor=s\d+-\d+\+\d+\]$/);
      lines.push(...more);
      cursor = part.cursor;
    } while (cursor);
    expect(lines).toEqual(whole);
  });

  test('snapshot of a long list: folded, and the rest by the cursor that the fold names', async ({ run }) => {
    await run.open('/long');
    const { text, cursor } = await run.do('snapshot');
    expect(cursor).toBeNull();
    expect(text).toContain('button "Open 29"');
    expect(text).not.toContain('Open 30"');
    expect(text).toContain('After');
    const fold = /… 470 more listitem \[cursor=(\S+)\]/.exec(text)?.[1] as string;
    const rest = await run.do('snapshot', { cursor: fold });
    expect(rest.text).toContain('button "Open 30"');
    expect(rest.text).not.toContain('button "Open 29"');
    expect(rest.text).toContain('button "Open 99"');
    // As many as there is room for, and a cursor for those that are left.
    expect(rest.text.length).toBeGreaterThan(10_000);
    const last = await run.do('snapshot', { cursor: rest.cursor, maxChars: 100_000 });
    expect(last.text).toContain('button "Open 499"');
    expect(last.cursor).toBeNull();
    const found = await run.do('snapshot', { find: 'open 321' });
    expect(found.text).toMatch(/- list .*\n {2}- listitem .*\n {4}- button "Open 321"/);
  });

  test('extract: text, html, attribute, link', async ({ run }) => {
    await run.open('/form');
    expect((await run.do('extract')).text).toContain('Fill in the whole form.');
    expect((await run.do('extract', { target: { css: 'h1' }, as: 'html' })).html).toBe('<h1>Expense</h1>');
    expect((await run.do('extract', { target: { css: '#next' }, as: 'attribute', attribute: 'href' })).value).toBe(
      `${run.site}/echo?from=link`,
    );
    expect(await run.do('extract', { target: { text: 'Next page' }, as: 'link' })).toEqual({
      text: 'Next page',
      href: `${run.site}/echo?from=link`,
    });
  });

  test('a table over several pages: headers of two rows, spans filled, hidden rows and sums left out', async ({
    run,
  }) => {
    await run.open('/table');
    const { columns, rows, pages } = await run.do(
      'extract',
      { as: 'table', next: { css: '#next' } },
      { timeoutMs: 20_000 },
    );
    expect(columns).toEqual(['Name', 'Betrag netto', 'Betrag brutto']);
    expect(pages).toBe(3);
    expect(rows).toHaveLength(9);
    expect(rows.slice(0, 3)).toEqual([
      { Name: 'Zeile 1a', 'Betrag netto': '1.000,50', 'Betrag brutto': '1.190,60' },
      { Name: 'Zeile 1b', 'Betrag netto': 'frei', 'Betrag brutto': 'frei' },
      { Name: 'Zeile 1b', 'Betrag netto': '2', 'Betrag brutto': '' },
    ]);
    await run.open('/table');
    expect((await run.do('extract', { as: 'table', next: { css: '#next' }, maxPages: 2 })).pages).toBe(2);
  });

  test('a list that draws its next page anew, with nothing in between, to the page whose button is disabled', async ({
    run,
  }) => {
    await run.open('/paged');
    const { rows, pages } = await run.do(
      'extract',
      { as: 'table', next: { role: 'button', name: 'Next' } },
      { timeoutMs: 20_000 },
    );
    expect(pages).toBe(3);
    expect(rows.map((row: { N: string }) => row.N)).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  test("items: fields by the page's language; one that is missing is null", async ({ run }) => {
    await run.open('/table');
    const fields = {
      name: { target: { role: 'link' } },
      href: { target: { role: 'link' }, as: 'link' },
      price: { target: { css: '.price' }, type: 'number' },
      at: { target: { css: 'time' }, type: 'date' },
      due: { target: { css: '.due' }, type: 'date' },
    };
    const { items, pages } = await run.do('extract', { as: 'items', target: { css: '.item' }, fields });
    expect(pages).toBe(1);
    expect(items).toEqual([
      { name: 'Posten 1', href: `${run.site}/echo?id=1`, price: 1234.5, at: '2026-03-01', due: null },
      { name: 'Posten x', href: `${run.site}/echo?id=x`, price: null, at: null, due: '2026-03-07' },
    ]);
  });

  test('wait_for: states, text, address; what does not come is a timeout', async ({ run, harness }) => {
    await run.open('/late');
    expect(
      (await run.do('wait_for', { target: { text: 'Late', exact: true, within: { css: '#box' } } })).waitedMs,
    ).toBeGreaterThan(0);
    await run.do('wait_for', { text: 'late', url: '*/late' });
    const page = harness.context.pages().find((one) => one.url().endsWith('/late'));
    await page?.evaluate(
      "setTimeout(() => b.remove(), 300); setTimeout(() => history.pushState(0, '', '/late?moved'), 300)",
    );
    await run.do('wait_for', { target: { css: '#b' }, state: 'detached', url: 'moved' });
    expect(await run.fail('wait_for', { target: { css: '#b' }, timeout: 300 })).toMatchObject({ code: 'timeout' });
    await run.do('wait_for', { target: { css: '#b' }, state: 'hidden' });
  });
});

test.describe('tabs and trust', () => {
  test("navigate opens a window of the run's own, unfocused; open, switch, close, list", async ({ run, harness }) => {
    await run.open('/form');
    const [first] = run.tabs.list;
    expect(run.tabs).toMatchObject({ current: 't1', next: 2, windowId: first?.windowId });
    const window = await harness.worker.evaluate((id) => chrome.windows.get(id as number), first?.windowId);
    expect(window).toMatchObject({ type: 'normal' });
    expect(await run.do('open_tab', { url: `${run.site}/echo?a=1` })).toMatchObject({ tab: 't2', title: 'Echo' });
    expect(run.tabs).toMatchObject({ current: 't2' });
    expect(run.tabs.list[1]?.windowId).toBe(first?.windowId);
    expect(await run.text('h1')).toBe('Echo');
    // In the background, so it is brought forward within the run's window.
    await run.do('click', { target: { testId: 'pay-now' } }, { tab: 't1' });
    expect(await run.do('switch_tab', { tab: 't1' })).toMatchObject({ tab: 't1', url: `${run.site}/form` });
    await run.do('close_tab');
    expect(run.tabs).toMatchObject({ current: 't2', list: [{ closed: 'run' }, {}] });
    expect((await run.do('list_tabs')).tabs).toEqual([
      { tab: 't2', url: `${run.site}/echo?a=1`, title: 'Echo', active: true },
    ]);
    expect(await run.fail('snapshot', {}, { tab: 't1' })).toMatchObject({ code: 'tab_closed' });
  });

  test('a tab that the person closed is tab_closed; one of another run is refused', async ({ run, harness }) => {
    await run.open('/form');
    const other = new Run(run.worker, run.site, 'intruder');
    other.tabs = run.tabs;
    expect(await other.fail('snapshot')).toMatchObject({ code: 'operation_failed', details: { reason: 'tab_leased' } });
    await harness.worker.evaluate((id) => chrome.tabs.remove(id as number), run.tabs.list[0]?.browserTabId);
    expect(await run.fail('snapshot')).toMatchObject({ code: 'tab_closed' });
    expect(await run.fail('navigate', { url: `${run.site}/form` })).toMatchObject({ code: 'tab_closed' });
  });

  test('a tab lost with the browser: once is refused, a read opens it again', async ({ run }) => {
    await run.open('/form');
    await run.worker.evaluate(() => (globalThis as unknown as { restart(session: string): void }).restart('life-2'));
    try {
      expect(await run.fail('click', { target: { testId: 'pay-now' } })).toMatchObject({ code: 'tab_lost' });
      const before = run.tabs.list[0]?.browserTabId;
      expect(await run.text('h1')).toBe('Expense');
      expect(run.tabs.list[0]).toMatchObject({ tab: 't1', session: 'life-2' });
      expect(run.tabs.list[0]?.browserTabId).not.toBe(before);
    } finally {
      await run.worker.evaluate(() => (globalThis as unknown as { restart(session: string): void }).restart('life-1'));
    }
  });

  test('pages outside the sites, without a grant, or of the browser are refused, after a redirect too', async ({
    run,
    server,
    harness,
  }) => {
    await run.open('/form');
    expect(await run.fail('navigate', { url: 'https://example.com/' })).toMatchObject({ code: 'site_not_allowed' });
    expect(await run.fail('navigate', { url: 'chrome://settings/' })).toMatchObject({ code: 'site_not_allowed' });
    expect(await run.fail('navigate', { url: 'file:///etc/passwd' })).toMatchObject({ code: 'site_not_allowed' });
    const sites = [`${run.site}/*`, `${server.other}/*`];
    expect(await run.fail('navigate', { url: `${server.other}/form` }, { sites })).toMatchObject({
      code: 'permission_denied',
      details: { origin: server.other },
    });
    const to = encodeURIComponent(`${server.other}/echo`);
    expect(await run.fail('navigate', { url: `${run.site}/redirect?to=${to}` }, { timeoutMs: 10_000 })).toMatchObject({
      code: 'site_not_allowed',
    });
    expect(await run.fail('snapshot')).toMatchObject({ code: 'site_not_allowed' });
    expect(await run.fail('snapshot', {}, { sites })).toMatchObject({
      code: 'permission_denied',
      details: { origin: 'http://localhost' },
    });
    await run.open('/form');
    expect(await run.fail('click', { target: { testId: 'pay-now' } }, { sites: [`${run.site}/echo*`] })).toMatchObject({
      code: 'site_not_allowed',
    });
    expect(
      await run.fail('click', { target: { testId: 'pay-now' } }, { approvedOrigin: 'https://other.example' }),
    ).toMatchObject({ code: 'approval_mismatch' });
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    expect(await page?.evaluate('out.textContent')).toBe('');
    await run.do('click', { target: { testId: 'pay-now' } }, { approvedOrigin: run.site });
  });

  test('addresses that give no page are navigation_failed; a target can be waited for', async ({ run }) => {
    await run.open('/form');
    expect(
      await run.fail('navigate', { url: 'http://127.0.0.1:1/' }, { sites: ['http://127.0.0.1/*'], timeoutMs: 5000 }),
    ).toMatchObject({ code: 'navigation_failed' });
    await run.open('/form');
    expect(await run.fail('navigate', { url: `${run.site}/nothing` }, { timeoutMs: 5000 })).toMatchObject({
      code: 'navigation_failed',
    });
    expect(await run.do('navigate', { url: `${run.site}/late`, waitFor: { text: 'Late' } })).toMatchObject({
      title: 'Late',
    });
    expect(await run.do('navigate', { url: `${run.site}/late#part` })).toMatchObject({ url: `${run.site}/late#part` });
    expect(await run.do('navigate', { url: `${run.site}/echo`, waitFor: 'domcontentloaded' })).toMatchObject({
      title: 'Echo',
    });
  });

  test('called off while it waits: nothing is clicked', async ({ run }) => {
    await run.open('/form');
    const waiting = run.try('click', { target: { text: 'Comes never' } }, { timeoutMs: 20_000 });
    await new Promise((done) => setTimeout(done, 300));
    await run.worker.evaluate(() => (globalThis as unknown as { abort(): void }).abort());
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  test('wrong arguments are told before anything happens', async ({ run }) => {
    expect(await run.fail('click', {})).toMatchObject({ code: 'input_invalid', field: 'target' });
    expect(await run.fail('click', { target: { css: 'a', text: 'b' } })).toMatchObject({ code: 'input_invalid' });
    expect(await run.fail('snapshot')).toMatchObject({ code: 'input_invalid', field: 'tab' });
    expect(await run.fail('explode', {})).toMatchObject({ code: 'input_invalid' });
  });
});

test.describe('files, without what the browser asks for', () => {
  test('a picture needs access to all sites: that is what is missing, and what the run can wait for', async ({
    run,
  }) => {
    await run.open('/form');
    expect(await run.fail('screenshot', {}, { timeoutMs: 10_000 })).toMatchObject({
      code: 'permission_denied',
      details: { origin: '<all_urls>' },
    });
  });

  test('what a page hands out needs no permission; what the browser saves itself names the one it needs', async ({
    run,
  }) => {
    await run.open('/files');
    const made = await run.try('download', { target: { css: '#make' } });
    expect(made).toMatchObject({ ok: true, result: { artifact: { name: 'handed.txt' } } });
    expect(await run.fail('download', { target: { css: '#server' } }, { timeoutMs: 10_000 })).toMatchObject({
      code: 'permission_denied',
      details: { permission: 'downloads' },
      acted: true,
    });
  });
});
