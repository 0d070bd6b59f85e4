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
    await expect
      .poll(state)
      .toEqual({ name: 'Ada', amount: 12.5, kind: 'm', agree: true, pay: 'card', notes: 'two\nlines' });
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
  await run.do('click', { target: { role: 'combobox' } });
  await run.do('fill', { target: { role: 'textbox' }, value: 'germ' });
  await run.do('click', { target: { role: 'option', name: 'Germany' } });
  await expect.poll(state).toEqual({ country: 'de' });
});

test('flatpickr: a day of its calendar, and a day typed', async ({ run, state }) => {
  await run.open('/flatpickr');
  await run.do('click', { target: { label: 'Day', exact: true } });
  await run.do('click', { target: { css: '[aria-label="March 17, 2026"]' } });
  await expect.poll(state).toMatchObject({ day: '2026-03-17' });
  await run.do('fill', { target: { label: 'Typed day' }, value: '2026-05-06' });
  await run.do('click', { target: { role: 'heading' } });
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
