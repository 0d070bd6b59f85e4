import { asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import { BUSY, detail, EMPTY, runRow, START, STEPS, step } from '../support/ui-harness-fixtures.ts';

const WIDTH = 320;

test('the tabs: count what waits, and arrows move between them', async ({ open }) => {
  const page = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': detail() }, width: WIDTH });
  await expect(page.getByTestId('tab-approvals')).toHaveText('Approvals (5)');
  await expect(page.getByTestId('approval-card')).toHaveCount(1);
  await page.getByTestId('other-approval').first().click();
  await expect(page.getByTestId('approval-card')).toHaveCount(2);
  await expectAccessible(page);
  await expectNoSideScroll(page);
  await page.getByTestId('tab-approvals').press('ArrowRight');
  await expect(page.getByTestId('tab-live')).toBeFocused();
  await expect(page.getByTestId('tree')).toBeVisible();
});

test('the tree: folds loops, says why a step waits, and is driven by keys', async ({ open }) => {
  const page = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': detail() }, width: WIDTH });
  await page.getByTestId('tab-live').click();
  const item = (path: string) => page.locator(`[data-testid="tree-item"][data-path="${path}"]`);
  await expect(item('each')).toContainText('item 3 of 9');
  await expect(item('gate')).toContainText('waiting for approval');
  await expect(item('each[0]/grade')).toHaveCount(0);

  await item('read').focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
  await expect(item('each[0]/grade')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('step-panel')).toHaveAttribute('data-path', 'each[0]/grade');
  await expect(item('each[0]/grade')).toHaveAttribute('aria-selected', 'true');
  await item('each[0]/grade').focus();
  for (const key of ['ArrowLeft', 'ArrowLeft']) await page.keyboard.press(key);
  await expect(item('each[0]')).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('End');
  await expect(item('gate')).toBeFocused();
  await expect(page.getByRole('treeitem').and(page.locator('[tabindex="0"]'))).toHaveCount(1);
});

test('the tree: keys that come faster than frames all count', async ({ open }) => {
  const page = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': detail() }, width: WIDTH });
  await page.getByTestId('tab-live').click();
  const item = (path: string) => page.locator(`[data-testid="tree-item"][data-path="${path}"]`);
  await item('read').focus();
  await item('read').evaluate(async (line) => {
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight']) {
      (document.activeElement ?? line).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    }
  });
  await expect(item('each[0]/grade')).toBeFocused();
});

test('the tree: a loop says about what the rest of it will cost, once three of its items have ended', async ({
  open,
}) => {
  const steps = STEPS.map((row) =>
    row.path === 'each[2]/grade' ? { ...row, status: 'completed' as const, endedAt: START } : row,
  );
  const page = await open('sidepanel', {
    answers: { 'state.get': BUSY, 'run.get': detail({ steps }) },
    width: WIDTH,
  });
  await page.getByTestId('tab-live').click();
  await expect(page.getByTestId('forecast')).toHaveText('about US$0.0066 for the remaining 6');
  await expectNoSideScroll(page);
  await expectAccessible(page);
});

test('a step: input, output, attempts with their errors, prompt and reply', async ({ open }) => {
  const page = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': detail() }, width: WIDTH });
  await page.getByTestId('tab-live').click();
  await page.locator('[data-path="each[1]"] .tree-twist').click();
  await page.locator('[data-path="each[1]/grade"]').click();
  const panel = page.getByTestId('step-panel');
  await panel.getByTestId('tab-output').click();
  await expect(panel).toContainText('Within the limits of the policy.');
  await panel.getByTestId('tab-attempts').click();
  await expect(panel).toContainText('The provider asks to wait 5 s');
  await expect(panel).toContainText('next attempt after 5 secs');
  await panel.getByTestId('tab-prompt').click();
  await expect(panel).toContainText('You check expenses against a policy.');
  await expectAccessible(page);
  await expectNoSideScroll(page);
});

test('live: follows the newest run, and a pinned one stays', async ({ open }) => {
  const page = await open('sidepanel', {
    answers: { 'state.get': BUSY, 'run.get': detail() },
    width: WIDTH,
    scheme: 'dark',
  });
  await page.getByTestId('tab-live').click();
  await page.getByTestId('pin').click();
  const newer = runRow({ runId: 'run-new', workflowName: 'Newer', status: 'running' });
  await change(page, { 'state.get': { ...BUSY, live: [newer, ...BUSY.live] } });
  await expect(page.getByTestId('follow').locator('option')).toHaveCount(4);
  await expect(page.getByTestId('run-view')).toHaveAttribute('data-run', 'run-7f3a91c2');
  await page.getByTestId('pin').click();
  await expect(page.getByTestId('run-view')).toHaveAttribute('data-run', 'run-new');
  await expectAccessible(page);
});

test('right to left: everything mirrors, nothing is cut off, and the arrows of the tree follow', async ({ open }) => {
  const page = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': detail() }, width: WIDTH });
  await page.getByTestId('tab-live').waitFor();
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
  });
  await expectNoSideScroll(page);
  const [stop, word] = await Promise.all(['stop-all', 'state-word'].map((id) => page.getByTestId(id).boundingBox()));
  expect(stop?.x).toBeLessThan(word?.x ?? 0);
  await page.getByTestId('tab-live').click();
  const loop = page.locator('[data-path="each"]');
  await loop.focus();
  await page.keyboard.press('ArrowRight');
  await expect(loop).toHaveAttribute('aria-expanded', 'false');
  await page.keyboard.press('ArrowLeft');
  await expect(loop).toHaveAttribute('aria-expanded', 'true');
  await expectNoSideScroll(page);
});

test('a changed step: is read out politely; an approval that arrives interrupts', async ({ open }) => {
  const page = await open('sidepanel', {
    answers: { 'state.get': { ...BUSY, approvals: [] }, 'run.get': detail() },
    width: WIDTH,
  });
  await page.getByTestId('tab-live').click();
  await page.getByTestId('tree').waitFor();
  const done = STEPS.map((row) =>
    row.path === 'gate' ? { ...row, status: 'completed' as const, endedAt: START } : row,
  );
  await change(page, { 'run.get': detail({ steps: done }), 'state.get': BUSY }, 'run-7f3a91c2');
  await expect(page.getByTestId('live-polite')).toHaveText('Ask before submitting: Completed');
  await expect(page.getByTestId('live-urgent')).toContainText('needs your approval: Submit the expense report');
});

test('history: status, cost and error of each run; opening one shows its tree and saves its files', async ({
  open,
}) => {
  const file = {
    row: detail().artifacts[0] as NonNullable<ReturnType<typeof detail>['artifacts'][0]>,
    base64: 'YSxiCjEsMgo=',
  };
  const page = await open('sidepanel', {
    answers: { 'state.get': BUSY, 'run.get': detail(), 'artifact.get': file },
    width: WIDTH,
  });
  await page.getByTestId('tab-history').click();
  await expect(page.getByTestId('run-row')).toHaveCount(3);
  await expect(page.getByTestId('run-row').nth(1)).toContainText('check the target of the step');
  await expectAccessible(page);
  await page.getByTestId('run-row').nth(0).getByRole('button').click();
  const download = page.waitForEvent('download');
  await page.getByTestId('save-artifact').click();
  expect((await download).suggestedFilename()).toBe('expenses.csv');
  expect(await asked(page, 'run.get')).toMatchObject([{ payload: { runId: 'run-h1' } }]);
});

test('nothing there, a long loop, a run that is gone: each has its own words', async ({ open }) => {
  const empty = await open('sidepanel', { answers: { 'state.get': EMPTY }, width: WIDTH });
  for (const tab of ['approvals', 'live', 'history']) {
    await empty.getByTestId(`tab-${tab}`).click();
    await expect(empty.getByTestId('empty')).toBeVisible();
  }
  await expectAccessible(empty);

  const steps = [
    step('each', {
      type: 'loop',
      status: 'running',
      order: 1,
      input: { over: Array.from({ length: 500 }, (_, i) => i) },
    }),
    ...Array.from({ length: 500 }, (_, i) =>
      step(`each[${i}]/do`, { order: i + 2, status: i === 499 ? 'running' : 'completed' }),
    ),
  ];
  const long = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': detail({ steps }) }, width: WIDTH });
  await long.getByTestId('tab-live').click();
  await expect(long.locator('[data-path="each"]')).toContainText('item 500 of 500');
  await expect(long.getByRole('treeitem')).toHaveCount(62);
  await long.getByRole('treeitem').last().click();
  await expect(long.getByRole('treeitem')).toHaveCount(122);

  const gone = await open('sidepanel', { answers: { 'state.get': BUSY, 'run.get': null }, width: WIDTH });
  await gone.getByTestId('tab-live').click();
  await expect(gone.getByTestId('empty')).toContainText('This run is no longer there.');
});
