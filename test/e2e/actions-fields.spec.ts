import { expect, type Page } from '@playwright/test';
import { test } from '../support/pages/run.ts';

/** Fields of all kinds, as browsers have them and as pages make them, in a real Chromium. */

test.describe('fill', () => {
  test('fields with a format: what they take, and a clear word about what they do not', async ({ run }) => {
    await run.open('/input-fields');
    for (const [label, value] of [
      ['Day', '2026-03-07'],
      ['At', '09:30'],
      ['When', '2026-03-07T09:30'],
      ['Month', '2026-03'],
      ['Week', '2026-W09'],
      ['Colour', '#12ab9f'],
      ['Volume', '35'],
    ]) {
      expect(await run.do('fill', { target: { label: label as string, exact: true }, value: value as string })).toEqual(
        {
          value,
        },
      );
    }
    for (const [label, value, says] of [
      ['Day', '7.3.2026', 'YYYY-MM-DD'],
      ['At', 'noon', 'HH:MM'],
      ['Week', '9', 'YYYY-Www'],
      ['Colour', 'red', '#rrggbb'],
      ['Volume', '60', 'from 0 to 50'],
      ['Volume', '33', 'in steps of 5'],
    ]) {
      const error = await run.fail('fill', { target: { label: label as string, exact: true }, value: value as string });
      expect(error).toMatchObject({ code: 'element_not_actionable', details: { reason: 'value' } });
      expect(error.message).toContain(says);
    }
    expect((await run.do('extract', { target: { css: '#day' } })).text).toBe('2026-03-07');
  });

  test('a field that looks at each key gets them one by one; what is around a field stands for it', async ({ run }) => {
    await run.open('/input-fields');
    expect(await run.do('fill', { target: { label: 'Masked' }, value: '123456' })).toEqual({ value: '12/3456' });
    expect(await run.do('fill', { target: { label: 'Masked' }, value: '99' })).toEqual({ value: '99' });
    expect(await run.fail('fill', { target: { label: 'Masked' }, value: 'abc' }, { timeoutMs: 5000 })).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'value' },
    });
    expect(await run.do('fill', { target: { testId: 'wrapped' }, value: 'inner' })).toEqual({ value: 'inner' });
  });

  test('editors with a will of their own: by beforeinput, by paste, by keys, by their context; else an error', async ({
    run,
  }) => {
    await run.open('/input-fields');
    expect(await run.do('fill', { target: { label: 'Own' }, value: 'one\ntwo' })).toEqual({ value: 'one\ntwo' });
    expect(await run.do('fill', { target: { label: 'Pasted' }, value: 'from the board' })).toEqual({
      value: 'from the board',
    });
    expect(await run.do('fill', { target: { label: 'Keyed' }, value: 'by keys' })).toEqual({ value: 'by keys' });
    expect(await run.do('fill', { target: { label: 'Context' }, value: 'told' })).toEqual({ value: 'told' });
    expect(await run.do('type', { target: { label: 'Context' }, text: ' more' })).toEqual({ value: 'told more' });
    expect(await run.fail('fill', { target: { label: 'Deaf' }, value: 'new' }, { timeoutMs: 8000 })).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'value' },
    });
    expect(await run.text('#deaf')).toBe('old');
  });

  test('dials that a page makes itself are turned by keys', async ({ run }) => {
    await run.open('/input-fields');
    expect(await run.do('fill', { target: { label: 'Dial', exact: true }, value: 12 })).toEqual({ value: '12' });
    expect(await run.do('fill', { target: { label: 'Dial', exact: true }, value: 0 })).toEqual({ value: '0' });
    const error = await run.fail('fill', { target: { label: 'Dial', exact: true }, value: 21 });
    expect(error.message).toContain('from 0 to 20');
    expect(await run.fail('fill', { target: { label: 'Stuck dial' }, value: 2 }, { timeoutMs: 4000 })).toMatchObject({
      details: { reason: 'value' },
    });
  });

  test('page-2: a field that a framework controls and that held text: what is sent is exactly what was given', async ({
    run,
    harness,
  }) => {
    await run.open('/controlled');
    const page = harness.context.pages().find((one) => one.url().endsWith('/controlled')) as Page;
    await run.do('fill', { target: { label: 'Name' }, value: 'before' });
    await page.evaluate(
      "document.body.insertAdjacentHTML('beforeend', '<button id=\"go\">Go</button>'); go.onclick = () => { location = '/echo?name=' + shown.textContent; }",
    );
    await run.do('fill', { target: { label: 'Name' }, value: 'after' });
    expect(await run.do('type', { target: { label: 'Name' }, text: '!' })).toEqual({ value: 'after!' });
    const { url } = await run.do('click', { target: { role: 'button', name: 'Go' } });
    expect(url).toBe(`${run.site}/echo?name=after!`);
  });
});

test.describe('lists and boxes that a page makes itself', () => {
  test('select_option opens a combobox, chooses, and checks; again it does nothing', async ({ run, harness }) => {
    await run.open('/input-fields');
    const page = harness.context.pages().find((one) => one.url().endsWith('/input-fields')) as Page;
    const fruit = { role: 'combobox', name: 'Fruit' };
    expect(await run.do('select_option', { target: fruit, label: 'banana' })).toEqual({ values: ['b'] });
    expect(await run.text('#fruit')).toBe('Banana');
    await page.evaluate("window.clicks = 0; addEventListener('click', () => { clicks += 1; }, true)");
    await run.do('select_option', { target: fruit, label: 'Banana' });
    expect(await page.evaluate('clicks')).toBe(0);
    expect(await run.do('select_option', { target: fruit, value: 'a' })).toEqual({ values: ['a'] });
    expect(await run.fail('select_option', { target: fruit, label: 'Cherry' }, { timeoutMs: 5000 })).toMatchObject({
      code: 'element_not_actionable',
      details: { reason: 'disabled' },
    });
    expect(await run.fail('select_option', { target: fruit, label: 'Plum' }, { timeoutMs: 5000 })).toMatchObject({
      code: 'element_not_found',
      details: { options: ['Apple', 'Banana', 'Cherry'] },
    });
    expect(await page.evaluate("fruits.hidden && fruit.getAttribute('aria-expanded') === 'false'")).toBe(true);
    expect(
      await run.fail('select_option', { target: { label: 'Lying' }, label: 'Truth' }, { timeoutMs: 5000 }),
    ).toMatchObject({ code: 'operation_failed', details: { reason: 'value' } });
  });

  test('a select field that takes the choice back is told, and not as done', async ({ run }) => {
    await run.open('/input-fields');
    expect(await run.fail('select_option', { target: { label: 'Kept' }, value: 'b' })).toMatchObject({
      code: 'operation_failed',
      details: { reason: 'value' },
    });
    expect(await run.do('select_option', { target: { label: 'Kept' }, value: 'a' })).toEqual({ values: ['a'] });
  });

  test('one that fetches what was typed, and a list of several', async ({ run }) => {
    await run.open('/input-fields');
    expect(await run.do('select_option', { target: { label: 'City' }, label: 'Bern' })).toEqual({ values: ['Bern'] });
    expect((await run.do('extract', { target: { css: '#city' } })).text).toBe('Bern');
    const tags = { role: 'listbox', name: 'Tags' };
    expect(await run.do('select_option', { target: tags, values: ['red', 'blue'] })).toEqual({
      values: ['red', 'blue'],
    });
    const { items } = await run.do('extract', {
      as: 'items',
      target: { css: '#tags [aria-selected=true]' },
      fields: { name: {} },
    });
    expect(items).toEqual([{ name: 'red' }, { name: 'blue' }]);
  });

  test('check: a switch, a box that is drawn by its label, one that is hidden', async ({ run, harness }) => {
    await run.open('/input-fields');
    const page = harness.context.pages().find((one) => one.url().endsWith('/input-fields')) as Page;
    expect(await run.do('check', { target: { role: 'switch', name: 'Notify me' } })).toEqual({ checked: true });
    expect(await run.do('check', { target: { role: 'switch', name: 'Notify me' }, checked: false })).toEqual({
      checked: false,
    });
    expect(await run.do('check', { target: { text: 'Styled box' } })).toEqual({ checked: true });
    expect(await run.do('check', { target: { text: 'Hidden box' } })).toEqual({ checked: true });
    expect(await page.evaluate('[styled.checked, gone.checked]')).toEqual([true, true]);
    expect(await run.do('check', { target: { text: 'Hidden box' }, checked: false })).toEqual({ checked: false });
  });
});
