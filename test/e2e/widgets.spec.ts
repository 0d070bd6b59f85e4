import { expect } from '@playwright/test';
import { test } from '../support/pages/widgets.ts';

/**
 * Real widgets from npm (test/pages/widgets), set by page actions as the author of a workflow would write them. What counts is what the
 * application holds afterwards, as its widget has told it.
 */

for (const framework of ['react', 'preact', 'vue', 'svelte', 'angular']) {
  test(`${framework}: a controlled form takes every field into its model`, async ({ run, state }) => {
    await run.open(`/${framework}-form`);
    await run.do('fill', { target: { label: 'Name' }, value: 'Ada' });
    await run.do('fill', { target: { label: 'Amount' }, value: 12.5 });
    await run.do('fill', { target: { label: 'Notes' }, value: 'two\nlines' });
    await run.do('select_option', { target: { label: 'Kind' }, label: 'Meals' });
    await run.do('check', { target: { label: 'I agree' } });
    await run.do('check', { target: { role: 'radio', name: 'Pay by card' } });
    await run.do('fill', { target: { label: 'Day' }, value: '2026-03-07' });
    await run.do('fill', { target: { label: 'Level' }, value: 70 });
    await run.do('select_option', { target: { label: 'Tags' }, values: ['Beta', 'Gamma'] });
    await expect.poll(state).toEqual({
      name: 'Ada',
      amount: 12.5,
      kind: 'm',
      agree: true,
      pay: 'card',
      notes: 'two\nlines',
      day: '2026-03-07',
      level: 70,
      tags: ['b', 'c'],
    });
    await run.do('fill', { target: { label: 'Amount' }, value: '' });
    await run.do('check', { target: { label: 'I agree' }, checked: false });
    await expect.poll(state).toMatchObject({ name: 'Ada', agree: false });
    expect((await state()).amount || null).toBe(null);
  });
}

test('select2: by its field, and by opening it', async ({ run, state }) => {
  await run.open('/select2');
  await run.do('select_option', { target: { label: 'Country' }, label: 'France' });
  await run.do('select_option', { target: { label: 'Tags' }, values: ['a', 'c'] });
  await expect.poll(state).toEqual({ country: 'fr', tags: ['a', 'c'] });
  await run.do('click', { target: { role: 'combobox', name: 'France' } });
  await run.do('click', { target: { role: 'option', name: 'Germany' } });
  await expect.poll(state).toEqual({ country: 'de', tags: ['a', 'c'] });
});

test('Tom Select: an option by opening it, a new one by typing it', async ({ run, state }) => {
  await run.open('/tom-select');
  await run.do('click', { target: { role: 'combobox', name: 'Country' } });
  await run.do('click', { target: { role: 'option', name: 'Germany' } });
  await expect.poll(state).toMatchObject({ country: 'de' });
  await run.do('fill', { target: { role: 'combobox', name: 'Tags' }, value: 'beta' });
  await run.do('click', { target: { text: 'Add beta' } });
  await expect.poll(state).toEqual({ country: 'de', tags: ['alpha', 'beta'] });
});

test('Choices: an option found by its search', async ({ run, state }) => {
  await run.open('/choices');
  await run.do('click', { target: { role: 'combobox', name: 'Country' } });
  await run.do('fill', { target: { role: 'searchbox' }, value: 'germ' });
  await run.do('click', { target: { role: 'option', name: 'Germany' } });
  await expect.poll(state).toEqual({ country: 'de' });
  await run.do('select_option', { target: { label: 'Country' }, label: 'France' });
  await expect.poll(state).toEqual({ country: 'fr' });
  // The browser's own field, which is under it and unseen, is none of what is on the page.
  expect((await run.do('snapshot', { find: 'role:combobox' })).text.match(/- combobox/g)).toHaveLength(1);
});

test('flatpickr: a day of its calendar, and a day typed', async ({ run, state }) => {
  await run.open('/flatpickr');
  await run.do('click', { target: { label: 'Day', exact: true } });
  await run.do('click', { target: { css: '[aria-label="March 17, 2026"]' } });
  await expect.poll(state).toMatchObject({ day: '2026-03-17' });
  await run.do('fill', { target: { label: 'Typed day' }, value: '2026-05-06' });
  await run.do('press_key', { key: 'Tab' });
  await expect.poll(state).toEqual({ day: '2026-03-17', typed: '2026-05-06' });
});

test('jQuery UI: autocomplete by typing and choosing, a day of its calendar', async ({ run, state }) => {
  await run.open('/jquery-ui');
  await run.do('fill', { target: { label: 'City' }, value: 'Ber' });
  await run.do('click', { target: { text: 'Bern' } });
  await expect.poll(state).toMatchObject({ city: 'Bern' });
  await run.do('click', { target: { label: 'Day' } });
  await run.do('click', { target: { text: '17', exact: true } });
  await expect.poll(state).toEqual({ city: 'Bern', day: '2026-03-17' });
});

/** What an editor's own model holds, without the line end that some keep after the last line. */
const textOf = (now: string | { text: string }): string =>
  (typeof now === 'string' ? now : now.text).replace(/\n$/, '');

for (const editor of ['quill', 'prosemirror', 'trix', 'codemirror', 'monaco']) {
  test(`${editor}: the text is replaced, line by line, in its own model`, async ({ run, state }) => {
    await run.open(`/${editor}`);
    const code = editor === 'codemirror' || editor === 'monaco';
    const target = { role: 'textbox', name: code ? 'Code' : 'Message' };
    for (const value of [code ? 'if (a) {\n  b();\n}' : 'first line\nsecond', 'one\n\nthree', '']) {
      expect(await run.do('fill', { target, value })).toEqual({ value });
      await expect.poll(async () => textOf(await state())).toBe(value);
    }
  });
}

test('AG Grid: rows are sorted and chosen, a cell is edited', async ({ run, state }) => {
  await run.open('/ag-grid');
  await run.do('click', { target: { role: 'columnheader', name: 'Name' } });
  await run.do('click', { target: { role: 'columnheader', name: 'Name' } });
  await expect.poll(async () => (await state()).shown).toEqual(['Grace', 'Edsger', 'Ada']);
  await run.do('check', { target: { role: 'checkbox', within: { role: 'row', name: 'Edsger' } } });
  await expect.poll(async () => (await state()).chosen).toEqual([3]);
  await run.do('click', { target: { role: 'gridcell', name: '20' }, count: 2 });
  await run.do('fill', { target: { role: 'spinbutton' }, value: 25 });
  await run.do('press_key', { key: 'Enter' });
  await expect.poll(async () => (await state()).amounts).toEqual([10, 25, 30]);
});

test('MUI: text, autocompletes, a select, a date picker, a box and a switch', async ({ run, state }) => {
  await run.open('/mui');
  await run.do('fill', { target: { label: 'Name' }, value: 'Ada' });
  await run.do('fill', { target: { label: 'City' }, value: 'Ber' });
  await run.do('click', { target: { role: 'option', name: 'Bern' } });
  await run.do('click', { target: { label: 'Tags' } });
  await run.do('click', { target: { role: 'option', name: 'Alpha' } });
  await run.do('click', { target: { label: 'Tags' } });
  await run.do('click', { target: { role: 'option', name: 'Gamma' } });
  await run.do('click', { target: { role: 'combobox', name: 'Kind' } });
  await run.do('click', { target: { role: 'option', name: 'Meals' } });
  await run.do('click', { target: { role: 'button', name: 'Choose date' } });
  await run.do('click', { target: { role: 'gridcell', name: '17' } });
  await run.do('check', { target: { label: 'I agree' } });
  await run.do('check', { target: { label: 'Notify me' } });
  await expect.poll(state).toEqual({
    name: 'Ada',
    city: 'Bern',
    tags: ['Alpha', 'Gamma'],
    kind: 'm',
    day: '2026-03-17',
    agree: true,
    notify: true,
  });
});

test('MUI: a select and an autocomplete as one choice, a date part by part', async ({ run, state }) => {
  await run.open('/mui');
  await run.do('select_option', { target: { role: 'combobox', name: 'Kind' }, label: 'Meals' });
  await run.do('select_option', { target: { role: 'combobox', name: 'City' }, label: 'Paris' });
  await run.do('fill', { target: { role: 'spinbutton', name: 'Month' }, value: 11 });
  await run.do('fill', { target: { role: 'spinbutton', name: 'Day' }, value: 9 });
  await run.do('fill', { target: { role: 'spinbutton', name: 'Year' }, value: 2027 });
  await expect.poll(state).toMatchObject({ kind: 'm', city: 'Paris', day: '2027-11-09' });
});

for (const [page, label, state] of [
  ['select2', 'Italy', { country: 'it', tags: [] }],
  ['tom-select', 'Italy', { country: 'it', tags: ['alpha'] }],
  ['choices', 'Italy', { country: 'it' }],
  ['react-select', 'Gifts', { kind: 'g', tags: [] }],
  ['shoelace', 'Meals', { name: 'old', notes: '', kind: 'm', agree: false, notify: false }],
] as const) {
  test(`${page}: a choice in one go`, async ({ run, state: now }) => {
    await run.open(`/${page}`);
    await run.do('select_option', { target: { css: '[role=combobox]', nth: 0 }, label });
    await expect.poll(now).toEqual(state);
  });
}

for (const editor of ['quill', 'prosemirror', 'trix', 'codemirror', 'monaco']) {
  test(`${editor}: typed key by key in place of all`, async ({ run, state }) => {
    await run.open(`/${editor}`);
    await run.do('click', { target: { role: 'textbox' } });
    await run.do('press_key', { key: 'Control+a' });
    const text = 'one\ntwo words\n\nfour!';
    expect(await run.do('type', { target: { role: 'textbox' }, text })).toEqual({ value: text });
    await run.do('press_key', { key: 'Backspace' });
    await expect.poll(async () => textOf(await state())).toBe('one\ntwo words\n\nfour');
  });
}

for (const editor of ['quill', 'prosemirror', 'trix', 'codemirror', 'monaco']) {
  test(`${editor}: copied, cut and pasted by keys`, async ({ run, state }) => {
    await run.open(`/${editor}`);
    const target = { role: 'textbox' };
    await run.do('fill', { target, value: 'word' });
    // Not all at once: some editors take that for a paragraph of its own.
    for (const key of ['End', 'Shift+Home', 'Control+x', 'Control+v', 'Control+v'])
      await run.do('press_key', { target, key });
    await expect.poll(async () => textOf(await state())).toBe('wordword');
    for (const key of ['Shift+Home', 'Control+c', 'End', 'Control+v']) await run.do('press_key', { target, key });
    await expect.poll(async () => textOf(await state())).toBe('wordwordwordword');
  });
}

test('TanStack Virtual: a row that is not drawn until it is scrolled to', async ({ run, state }) => {
  await run.open('/virtual-list');
  await run.do('scroll', { target: { role: 'region', name: 'Orders' }, until: { role: 'button', name: 'Order 120' } });
  await run.do('click', { target: { role: 'button', name: 'Order 120', exact: true } });
  await expect.poll(state).toBe(120);
});

test('Shoelace: fields whose insides are in shadow trees', async ({ run, state }) => {
  await run.open('/shoelace');
  await run.do('fill', { target: { role: 'textbox', name: 'Name' }, value: 'Ada' });
  await run.do('fill', { target: { role: 'textbox', name: 'Notes' }, value: 'two\nlines' });
  await run.do('click', { target: { role: 'combobox', name: 'Kind' } });
  await run.do('click', { target: { role: 'option', name: 'Meals' } });
  await run.do('check', { target: { role: 'checkbox', name: 'I agree' } });
  await run.do('check', { target: { role: 'switch', name: 'Notify me' } });
  await expect.poll(state).toEqual({ name: 'Ada', notes: 'two\nlines', kind: 'm', agree: true, notify: true });
});

test('IMask: a number with and without its mask, and one with a separator', async ({ run, state }) => {
  await run.open('/imask');
  await run.do('fill', { target: { label: 'Phone' }, value: '5551234567' });
  await expect.poll(state).toMatchObject({ phone: '5551234567', complete: true });
  await run.do('fill', { target: { label: 'Phone' }, value: '(555) 765-4321' });
  await run.do('fill', { target: { label: 'Amount' }, value: 1234.5 });
  await expect.poll(state).toEqual({ phone: '5557654321', complete: true, amount: 1234.5 });
});

test('Inputmask: a number with and without its mask, and an amount', async ({ run, state }) => {
  await run.open('/inputmask');
  await run.do('fill', { target: { label: 'Card' }, value: '4111111111111111' });
  await expect.poll(state).toMatchObject({ card: '4111111111111111', complete: true });
  await run.do('fill', { target: { label: 'Card' }, value: '5555 5555 5555 4444' });
  await run.do('fill', { target: { label: 'Amount' }, value: 1234.5 });
  await expect.poll(state).toEqual({ card: '5555555555554444', complete: true, amount: '1234.50' });
});

test('noUiSlider: a handle is set, and moved by key', async ({ run, state }) => {
  await run.open('/nouislider');
  await run.do('fill', { target: { role: 'slider', name: 'Limit' }, value: 70 });
  await expect.poll(state).toBe(70);
  await run.do('press_key', { target: { role: 'slider', name: 'Limit' }, key: 'ArrowRight' });
  await expect.poll(state).toBe(80);
});

test('SortableJS: an item is dragged behind another', async ({ run, state }) => {
  await run.open('/sortable');
  await run.do('drag', { from: { role: 'listitem', nth: 0 }, to: { role: 'listitem', nth: 2 } });
  await expect.poll(state).toEqual(['Two', 'Three', 'One']);
});

test('dnd-kit: an item is dragged behind another', async ({ run, state }) => {
  await run.open('/dnd-kit');
  await run.do('drag', { from: { role: 'button', name: 'One' }, to: { role: 'button', name: 'Three' } });
  await expect.poll(state).toEqual(['Two', 'Three', 'One']);
});

test('@hello-pangea/dnd (react-beautiful-dnd): a card is dragged to another column', async ({ run, state }) => {
  await run.open('/hello-pangea-dnd');
  await run.do('drag', { from: { role: 'button', name: 'One' }, to: { role: 'region', name: 'Done' } });
  await expect.poll(async () => (await state()).Open).toEqual(['Two']);
  expect((await state()).Done.toSorted()).toEqual(['One', 'Three']);
});

test('Pragmatic drag and drop: by DataTransfer, and refused where nothing may be dropped', async ({ run, state }) => {
  await run.open('/pragmatic-drag-and-drop');
  const from = { text: 'Card' };
  expect(await run.fail('drag', { from, to: { role: 'region', name: 'Open' } }, { timeoutMs: 10_000 })).toMatchObject({
    code: 'element_not_actionable',
    details: { reason: 'not accepted' },
  });
  await run.do('drag', { from, to: { role: 'region', name: 'Done' } });
  await expect.poll(state).toEqual({ card: 'Card', of: 'done' });
});

test('jQuery UI: a menu that opens where the pointer is, and a list sorted by the mouse', async ({ run, state }) => {
  await run.open('/jquery-ui-menu');
  await run.do('hover', { target: { text: 'File' } });
  await run.do('hover', { target: { text: 'Save as' } });
  await run.do('click', { target: { text: 'Picture' } });
  await expect.poll(state).toMatchObject({ chosen: 'Picture' });
  const tasks = { role: 'list', name: 'Tasks' };
  await run.do('drag', { from: { text: 'One', within: tasks }, to: { text: 'Three', within: tasks } });
  await expect.poll(async () => (await state()).tasks).toEqual(['Two', 'Three', 'One']);
});

test('FilePond: files that the run keeps, by its field and by its own drop zone', async ({ run, state }) => {
  run.files = {
    csv: { name: 'rows.csv', mediaType: 'text/csv', text: 'a,b' },
    note: { name: 'note.txt', mediaType: 'text/plain', text: 'hello' },
  };
  await run.open('/filepond');
  await run.do('upload_file', { target: { css: 'input[type=file]' }, artifacts: ['csv'] });
  await expect.poll(state).toEqual([{ name: 'rows.csv', size: 3 }]);
  await run.do('upload_file', { target: { css: '.filepond--drop-label' }, artifacts: ['note'] });
  await expect.poll(state).toEqual([
    { name: 'rows.csv', size: 3 },
    { name: 'note.txt', size: 5 },
  ]);
});

test('intl-tel-input: a number, and another country', async ({ run, state }) => {
  await run.open('/intl-tel-input');
  await run.do('fill', { target: { role: 'textbox', name: 'Phone' }, value: '2015550123' });
  await expect.poll(state).toEqual({ country: 'us', number: '+12015550123' });
  await run.do('click', { target: { role: 'button', name: 'Change country' } });
  await run.do('click', { target: { role: 'option', name: 'Germany' } });
  await run.do('fill', { target: { role: 'textbox', name: 'Phone' }, value: '030 123456' });
  await expect.poll(state).toEqual({ country: 'de', number: '+4930123456' });
});

test('Radix Select: an option by opening it', async ({ run, state }) => {
  await run.open('/radix-select');
  await run.do('click', { target: { role: 'combobox', name: 'Kind' } });
  await run.do('click', { target: { role: 'option', name: 'Meals' } });
  await expect.poll(state).toBe('meals');
  await run.do('select_option', { target: { role: 'combobox', name: 'Kind' }, label: 'Gifts' });
  await expect.poll(state).toBe('gifts');
});

test('React Select: an option by searching, and several', async ({ run, state }) => {
  await run.open('/react-select');
  await run.do('fill', { target: { label: 'Kind' }, value: 'mea' });
  await run.do('click', { target: { role: 'option', name: 'Meals' } });
  await run.do('click', { target: { label: 'Tags' } });
  await run.do('click', { target: { role: 'option', name: 'Travel' } });
  await run.do('click', { target: { label: 'Tags' } });
  await run.do('click', { target: { role: 'option', name: 'Gifts' } });
  await expect.poll(state).toEqual({ kind: 'm', tags: ['t', 'g'] });
});
