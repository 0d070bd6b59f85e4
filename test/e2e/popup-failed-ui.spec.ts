import type { SurfaceState } from '../../src/app/protocol.ts';
import { asked, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import { EMPTY, runRow, START } from '../support/ui-harness-fixtures.ts';

const HOUR = 3_600_000;
const MESSAGE =
  'The model account "work" refused its API key, status 401 ("Incorrect API key provided: [key]"): put a valid key with access to "gpt-5-mini" into Settings, Models.';

const failed = (over: Parameters<typeof runRow>[0] = {}) =>
  runRow({
    status: 'failed',
    waitingFor: [],
    current: undefined,
    endedAt: START - HOUR,
    error: { code: 'auth_failed', message: MESSAGE, step: 'grade' },
    ...over,
  });
const state = (...history: SurfaceState['history']): SurfaceState => ({ ...EMPTY, history });

for (const scheme of ['light', 'dark'] as const) {
  test(`a run that failed an hour ago, ${scheme}: the popup says what to do in one sentence, whole, and is accessible`, async ({
    open,
  }) => {
    const answers = {
      'state.get': state(
        failed(),
        failed({
          runId: 'run-2',
          workflowId: 'tidy',
          workflowName: 'Tidy up the very long list of things that nobody has ever looked at',
          status: 'partial',
          error: undefined,
        }),
      ),
    };
    const page = await open('popup', { answers, width: 380, height: 560, scheme });
    const rows = page.getByTestId('failed-run');
    await expect(rows).toHaveCount(2);
    await expect(rows.first().getByTestId('failed-why')).toHaveText(MESSAGE);
    await expect(rows.first()).toContainText('Failed');
    await expect(rows.nth(1)).toContainText('Partly done');
    await expectAccessible(page);
    await expectNoSideScroll(page);
  });
}

test('retry in the popup: asks for that run to go on in place', async ({ open }) => {
  const answers = { 'state.get': state(failed()), 'command.send': { ok: true as const } };
  const page = await open('popup', { answers, width: 380, height: 560 });
  await page.getByRole('button', { name: 'Retry Weekly expenses' }).click();
  await expect
    .poll(async () =>
      (await asked(page, 'command.send')).map(({ payload }) => (payload as { command: unknown }).command),
    )
    .toEqual([{ type: 'retry', runId: 'run-7f3a91c2' }]);
});

test('a run that failed two days ago: is history, and not in the popup', async ({ open }) => {
  const page = await open('popup', {
    answers: { 'state.get': state(failed({ endedAt: START - 48 * HOUR })) },
    width: 380,
  });
  await expect(page.getByTestId('empty')).toBeVisible();
  await expect(page.getByTestId('failed-run')).toHaveCount(0);
});
