import type { Spending, SurfaceState } from '../../src/app/protocol.ts';
import { APP_LOOKS, asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeAnswers } from '../support/ui-harness-browser.ts';
import { EMPTY, START } from '../support/ui-harness-fixtures.ts';

/** What models cost in a month: in Settings, and where a run waits for a higher limit. */

const LONG = `Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz-${'x'.repeat(60)}`;
const usage = (usd: number | undefined, inputTokens: number) => ({
  inputTokens,
  outputTokens: 200,
  ...(usd === undefined ? {} : { usd }),
});
const SPENDING: Spending = {
  month: '2026-12',
  usd: 5,
  raised: 8,
  months: [
    {
      month: '2026-12',
      usage: { ...usage(4.2, 1_234_567), estimated: true },
      calls: 321,
      unpriced: 4000,
      workflows: [
        { workflowId: 'a', name: 'Expense review', usage: usage(3.9, 1_200_000), calls: 300, unpriced: 0 },
        { workflowId: 'b', name: LONG, usage: usage(undefined, 34_567), calls: 21, unpriced: 4000 },
        ...Array.from({ length: 10 }, (_, i) => ({
          workflowId: `w${i}`,
          name: `Workflow ${i}`,
          usage: usage(0.01, 10),
          calls: 1,
          unpriced: 0,
        })),
      ],
    },
    { month: '2026-11', usage: usage(0.5, 100), calls: 2, unpriced: 0, workflows: [] },
  ],
};
const WAITING: SurfaceState = {
  ...EMPTY,
  waiting: [
    {
      runId: 'r1',
      path: 'check',
      name: 'Check an expense',
      kind: 'budget',
      reason: '4.99 USD of 5.00 USD of the monthly budget are spent, and this call may cost 0.02 USD',
      subject: 'month:2026-12',
      data: { limit: { usd: 5 }, spent: { usd: 4.99, tokens: 10 }, estimate: { usd: 0.02, tokens: 5 } },
    },
  ],
  now: START,
};
const ANSWERS: FakeAnswers = {
  'state.get': EMPTY,
  'spending.get': SPENDING,
  'spending.set': { ...SPENDING, usd: 7.5 },
};

for (const [name, look] of APP_LOOKS) {
  test(`this month and earlier ones, by workflow, with a limit: ${name}`, async ({ open }) => {
    const page = await open('app', { answers: ANSWERS, hash: '#/settings', ...look });
    const section = page.getByTestId('spending');
    await expect(section.getByTestId('month')).toHaveCount(2);
    await expect(section.locator('[data-month="2026-12"]').getByRole('listitem')).toHaveCount(11);
    await section.locator('summary').click();
    await expect(section.locator('[data-month="2026-11"]')).toBeVisible();
    if (look.width > 500) await expectAccessible(page);
    await expectNoSideScroll(page);
  });
}

test('a limit is set and taken away, and what is no amount is not saved', async ({ open }) => {
  const page = await open('app', { answers: ANSWERS, width: 900, hash: '#/settings' });
  const field = page.getByTestId('month-limit');
  await expect(field).toHaveValue('5');
  await field.fill('-1');
  await expect(page.getByText('Enter an amount above 0, or nothing.')).toBeVisible();
  await field.fill('7,5');
  await page.getByTestId('save-month-limit').click();
  await change(page, { 'spending.get': { ...SPENDING, usd: 7.5 } });
  await expect(field).toHaveValue('7.5');
  await field.fill('');
  await page.getByTestId('save-month-limit').click();
  await expect
    .poll(async () => (await asked(page, 'spending.set')).map(({ payload }) => payload))
    .toEqual([{ usd: 7.5 }, { usd: null }]);
});

test('a run that waits for the month says so, and a higher limit is of the month', async ({ open }) => {
  for (const [surface, width] of [
    ['popup', 380],
    ['sidepanel', 320],
  ] as const) {
    const answers: FakeAnswers = { 'state.get': WAITING, 'spending.raise': { ok: true } };
    const page = await open(surface, { answers, width });
    await expect(page.getByText('The month’s budget for models is used up')).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.getByTestId('budget-usd').fill('5');
    await expect(page.getByTestId('raise-budget')).toHaveAttribute('aria-disabled', 'true');
    await page.getByTestId('budget-usd').fill('9');
    await page.getByTestId('raise-budget').click();
    await expect.poll(() => asked(page, 'spending.raise')).toEqual([{ name: 'spending.raise', payload: { usd: 9 } }]);
    await change(page, { 'state.get': EMPTY });
    await expect(page.getByTestId('budget-usd')).toHaveCount(0);
  }
});
