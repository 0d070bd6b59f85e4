import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, test as base, chromium, expect, type Worker } from '@playwright/test';
import { requireChromium } from '../../src/cli/browser/find.ts';
import { extensionFlags, QUIET_FLAGS } from '../../src/cli/browser/flags.ts';
import type { ErrorInfo } from '../../src/model/errors.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { RunTabs } from '../../src/model/run.ts';
import type { PageCall, PageResult } from '../../src/ports/pages.ts';
import { buildHarness } from '../support/pages/build.ts';
import { type PageServer, startPageServer } from '../support/pages/server.ts';

/** The browser adapter and the page script in a real Chromium, without the engine. */

type Answer = { ok: true; result: PageResult } | { ok: false; error: ErrorInfo };

/** A run as the engine would drive it: keeps the tabs that each action gives back. */
class Run {
  tabs: RunTabs = { list: [], next: 1 };
  readonly worker: Worker;
  readonly site: string;
  readonly runId: string;
  #calls = 0;

  constructor(worker: Worker, site: string, runId: string) {
    this.worker = worker;
    this.site = site;
    this.runId = runId;
  }

  async try(action: string, args: JsonObject, more: Partial<PageCall> = {}): Promise<Answer> {
    this.#calls += 1;
    const call: Omit<PageCall, 'signal'> = {
      runId: this.runId,
      path: `step${this.#calls}`,
      attempt: 1,
      action,
      arguments: args,
      secrets: [],
      tabs: this.tabs,
      sites: [`${this.site}/*`],
      timeoutMs: 5000,
      idempotencyKey: `key${this.#calls}`,
      ...more,
    };
    const answer = await this.worker.evaluate(
      (sent) => (globalThis as unknown as { act(call: unknown): Promise<Answer> }).act(sent),
      call as unknown as Record<string, unknown>,
    );
    if (answer.ok) this.tabs = answer.result.tabs;
    return answer;
  }

  /** Output of an action that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: outputs are compared, not used
  async do(action: string, args: JsonObject = {}, more: Partial<PageCall> = {}): Promise<any> {
    const answer = await this.try(action, args, more);
    if (!answer.ok) throw new Error(`${action}: ${answer.error.code} ${answer.error.message}`);
    return answer.result.output;
  }

  /** Error of an action that must fail. */
  async fail(action: string, args: JsonObject = {}, more: Partial<PageCall> = {}): Promise<ErrorInfo> {
    const answer = await this.try(action, args, { timeoutMs: 1500, ...more });
    if (answer.ok) throw new Error(`${action} succeeded: ${JSON.stringify(answer.result.output)}`);
    return answer.error;
  }

  async open(path: string): Promise<void> {
    await this.do('navigate', { url: this.site + path });
  }

  /** Text of an element, to see what the page noticed. */
  async text(css: string): Promise<string> {
    return (await this.do('extract', { target: { css } })).text;
  }
}

interface Shared {
  server: PageServer;
  harness: { context: BrowserContext; worker: Worker };
}

let runs = 0;

const test = base.extend<{ run: Run }, Shared>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const server = await startPageServer();
      await use(server);
      await server.close();
    },
    { scope: 'worker' },
  ],
  harness: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'tabloom-actions-'));
      const extension = join(folder, 'extension');
      await buildHarness(extension, ['http://127.0.0.1/*']);
      const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
        executablePath: requireChromium().path,
        headless: true,
        chromiumSandbox: process.getuid?.() !== 0,
        args: [...QUIET_FLAGS, ...extensionFlags(extension)],
        ignoreDefaultArgs: ['--disable-popup-blocking'],
      });
      const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
      await use({ context, worker });
      await context.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    { scope: 'worker' },
  ],
  run: async ({ harness, server }, use) => {
    runs += 1;
    const run = new Run(harness.worker, server.origin, `run${runs}`);
    await use(run);
    for (const tab of run.tabs.list) {
      if (!tab.closed)
        await harness.worker.evaluate((id) => chrome.tabs.remove(id).catch(() => undefined), tab.browserTabId);
    }
  },
});

test.describe('targets', () => {
  test('by role and name, part and exact; hidden duplicates do not count', async ({ run }) => {
    await run.open('/form');
    expect(await run.text('h1')).toBe('Expense');
    expect((await run.do('extract', { target: { role: 'button', name: 'send' } })).text).toBe('Send');
    expect((await run.do('extract', { target: { label: 'JUSTIFICATION' } })).text).toBe('');
    expect((await run.do('extract', { target: { text: 'fill in the whole form' } })).text).toBe(
      'Fill in the whole form.',
    );
    expect(await run.fail('extract', { target: { role: 'button', name: 'sen', exact: true } })).toMatchObject({
      code: 'element_not_found',
    });
    expect(
      (await run.do('extract', { target: { placeholder: 'phone' }, as: 'attribute', attribute: 'id' })).value,
    ).toBe('phone');
    expect((await run.do('extract', { target: { testId: 'pay-now' } })).text).toBe('Pay now');
    expect((await run.do('extract', { target: { xpath: '//section//li[2]/button' } })).text).toBe('Delete');
  });

  test('more than one match is ambiguous and lists the candidates; nth and within tell them apart', async ({ run }) => {
    await run.open('/form');
    const error = await run.fail('click', { target: { role: 'button', name: 'Delete' } });
    expect(error).toMatchObject({ code: 'target_ambiguous', details: { count: 2 } });
    expect(error.message).toContain('nth 1: button "Delete"');
    await run.do('click', {
      target: {
        role: 'button',
        name: 'Delete',
        within: { role: 'listitem', nth: 1, within: { role: 'region', name: 'Rows' } },
      },
    });
    expect(await run.text('#out')).toBe('deleted 2');
    await run.do('click', { target: { role: 'button', name: 'Delete', nth: 0 } });
    expect(await run.text('#out')).toBe('deleted 1');
  });

  test('alternatives are tried in order, and the one that matched is told', async ({ run }) => {
    await run.open('/form');
    const list: JsonObject[] = [{ testId: 'gone' }, { role: 'button', name: 'Delete' }, { testId: 'pay-now' }];
    expect(await run.do('click', { target: list })).toMatchObject({ matched: 2 });
    expect(await run.text('#out')).toBe('paid');
  });

  test('a ref from a snapshot acts; once its element is gone it is stale, also on another page', async ({ run }) => {
    await run.open('/form');
    const { text } = await run.do('snapshot');
    const ref = /button "Pay now" \[ref=(e\d+)\]/.exec(text)?.[1] as string;
    await run.do('click', { target: { ref } });
    expect(await run.text('#out')).toBe('paid');
    await run.open('/form?again');
    await run.do('snapshot');
    expect(await run.fail('click', { target: { ref } })).toMatchObject({ code: 'ref_stale' });
  });

  test('open and closed shadow roots and slots are seen through', async ({ run }) => {
    await run.open('/shadow');
    await run.do('fill', { target: { label: 'Inside' }, value: 'deep' });
    await run.do('click', { target: { role: 'button', name: 'Open one' } });
    expect(await run.text('#out')).toBe('open deep');
    await run.do('click', { target: { text: 'Closed one' } });
    expect(await run.text('#out')).toBe('closed');
    await run.do('click', { target: { css: '#slotted button' } });
    expect(await run.text('#out')).toBe('slotted');
    expect(await run.text('p.deep')).toBe('Deep text');
    expect((await run.do('extract', { target: { xpath: '//p[@class="deep"]' } })).text).toBe('Deep text');
    const { text } = await run.do('snapshot');
    expect(text).toContain('Deep text');
    expect(text.indexOf('Before')).toBeLessThan(text.indexOf('Slotted'));
  });

  test('frames: by place in the page, nested, inline and in a shadow tree; one of another origin needs its grant', async ({
    run,
  }) => {
    await run.open('/frames');
    await run.do('fill', {
      target: { label: 'Justification', frame: { css: 'iframe[name=first]' } },
      value: 'in a frame',
    });
    expect((await run.do('extract', { target: { css: '#why', frame: { role: 'iframe', name: 'First' } } })).text).toBe(
      'in a frame',
    );
    await run.do('fill', {
      target: { css: '#name', frame: { css: '#inner', frame: { css: '#second' } } },
      value: 'Ada',
    });
    expect(
      (await run.do('extract', { target: { css: '#shown', frame: { css: '#inner', frame: { css: '#second' } } } }))
        .text,
    ).toBe('Ada');
    await run.do('click', { target: { text: 'In doc', frame: { css: '[title=Inline]' } } });
    expect((await run.do('extract', { target: { role: 'button', frame: { css: '[title=Inline]' } } })).text).toBe(
      'Done',
    );
    expect((await run.do('extract', { target: { role: 'heading', frame: { css: '[title=Shadow]' } } })).text).toBe(
      'Echo',
    );
    const error = await run.fail('extract', { target: { role: 'heading', frame: { css: '[title=Foreign]' } } });
    expect(error).toMatchObject({
      code: 'permission_denied',
      details: { origin: run.site.replace('127.0.0.1', 'localhost') },
    });
  });
});

test.describe('clicks', () => {
  test('a click is the whole sequence, once', async ({ run, harness }) => {
    await run.open('/form');
    await run.do('click', { target: { css: '#log' } });
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    expect(await page?.evaluate('events.join(" ")')).toBe(
      'pointerover pointerenter pointerdown mousedown focus pointerup mouseup click',
    );
    await page?.evaluate('events.length = 0');
    await run.do('click', { target: { css: '#log' }, count: 2 });
    expect(await page?.evaluate('events.filter((type) => /click/.test(type)).join(" ")')).toBe('click click dblclick');
    await page?.evaluate('events.length = 0');
    await run.do('click', { target: { css: '#log' }, button: 'right' });
    expect(await page?.evaluate('events.filter((type) => /click|menu/.test(type)).join(" ")')).toBe('contextmenu');
  });

  test('SVG, an icon without pointer events, and what is far down the page', async ({ run }) => {
    await run.open('/form');
    await run.do('click', { target: { css: '#bar' } });
    expect(await run.text('#out')).toBe('bar');
    await run.do('click', { target: { text: 'Icon text' } });
    expect(await run.text('#out')).toBe('icon');
    await run.do('click', { target: { text: 'Far away' } });
    expect(await run.text('#out')).toBe('far');
  });

  test('covered, disabled and hidden elements are not clicked, and the reason is named', async ({ run, harness }) => {
    await run.open('/form');
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    await page?.evaluate('overlay.hidden = false');
    const covered = await run.fail('click', { target: { testId: 'pay-now' } });
    expect(covered).toMatchObject({ code: 'element_not_actionable', details: { reason: 'covered' } });
    expect(covered.message).toContain('Please wait');
    await page?.evaluate('setTimeout(() => { overlay.hidden = true }, 500)');
    await run.do('click', { target: { testId: 'pay-now' } });
    expect(await run.text('#out')).toBe('paid');
    expect(await run.fail('click', { target: { text: 'Never' } })).toMatchObject({ details: { reason: 'disabled' } });
    expect(await run.fail('click', { target: { css: 'button[hidden]' } })).toMatchObject({
      code: 'element_not_found',
      details: { hidden: 1 },
    });
  });

  test('an element that comes late and moves is clicked once it stands still', async ({ run }) => {
    await run.open('/late');
    await run.do('click', { target: { role: 'button', name: 'Late' } });
    expect(await run.text('#out')).toBe('clicked at 100px');
  });

  test('a link: the url is that of the page it leads to', async ({ run }) => {
    await run.open('/form');
    const output = await run.do('click', { target: { role: 'link', name: 'Next page' } });
    expect(output).toEqual({ matched: 0, url: `${run.site}/echo?from=link`, openedTab: null, dialogs: [] });
  });

  test('a submit button sends the form once, also where the answer takes a while', async ({ run, harness }) => {
    await run.open('/form');
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    await page?.evaluate(
      "form.action = '/echo?wait=700'; form.insertAdjacentHTML('beforeend', '<input type=hidden name=wait value=700>')",
    );
    const { url } = await run.do('click', { target: { role: 'button', name: 'Send' } });
    expect(url).toContain('/echo?amount=');
  });

  test("a link that opens a tab: the tab is the run's, and not the current one", async ({ run }) => {
    await run.open('/form');
    const { openedTab, url } = await run.do('click', { target: { text: 'New tab' } });
    expect(openedTab).toBe('t2');
    expect(url).toBe(`${run.site}/form`);
    await run.do('wait_for', { url: '/echo?from=blank' }, { tab: 't2' });
    expect((await run.do('extract', { target: { role: 'heading' } }, { tab: 't2' })).text).toBe('Echo');
    expect(await run.text('h1')).toBe('Expense');
    expect(
      (await run.do('list_tabs')).tabs.map((tab: { tab: string; active: boolean }) => [tab.tab, tab.active]),
    ).toEqual([
      ['t1', true],
      ['t2', false],
    ]);
  });

  test('asked again with the same key and attempt: the recorded answer, no second click', async ({ run, harness }) => {
    await run.open('/form');
    const again = { idempotencyKey: 'same', attempt: 1 };
    await run.do('click', { target: { css: '#log' } }, again);
    await run.do('click', { target: { css: '#log' } }, again);
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    expect(await page?.evaluate("events.filter((type) => type === 'click').length")).toBe(1);
    await run.do('click', { target: { css: '#log' } }, { ...again, attempt: 2 });
    expect(await page?.evaluate("events.filter((type) => type === 'click').length")).toBe(2);
  });

  test('a dialog that nobody answers: the act fails, and it is said that it had begun', async ({ run, harness }) => {
    await run.open('/form');
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    page?.on('dialog', () => undefined);
    const error = await run.fail('click', { target: { role: 'button', name: 'Alert' } }, { timeoutMs: 10_000 });
    expect(error).toMatchObject({ code: 'timeout', acted: true, details: { reason: 'tab_silent' } });
    expect(await run.fail('snapshot')).toMatchObject({ code: 'timeout', details: { reason: 'tab_silent' } });
  });
});

test.describe('fields', () => {
  test('fill: text, number, date, textarea by events that a page listens to', async ({ run, harness }) => {
    await run.open('/form');
    expect(await run.do('fill', { target: { label: 'Amount' }, value: 12.5 })).toEqual({ value: '12.5' });
    expect(await run.do('fill', { target: { label: 'Day' }, value: '2026-03-07' })).toEqual({ value: '2026-03-07' });
    expect(await run.do('fill', { target: { label: 'Justification' }, value: 'two\nlines' })).toEqual({
      value: 'two\nlines',
    });
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    expect(await page?.evaluate('fired.join(" ")')).toBe('focus keydown beforeinput input keyup change');
    await run.do('click', { target: { css: '#log' } });
    expect(await page?.evaluate('fired.at(-1)')).toBe('blur');
    expect(await run.do('fill', { target: { label: 'Justification' }, value: '' })).toEqual({ value: '' });
  });

  test('a field that formats what it is given is fine; one that drops part of it, or is read-only, is not', async ({
    run,
  }) => {
    await run.open('/form');
    expect(await run.do('fill', { target: { label: 'Phone' }, value: '5551234' })).toEqual({ value: '(555) 1234' });
    expect(await run.fail('fill', { target: { label: 'Phone' }, value: 'abc' })).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'value' },
    });
    expect(await run.fail('fill', { target: { label: 'Amount' }, value: 'many' })).toMatchObject({
      details: { reason: 'value' },
    });
    expect(await run.fail('fill', { target: { label: 'Fixed' }, value: 'x' })).toMatchObject({
      details: { reason: 'read-only' },
    });
    expect(await run.fail('fill', { target: { testId: 'pay-now' }, value: 'x' })).toMatchObject({
      details: { reason: 'no field' },
    });
  });

  test('a controlled field takes the value into its state', async ({ run }) => {
    await run.open('/controlled');
    expect(await run.do('fill', { target: { label: 'Name' }, value: 'Ada' })).toEqual({ value: 'Ada' });
    expect(await run.text('#shown')).toBe('Ada');
    expect(await run.do('fill', { target: { label: 'Name' }, value: 'Grace' })).toEqual({ value: 'Grace' });
    expect(await run.text('#shown')).toBe('Grace');
  });

  test('an editable region is replaced', async ({ run }) => {
    await run.open('/form');
    expect(await run.do('fill', { target: { role: 'textbox', name: 'Notes' }, value: 'new words' })).toEqual({
      value: 'new words',
    });
    expect(await run.text('#rich')).toBe('new words');
  });

  test('select_option by label, value and several; an option that is not there or disabled is told', async ({
    run,
  }) => {
    await run.open('/form');
    expect(await run.do('select_option', { target: { label: 'Kind' }, label: 'Travel' })).toEqual({ values: ['t'] });
    expect(await run.do('select_option', { target: { label: 'Kind' }, value: 'm' })).toEqual({ values: ['m'] });
    expect(await run.do('select_option', { target: { label: 'Tags' }, values: ['a', 'c'] })).toEqual({
      values: ['a', 'c'],
    });
    const error = await run.fail('select_option', { target: { label: 'Kind' }, label: 'Lodging' });
    expect(error).toMatchObject({
      code: 'element_not_found',
      details: { options: ['– ()', 'Travel (t)', 'Meals (m)', 'Gifts (x)'] },
    });
    expect(await run.fail('select_option', { target: { label: 'Kind' }, label: 'Gifts' })).toMatchObject({
      details: { reason: 'disabled' },
    });
  });

  test('check: boxes, radio buttons and switches, by label text too; what does not change is told', async ({ run }) => {
    await run.open('/form');
    expect(await run.do('check', { target: { label: 'I agree' } })).toEqual({ checked: true });
    expect(await run.do('check', { target: { label: 'I agree' } })).toEqual({ checked: true });
    expect(await run.do('check', { target: { text: 'I agree' }, checked: false })).toEqual({ checked: false });
    expect(await run.do('check', { target: { role: 'radio', name: 'Cash' } })).toEqual({ checked: true });
    expect(await run.do('check', { target: { role: 'switch', name: 'Notify' } })).toEqual({ checked: true });
    expect(await run.fail('check', { target: { role: 'radio', name: 'Cash' }, checked: false })).toMatchObject({
      details: { reason: 'radio' },
    });
    expect(await run.fail('check', { target: { role: 'checkbox', name: 'Stuck' } }, { timeoutMs: 4000 })).toMatchObject(
      { details: { reason: 'value' } },
    );
  });

  test('a secret reaches the field and nothing else', async ({ run, harness }) => {
    await run.open('/form');
    const secrets = [{ pointer: '/value', parts: ['pre-', { secret: 'password' }] }];
    const answer = await run.try('fill', { target: { css: '#pw' }, value: 'pre-{{secret.password}}' }, { secrets });
    expect(answer).toMatchObject({ ok: true, result: { output: { value: 'pre-••••' } } });
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    expect(await page?.evaluate('pw.value')).toBe('pre-hunter-42-secret');
    const shown = [
      await run.do('snapshot'),
      await run.do('extract', { as: 'html' }),
      await run.do('extract', { target: { css: '#pw' } }),
    ];
    expect(JSON.stringify(shown)).not.toContain('hunter');
    expect(JSON.stringify(shown)).not.toContain('topsecret');
    const short = await run.fail(
      'fill',
      { target: { css: '#short' }, value: '{{secret.password}}' },
      { secrets: [{ pointer: '/value', parts: [{ secret: 'password' }] }] },
    );
    expect(JSON.stringify(short)).not.toContain('hunter');
  });
});

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
      lines.push(...part.text.split('\n').slice(1));
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
    expect(rest.text).toContain('button "Open 59"');
    expect(rest.text).toContain('… 440 more listitem');
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
    expect(await run.fail('navigate', { url: `${run.site}/redirect?to=${to}` })).toMatchObject({
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
