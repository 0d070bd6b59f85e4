import { expect } from '@playwright/test';
import type { JsonObject } from '../../src/model/json.ts';
import { test } from '../support/pages/run.ts';

/** The browser adapter and the page script in a real Chromium, without the engine. */

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

  // The harness has none of the scripts that answer dialogs.
  test('a dialog that nobody answers: the act fails, it is said that it had begun, and the tab is freed', async ({
    run,
    harness,
  }) => {
    await run.open('/form');
    const page = harness.context.pages().find((one) => one.url().endsWith('/form'));
    page?.on('dialog', () => undefined);
    const error = await run.fail('click', { target: { role: 'button', name: 'Alert' } }, { timeoutMs: 10_000 });
    expect(error).toMatchObject({ code: 'timeout', acted: true, details: { reason: 'tab_silent', freed: true } });
    expect((await run.do('snapshot')).text).toContain('button "Alert"');
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
    harness,
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
    const page = harness.context.pages().find((one) => one.url().includes('/form'));
    await page?.evaluate(() => {
      const kind = document.querySelector('[name=kind]') as HTMLSelectElement;
      kind.addEventListener('change', () => setTimeout(() => (kind.value = 'm')), { once: true });
    });
    expect(await run.fail('select_option', { target: { label: 'Kind' }, label: 'Travel' })).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'value' },
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
      { code: 'operation_failed', details: { reason: 'value' } },
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
