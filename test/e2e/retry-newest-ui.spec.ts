import { APP_LOOKS, asked, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import { detail, EMPTY, HASH, runRow, START } from '../support/ui-harness-fixtures.ts';

/** A failed run of which there is a newer revision of its workflow: the choice beside *Retry*. */

const failed = runRow({
  status: 'failed',
  waitingFor: [],
  current: undefined,
  endedAt: START - 60_000,
  error: { code: 'element_not_found', message: 'Check the target: button "Send" is not on the page.', step: 'send' },
});
const answers = (newer?: string) => ({
  'state.get': { ...EMPTY, history: [failed] },
  'run.get': detail({ run: failed, approvals: [], ...(newer === undefined ? {} : { newer }) }),
  'run.events': { events: [] },
  'command.send': { ok: true as const },
});
const hash = `#/runs/${failed.runId}`;

test('both ways to retry, each asks for its own; what the newer one means is said', async ({ open }) => {
  const page = await open('app', { answers: answers(HASH), width: 1000, hash });
  await expect(page.getByText('what was approved and is not done yet is asked again')).toBeVisible();
  await page.getByTestId('retry-newest').click();
  await page.getByTestId('retry-run').click();
  expect((await asked(page, 'command.send')).map(({ payload }) => (payload as { command: unknown }).command)).toEqual([
    { type: 'retry', runId: failed.runId, revision: 'newest' },
    { type: 'retry', runId: failed.runId },
  ]);
});

test('no newer revision: one way', async ({ open }) => {
  const page = await open('app', { answers: answers(), width: 1000, hash });
  await expect(page.getByTestId('retry-run')).toBeVisible();
  await expect(page.getByTestId('retry-newest')).toHaveCount(0);
});

for (const [name, look] of APP_LOOKS)
  test(`both ways, ${name}: accessible, and nothing is cut off`, async ({ open }, info) => {
    const page = await open('app', { answers: answers(HASH), hash, ...look });
    await expect(page.getByTestId('retry-newest')).toBeVisible();
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.screenshot({ path: info.outputPath(`retry-newest-${name}.png`) });
  });
