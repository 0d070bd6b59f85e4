import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Requests } from '../../src/app/protocol.ts';
import { readEntry } from '../../src/engine/entries/file.ts';
import type { EntryDefinition, EntryRow } from '../../src/model/library.ts';
import type { RunRow } from '../../src/model/run.ts';
import { registry } from '../../src/steps/index.ts';
import { APP_LOOKS, asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeAnswers } from '../support/ui-harness-browser.ts';
import { BUSY, EMPTY, HASH, START } from '../support/ui-harness-fixtures.ts';

/** What the pages of recipes and agents show in each of their states. */

const FOLDER = resolve(import.meta.dirname, '../../src/examples/library');
const CHECK = readFileSync(resolve(FOLDER, 'check-expense.recipe.yaml'), 'utf8');
const CLERK = readFileSync(resolve(FOLDER, 'expense-clerk.agent.yaml'), 'utf8');
const LONG = `Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz-${'x'.repeat(120)}`;
const definitionOf = (source: string) => readEntry(source, '', registry).definition as EntryDefinition;

const row = (kind: EntryRow['kind'], id: string, name: string, description?: string): EntryRow => ({
  kind,
  id,
  name,
  ...(description !== undefined && { description }),
  revision: HASH,
  createdAt: START - 86_400_000,
  updatedAt: START - 3_600_000,
});
const RECIPE = row('recipe', 'check-expense', 'Check an expense', 'Says whether a line keeps to the policy.');
const AGENT = row('agent', 'expense-clerk', 'Expense clerk');

const shown = (entry: EntryRow, source: string): Requests['entry.get']['out'] => ({
  row: entry,
  definition: definitionOf(source),
  source,
  revisions: [
    { revision: HASH, createdAt: START - 3_600_000 },
    { revision: HASH.replace('3f', 'a0'), createdAt: START - 86_400_000 },
  ],
  usedBy: [
    { workflowId: 'expense-clerk', name: 'Expense clerk' },
    { workflowId: 'other', name: LONG },
  ],
});
const checked = (source: string): Requests['entry.check']['out'] => ({
  definition: definitionOf(source),
  exists: true,
  problems: [],
});
const PROBLEM = {
  code: 'not_visible',
  severity: 'error' as const,
  message: 'A recipe sees only its input, not step.a; pass it in through the step’s input.',
  pointer: '/prompt',
  line: 20,
  column: 1,
};
const ANSWERS: FakeAnswers = {
  'state.get': EMPTY,
  'entries.list': { entries: [AGENT, RECIPE, row('recipe', 'long', LONG, LONG)] },
  'entry.get': shown(RECIPE, CHECK),
  'entry.check': checked(CHECK),
  'entry.save': { row: { ...RECIPE, revision: HASH.replace('3f', 'b1') }, problems: [] },
  'entry.remove': { removed: true },
  'consent.get': { consents: [{ account: 'openai', where: 'openai' }] },
  'consent.set': { consents: [] },
  'entry.try': { runId: 'try1' },
  'grants.missing': { origins: [] },
};
const RUN: RunRow = {
  ...(BUSY.live[0] as RunRow),
  runId: 'try1',
  workflowId: 'try:recipe:check-expense',
  workflowName: 'Check an expense',
  status: 'completed',
  output: { suspicious: true, reason: 'A gift.', message: '' },
  endedAt: START,
};

test('nothing there yet, and an error that can be tried again', async ({ open }) => {
  const page = await open('app', {
    answers: { ...ANSWERS, 'entries.list': { entries: [] } },
    width: 320,
    hash: '#/library',
  });
  await expect(page.getByTestId('empty')).toHaveCount(2);
  await expectAccessible(page);
  await expectNoSideScroll(page);
  await page.getByTestId('new-recipe').click();
  await expect(page.getByTestId('entry-source')).toHaveValue(/^format: tabloom\/v1\nrecipe: summarise\n/);
  await expect(page.getByTestId('save-entry')).toHaveText('Add to the library');
  await expect(page.getByTestId('entry-exists')).toContainText('is there already');
  const failing: FakeAnswers = {
    ...ANSWERS,
    'entries.list': { fail: 'internal', message: 'The database was closed; reload Tabloom.' },
    'entry.get': null,
  };
  const broken = await open('app', { answers: failing, width: 320, hash: '#/library' });
  await expect(broken.getByTestId('error')).toBeVisible();
  await broken.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await asked(broken, 'entries.list')).length).toBeGreaterThan(1);
  await broken.goto(`${broken.url().replace(/#.*$/, '')}#/library/recipe/gone`);
  await expect(broken.getByTestId('empty')).toContainText('no longer in the library');
});

for (const [name, look] of APP_LOOKS) {
  test(`the list, a recipe with its try-out, an agent, and a file with errors: ${name}`, async ({ open }) => {
    const page = await open('app', { answers: ANSWERS, hash: '#/library', ...look });
    await expect(page.getByTestId('entry-row')).toHaveCount(3);
    const asks = look.width > 500;
    if (asks) await expectAccessible(page);
    await expectNoSideScroll(page);
    const base = page.url().replace(/#.*$/, '');
    await page.goto(`${base}#/library/recipe/check-expense`);
    await expect(page.getByTestId('entry-revisions').getByRole('listitem')).toHaveCount(2);
    await page.getByTestId('try-example').selectOption('0');
    await page.getByTestId('try-start').click();
    await expect(page.getByTestId('ask-consent')).toBeVisible();
    if (asks) await expectAccessible(page);
    await expectNoSideScroll(page);
    await change(page, { 'entry.get': shown(AGENT, CLERK), 'entry.check': checked(CLERK) });
    await page.goto(`${base}#/library/agent/expense-clerk`);
    await expect(page.getByTestId('try-sites')).toBeVisible();
    await expectNoSideScroll(page);
    await change(page, { 'entry.check': { definition: null, exists: true, problems: [PROBLEM] } });
    await page.getByTestId('entry-source').fill(`${CLERK}# more`);
    await expect(page.getByTestId('problem')).toContainText(/line 20|Zeile 20/);
    await expect(page.getByTestId('try-start')).toHaveCount(0);
    if (asks) await expectAccessible(page);
    await expectNoSideScroll(page);
  });
}

test('a change is saved as another revision of the same entry, and an older one comes back into the editor', async ({
  open,
}) => {
  const page = await open('app', { answers: ANSWERS, width: 900, hash: '#/library/recipe/check-expense' });
  const source = page.getByTestId('entry-source');
  await expect(source).toHaveValue(CHECK);
  const changed = `${CHECK}# once more\n`;
  await source.fill(changed);
  await page.getByTestId('save-entry').click();
  await expect
    .poll(() => asked(page, 'entry.save'))
    .toEqual([{ name: 'entry.save', payload: { source: changed, as: { kind: 'recipe', id: 'check-expense' } } }]);
  await expect(page.getByTestId('toast')).toContainText('Saved as revision');
  await page.getByRole('button', { name: 'Put this one into the editor' }).click();
  await expect(page.getByTestId('toast').last()).toContainText('is in the editor');
  await expect(source).toBeFocused();
});

test('a try-out: what is missing is said, an example fills the form in, and its answer is compared', async ({
  open,
}) => {
  const page = await open('app', {
    answers: {
      ...ANSWERS,
      'consent.get': { consents: [] },
      'run.get': { run: RUN, steps: [], approvals: [], artifacts: [] },
    },
    width: 900,
    hash: '#/library/recipe/check-expense',
  });
  await page.getByTestId('try-start').click();
  await expect(page.getByText('Fill in this field.')).toBeVisible();
  expect(await asked(page, 'entry.try')).toEqual([]);
  await page.getByTestId('try-example').selectOption('0');
  await expect(page.getByText('Fill in this field.')).toHaveCount(0);
  await page.getByTestId('try-start').click();
  await expect(page.getByTestId('try-expected')).toContainText('not as the example says');
  const [{ payload } = { payload: undefined }] = await asked(page, 'entry.try');
  expect(payload).toEqual({
    source: CHECK,
    input: { line: 'Mara Lind, 2026-03-03, Meals, lunch with a customer, 38.00 EUR, receipt: yes' },
  });
});

test('an agent is tried with a goal, its sites and an input of its own', async ({ open }) => {
  const page = await open('app', {
    answers: {
      ...ANSWERS,
      'consent.get': { consents: [] },
      'entry.get': shown(AGENT, CLERK),
      'entry.check': checked(CLERK),
      'entry.try': {
        refused: {
          code: 'preflight_failed',
          message: 'No model is ready.',
          problems: [{ ...PROBLEM, message: 'No model is ready.' }],
        },
      },
    },
    width: 900,
    hash: '#/library/agent/expense-clerk',
  });
  await page.getByTestId('try-goal').fill('Ask for details');
  await page.getByTestId('try-sites').fill('https://example.com/*\n');
  await page.getByTestId('field-input').fill('{"message":"Hello"}');
  await page.getByTestId('try-start').click();
  await expect(page.getByTestId('error')).toContainText('No model is ready.');
  const [{ payload } = { payload: undefined }] = await asked(page, 'entry.try');
  expect(payload).toEqual({
    source: CLERK,
    input: { message: 'Hello' },
    goal: 'Ask for details',
    sites: ['https://example.com/*'],
  });
});
