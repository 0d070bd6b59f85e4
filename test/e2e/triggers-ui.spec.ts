import type { SurfaceState, TriggerRow } from '../../src/app/protocol.ts';
import { APP_LOOKS, asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeAnswers } from '../support/ui-harness-browser.ts';
import { BUSY, EMPTY, START } from '../support/ui-harness-fixtures.ts';

/** The triggers of a workflow on its page, and what the popup and the side panel say of triggers. */

const [WORKFLOW] = BUSY.workflows;
if (!WORKFLOW) throw new Error('no workflow');
const { workflowId } = WORKFLOW;
const ROWS: TriggerRow[] = [
  { id: 'by-hand', type: 'manual', on: true, waiting: 0 },
  {
    id: 'mondays',
    type: 'schedule',
    on: true,
    waiting: 1,
    next: Date.UTC(2030, 0, 7, 8),
    about: { cron: '0 9 * * 1', zone: 'Europe/Berlin' },
  },
  {
    id: 'on-list',
    type: 'page',
    on: true,
    waiting: 0,
    about: {
      match: 'https://expenses.example.com/list*, https://*.expenses.example.com/archive/*',
      selector: 'table.open',
    },
    origins: [
      { origin: 'https://expenses.example.com/*', on: false },
      { origin: 'https://*.expenses.example.com/*', on: true },
    ],
  },
  { id: 'menu', type: 'context_menu', on: false, waiting: 0, places: ['page', 'selection', 'link', 'image'] },
  { id: 'key', type: 'command', on: false, waiting: 0, about: { slot: '1' } },
  { id: 'bar', type: 'omnibox', on: false, waiting: 0, about: { keyword: 'expenses' } },
  { id: 'after-task', type: 'task_event', on: false, waiting: 0, about: { workflow: 'intake' } },
];
const STATE: SurfaceState = {
  ...EMPTY,
  workflows: BUSY.workflows,
  triggerNotes: [
    { workflowId, workflowName: WORKFLOW.name, triggerId: 'menu', kind: 'off', at: START - 60_000, failures: 5 },
    {
      workflowId,
      workflowName: WORKFLOW.name,
      triggerId: 'mondays',
      kind: 'refused',
      at: START - 3_600_000,
      code: 'input_invalid',
      message: 'The input does not fit: /url is missing.',
    },
  ],
};
const ANSWERS: FakeAnswers = {
  'state.get': STATE,
  'triggers.list': { triggers: ROWS },
  'trigger.switch': { triggers: ROWS.map((row) => (row.id === 'menu' ? { ...row, on: true } : row)) },
  'trigger.dismiss': { triggers: ROWS },
  'workflow.get': { source: 'id: x', revision: 'b81e4c02f7aa', inputs: {}, sites: [], problems: [] },
};
const hash = `#/workflows/${workflowId}`;

test('the list: each trigger with its switch, its place or next time; switching says what was asked', async ({
  open,
}) => {
  const page = await open('app', { answers: ANSWERS, width: 1000, hash });
  const list = page.getByTestId('triggers');
  await expect(list.getByTestId('trigger')).toHaveCount(ROWS.length);
  await expect(list.getByTestId('switch-mondays')).toBeChecked();
  await expect(list.getByTestId('next-time')).toHaveText('Next: 7 Jan 2030, 09:00');
  await expect(list.getByTestId('switch-by-hand')).toHaveCount(0);
  await expect(list.getByTestId('switch-origin')).toHaveCount(2);
  await expect(list).toContainText('Offered on https://expenses.example.com/list*');
  await expectAccessible(page);

  await change(page, {
    'triggers.list': { triggers: ROWS.map((row) => (row.id === 'menu' ? { ...row, on: true } : row)) },
  });
  await expect(list.getByTestId('switch-menu')).toBeChecked();
  await list.getByTestId('switch-menu').click();
  await list.getByLabel('May start by itself on https://expenses.example.com/*').click();
  expect((await asked(page, 'trigger.switch')).map(({ payload }) => payload)).toEqual([
    { workflowId, triggerId: 'menu', on: false },
    { workflowId, triggerId: 'on-list', on: true, origin: 'https://expenses.example.com/*' },
  ]);
});

test('a refused switch: says what to do, and the box stays as it is', async ({ open }) => {
  const refused = {
    code: 'trigger_taken',
    message: 'Switch off key of Other first: it has the same place.',
    problems: [],
  };
  const page = await open('app', { answers: { ...ANSWERS, 'trigger.switch': { refused } }, width: 1000, hash });
  const box = page.getByTestId('switch-key');
  await box.click();
  await expect(page.getByTestId('error')).toContainText('Switch off key of Other first');
  await expect(box).not.toBeChecked();
});

test('what a trigger has to say: in the popup and the side panel too, until it is read', async ({ open }) => {
  for (const [surface, width] of [
    ['popup', 380],
    ['sidepanel', 320],
  ] as const) {
    const page = await open(surface, { answers: ANSWERS, width });
    const notes = page.getByTestId('trigger-note');
    await expect(notes).toHaveText([
      /menu of .* was switched off: 5 runs in a row failed\./,
      /mondays of .* did not start\. The input does not fit/,
    ]);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await notes.first().getByTestId('dismiss-note').click();
    await change(page, { 'state.get': { ...STATE, triggerNotes: [] } });
    await expect(notes).toHaveCount(0);
    expect((await asked(page, 'trigger.dismiss')).map(({ payload }) => payload)).toEqual([
      { workflowId, triggerId: 'menu' },
    ]);
  }
});

test('an offer: at the top of the side panel and the popup; the form holds what the trigger knows, and is sent as its start', async ({
  open,
}) => {
  const first = {
    ...WORKFLOW,
    inputs: { type: 'object', required: ['url'], properties: { url: { type: 'string' }, n: { type: 'number' } } },
  };
  const state = { ...EMPTY, workflows: [first], offers: [{ workflowId, triggerId: 'on-list' }] };
  for (const [surface, width] of [
    ['popup', 380],
    ['sidepanel', 320],
  ] as const) {
    const page = await open(surface, {
      answers: {
        'state.get': state,
        'trigger.form': { workflowId, triggerId: 'on-list', input: { url: 'https://expenses.example.com/list' } },
        'trigger.start': { queued: true },
      },
      width,
    });
    const here = page.getByRole('region', { name: 'Run on this page' });
    await here.getByTestId(`start-${workflowId}`).click();
    await expect(here.getByTestId('field-url')).toHaveValue('https://expenses.example.com/list');
    await here.getByTestId('field-n').fill('3');
    await here.getByTestId(`submit-${workflowId}`).click();
    await expect(page.getByText('starts after the run before it.')).toBeVisible();
    const [sent] = await asked(page, 'trigger.start');
    expect(sent?.payload).toMatchObject({
      workflowId,
      triggerId: 'on-list',
      input: { url: 'https://expenses.example.com/list', n: 3 },
    });
  }
});

for (const [name, look] of APP_LOOKS)
  test(`the list, ${name}: accessible, and nothing is cut off`, async ({ open }, info) => {
    const page = await open('app', { answers: ANSWERS, hash, ...look });
    await expect(page.getByTestId('trigger')).toHaveCount(ROWS.length);
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.getByTestId('triggers').screenshot({ path: info.outputPath(`triggers-${name}.png`) });
  });
