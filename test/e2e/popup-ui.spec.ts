import type { Page } from '@playwright/test';
import type { SurfaceState } from '../../src/app/protocol.ts';
import { asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeWindow } from '../support/ui-harness-browser.ts';
import { approval, BUSY, EDITABLE, EMPTY, MANY_ACTS, START } from '../support/ui-harness-fixtures.ts';

const WIDTH = 380;
const HEIGHT = 560;
const one = (over: Parameters<typeof approval>[0] = {}): SurfaceState => ({ ...EMPTY, approvals: [approval(over)] });
const commands = async (page: Page) =>
  (await asked(page, 'command.send')).map((each) => (each.payload as { command: Record<string, unknown> }).command);
const free = (page: Page) => expect(page.getByTestId('decision')).not.toHaveAttribute('data-inert');

test('an approval: shows who asks, every act with target, value and origin, the risk, the hash and the expiry', async ({
  open,
}) => {
  const page = await open('popup', { answers: { 'state.get': one() }, width: WIDTH, height: HEIGHT });
  const card = page.getByTestId('approval-card');
  await expect(card.getByTestId('who-asks')).toHaveText(
    /Weekly expenses · revision b81e4c02 · run run-7f3a · step gate/,
  );
  await expect(card.getByTestId('cover')).toHaveCount(2);
  await expect(card.getByTestId('cover').nth(0)).toContainText('Week 48, checked against the policy.');
  await expect(card.getByTestId('cover').nth(1).locator('b')).toHaveText([
    '“Submit report” (button)',
    'https://expenses.example.com',
  ]);
  await expect(card.getByTestId('risk')).toContainText('Cannot be undone');
  await expect(card.getByTestId('approval-hash')).toHaveText('3fa9c1d0');
  await expect(card.getByTestId('expiry')).toContainText('in 23 hours (');
  const [reject, approve] = await Promise.all(['reject', 'approve'].map((id) => card.getByTestId(id).boundingBox()));
  expect([approve?.width, approve?.height]).toEqual([reject?.width, reject?.height]);
  await expect(page.locator(':focus')).toHaveCount(0);
});

test('the decision: is inert when the card appears, changes or moves, then names the hash on the card', async ({
  open,
}) => {
  const page = await open('popup', { answers: { 'state.get': one() }, width: WIDTH, height: HEIGHT, clock: true });
  await page.getByTestId('approve').waitFor();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.clock.runFor(600);
  await free(page);

  await change(page, { 'state.get': one({ hash: 'b'.repeat(64), show: { total: 1 } }) });
  await expect(page.getByTestId('approval-card')).toHaveAttribute('data-hash', 'b'.repeat(64));
  await page.getByTestId('approve').dispatchEvent('click');
  await expect(page.getByTestId('approve')).toHaveAttribute('aria-disabled', 'true');
  await page.clock.runFor(600);
  await expect(page.getByTestId('approval-changed')).toBeVisible();
  await free(page);

  await page.evaluate(() =>
    document.querySelector('main')?.prepend(Object.assign(document.createElement('p'), { textContent: 'pushes down' })),
  );
  await page.getByTestId('approve').dispatchEvent('click');
  expect(await commands(page)).toEqual([]);

  await page.clock.runFor(600);
  await page.getByTestId('approve').dispatchEvent('click');
  await expect
    .poll(() => commands(page))
    .toEqual([{ type: 'decide', runId: 'run-7f3a91c2', path: 'gate', hash: 'b'.repeat(64), decision: 'approved' }]);
});

test('a comment: survives the popup, and goes with the rejection', async ({ open }) => {
  const page = await open('popup', { answers: { 'state.get': one() }, width: WIDTH, height: HEIGHT });
  await page.getByTestId('comment').fill('Hotel is too dear');
  await page.reload();
  await expect(page.getByTestId('comment')).toHaveValue('Hotel is too dear');
  await free(page);
  await page.getByTestId('reject').click();
  await expect.poll(() => commands(page)).toMatchObject([{ decision: 'rejected', comment: 'Hotel is too dear' }]);
});

test('keys: Ctrl+Enter approves only with the focus inside the decision; Escape and plain Enter decide nothing', async ({
  open,
}) => {
  const page = await open('popup', { answers: { 'state.get': one() }, width: WIDTH, height: HEIGHT });
  await free(page);
  await page.getByTestId('stop-all').focus();
  await page.locator('main').press('Control+Enter');
  await page.getByTestId('comment').focus();
  for (const key of ['Escape', 'a', 'y']) await page.keyboard.press(key);
  expect(await commands(page)).toEqual([]);
  await free(page);
  await page.getByTestId('comment').press('Control+Enter');
  await expect.poll(() => commands(page)).toMatchObject([{ decision: 'approved', comment: 'ay' }]);
});

test('a refused decision: one sentence says what to do, and the card stays', async ({ open }) => {
  const page = await open('popup', {
    answers: { 'state.get': one(), 'command.send': { ok: false, code: 'approval_mismatch', message: 'hash differs' } },
    width: WIDTH,
    height: HEIGHT,
  });
  await free(page);
  await page.getByTestId('approve').click();
  await expect(page.getByTestId('error')).toContainText('What you were shown has changed. Review the card again');
  await expect(page.getByTestId('approval-card')).toBeVisible();
});

test('an expired approval: says so and offers no decision', async ({ open }) => {
  const page = await open('popup', {
    answers: { 'state.get': one({ expiresAt: START - 60_000 }) },
    width: WIDTH,
    height: HEIGHT,
  });
  await expect(page.getByTestId('approval-expired')).toContainText('expired and nothing was done');
  await expect(page.getByTestId('approve')).toHaveCount(0);
});

test('markup in what is shown: stays text', async ({ open }) => {
  const evil = '<img src=x onerror="document.title=\'owned\'"><b>bold</b>';
  const page = await open('popup', {
    answers: { 'state.get': one({ title: evil, message: evil, show: { text: evil, rows: [{ cell: evil }] } }) },
    width: WIDTH,
    height: HEIGHT,
  });
  await expect(page.getByTestId('payload')).toContainText(evil);
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page).not.toHaveTitle('owned');
});

test('editing: rows are changed and removed, the difference is shown, and saving sends the edit and decides nothing', async ({
  open,
}) => {
  const page = await open('popup', {
    answers: { 'state.get': one({ editable: EDITABLE }) },
    width: WIDTH,
    height: HEIGHT,
  });
  await page.getByTestId('edit').click();
  await expect(page.getByTestId('save-edit')).toHaveAttribute('aria-disabled', 'true');
  await page.getByTestId('edit-row').nth(0).getByTestId('field-amount').fill('79.5');
  await page.getByTestId('remove-row').nth(1).click();
  await expect(page.getByTestId('diff')).toContainText('2 changes');
  await expect(page.getByTestId('approve')).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);

  await page.reload();
  await expect(page.getByTestId('edit-row')).toHaveCount(2);
  await page.getByTestId('save-edit').click();
  await expect
    .poll(() => commands(page))
    .toEqual([
      {
        type: 'edit',
        runId: 'run-7f3a91c2',
        path: 'gate',
        hash: approval().hash,
        edits: {
          lines: [
            { line: 'Train Berlin – Hamburg', amount: 79.5, category: 'travel', billable: true },
            { line: 'Team dinner', amount: 164.25, category: 'food', billable: false },
          ],
        },
      },
    ]);
  await change(page, { 'state.get': one({ hash: 'c'.repeat(64), editable: EDITABLE }) });
  await expect(page.getByTestId('approval-hash')).toHaveText('cccccccc');
  await expect(page.getByTestId('approval-changed')).toHaveCount(0);
});

test('forty items: every act is there, folded by item; long tables become records; the buttons stay in sight', async ({
  open,
}) => {
  const show = {
    lines: [{ a: 1, b: 2, c: 3, d: 4, message: 'One sentence that is too long for a column of a table.' }],
  };
  const page = await open('popup', {
    answers: { 'state.get': one({ covers: MANY_ACTS, show }) },
    width: WIDTH,
    height: HEIGHT,
  });
  await expect(page.getByTestId('cover')).toHaveCount(80);
  await expect(page.getByTestId('act-group')).toHaveCount(40);
  await expect(page.getByTestId('record')).toContainText('too long for a column');
  await expect(page.getByTestId('decision')).toContainText('80 acts');
  await expect(page.getByTestId('approve')).toBeInViewport({ ratio: 1 });
  await free(page);
  // A person's own scrolling is no move of the card: the buttons stay where they are, and usable.
  await page.mouse.move(190, 200);
  await page.mouse.wheel(0, 400);
  await expect(page.getByTestId('approve')).toBeInViewport({ ratio: 1 });
  await free(page);
  await page.getByTestId('approve').click();
  await expect.poll(() => commands(page)).toMatchObject([{ decision: 'approved' }]);
});

test('a workflow that asks a model: before its first run the person is asked whether page texts may go there', async ({
  open,
}) => {
  const page = await open('popup', {
    answers: {
      'state.get': { ...BUSY, approvals: [], waiting: [], forTab: [] },
      'consent.get': { consents: [{ account: 'main', where: 'https://api.example/v1' }] },
      'run.start': { runId: 'run-new' },
    },
    width: WIDTH,
    height: HEIGHT,
  });
  await page.getByTestId('start-late-invoices').click();
  await page.getByTestId('submit-late-invoices').click();
  await expect(page.getByTestId('ask-consent')).toContainText('https://api.example/v1');
  expect(await asked(page, 'run.start')).toEqual([]);
  await page.evaluate(() => {
    (window as unknown as FakeWindow).fake.answers['consent.get'] = { consents: [] };
  });
  await page.getByTestId('allow-consent').click();
  await expect.poll(() => asked(page, 'consent.set')).toMatchObject([{ payload: { account: 'main', given: true } }]);
  await expect.poll(() => asked(page, 'run.start')).toHaveLength(1);
});

test('a step that waits for every site: said in words, in each language, and asked of the browser as it is', async ({
  open,
}) => {
  const permission = BUSY.waiting.filter(({ kind }) => kind === 'permission');
  const waiting = permission.map((each) => ({ ...each, name: 'Picture', subject: '<all_urls>' }));
  const answers = { 'state.get': { ...EMPTY, waiting } };
  for (const [scheme, language, words, button] of [
    ['light', 'en', 'once you grant access to all sites', 'Grant access to all sites'],
    ['dark', 'de', 'sobald Sie Zugriff auf alle Websites geben', 'Zugriff geben: alle Websites'],
  ] as const) {
    const page = await open('popup', { answers, width: WIDTH, height: HEIGHT, scheme, look: { language } });
    await expect(page.getByText(words)).toBeVisible();
    await expect(page.locator('body')).not.toContainText('all_urls');
    await page.getByRole('button', { name: button }).click();
    expect(await page.evaluate(() => (window as unknown as FakeWindow).fake.permissionRequests)).toEqual([
      ['<all_urls>'],
    ]);
    await expectAccessible(page);
    await expectNoSideScroll(page);
  }
});

test('stop all, other approvals, access and recovery: each asks for exactly that', async ({ open }) => {
  const page = await open('popup', { answers: { 'state.get': BUSY }, width: WIDTH, height: HEIGHT });
  await page.getByTestId('stop-all').click();
  await expect.poll(() => asked(page, 'engine.stopAll')).toMatchObject([{ payload: { lift: false } }]);

  await page.getByTestId('more-approvals').locator('summary').click();
  await page.getByTestId('other-approval').first().click();
  await expect(page.getByTestId('approval-card')).toHaveAttribute('data-run', 'run-22');

  await page.getByTestId('grant').click();
  expect(await page.evaluate(() => (window as unknown as FakeWindow).fake.permissionRequests)).toEqual([
    ['https://shop.example/*'],
  ]);
  await expect(page.getByText('Answer the browser’s question')).toBeVisible();

  await page.getByTestId('recover-done').click();
  await page.getByTestId('recovery-output').fill('{"paid":');
  await page.getByTestId('recover-done').click();
  await expect(page.getByText('This is not JSON')).toBeVisible();
  await page.getByTestId('recovery-output').fill('{"paid":true}');
  await page.getByTestId('recover-done').click();
  await page.getByTestId('stop-run').first().click();
  await expect
    .poll(() => commands(page))
    .toEqual([
      { type: 'recover', runId: 'run-31', path: 'pay', decision: 'done', output: { paid: true } },
      { type: 'cancel', runId: 'run-7f3a91c2' },
    ]);
});

test('starting a workflow: found by search, checked, started by Enter; a refusal lists its problems', async ({
  open,
}) => {
  const problem = {
    code: 'model_not_configured',
    severity: 'error' as const,
    message: 'No model is set up for “fast”; add one in Settings.',
    pointer: '/steps/1',
    line: 12,
    column: 5,
  };
  const answers = {
    'state.get': { ...BUSY, approvals: [], waiting: [], forTab: [] },
    'grants.missing': { origins: ['https://expenses.example.com'] },
    'run.start': { refused: { code: 'preflight_failed', message: 'x', problems: [problem] } },
  };
  const page = await open('popup', { answers, width: WIDTH, height: HEIGHT });
  await page.getByTestId('workflow-search').fill('expen');
  await page.getByTestId('workflow-search').press('Enter');
  await expect(page.getByTestId('missing-grants')).toContainText('https://expenses.example.com');
  await page.getByTestId('field-limit').fill('500');
  await page.getByTestId('field-url').press('Enter');
  await expect(page.getByText('Fill in this field.')).toBeVisible();
  await expect(page.getByText('Enter 50 or less.')).toBeVisible();
  expect(await asked(page, 'run.start')).toEqual([]);

  await page.getByTestId('field-limit').fill('20');
  await page.getByTestId('field-tags').fill('a\nb');
  await page.getByTestId('field-url').fill('https://expenses.example.com/list');
  await page.getByTestId('field-url').press('Enter');
  await expect(page.getByTestId('problem')).toContainText('line 12, column 5');
  expect(await asked(page, 'run.start')).toMatchObject([
    {
      payload: {
        workflowId: 'weekly-expenses',
        input: { url: 'https://expenses.example.com/list', limit: 20, mode: 'quick', dryRun: false, tags: ['a', 'b'] },
      },
    },
  ]);
  await expectAccessible(page);
});

test('the update port breaks: the popup connects again and shows what is new', async ({ open }) => {
  const page = await open('popup', { answers: { 'state.get': EMPTY }, width: WIDTH, height: HEIGHT });
  await expect(page.getByTestId('state-word')).toContainText('Ready');
  await page.evaluate(
    (next) => {
      const { fake } = window as unknown as FakeWindow;
      Object.assign(fake.answers, next);
      fake.dropPorts();
    },
    { 'state.get': { ...BUSY, stopped: true } } as Record<string, unknown>,
  );
  await expect(page.getByTestId('state-word')).toContainText('Stopped');
  await expect(page.getByTestId('stop-all')).toHaveText('Lift the stop');
});

test('a busy popup, light and dark: accessible', async ({ open }) => {
  test.setTimeout(120_000); // Two times axe, on a machine that may be busy.
  for (const scheme of ['light', 'dark'] as const) {
    const page = await open('popup', { answers: { 'state.get': BUSY }, width: WIDTH, height: HEIGHT, scheme });
    await free(page);
    await expectAccessible(page);
  }
});

test('everything stopped, in a language 40 % longer: accessible, and nothing is cut off', async ({ open }) => {
  const page = await open('popup', {
    answers: { 'state.get': { ...BUSY, stopped: true } },
    width: WIDTH,
    height: HEIGHT,
    look: { language: 'en-XA' },
  });
  await free(page);
  await expectNoSideScroll(page);
  await expectAccessible(page);
});

test('nothing there, a failure, no answer yet: each says what it is', async ({ open }) => {
  const empty = await open('popup', { answers: { 'state.get': EMPTY }, width: WIDTH, height: HEIGHT });
  await expect(empty.getByTestId('empty')).toContainText('Import a file in the app');
  await expectAccessible(empty);
  const failed = await open('popup', {
    answers: { 'state.get': { fail: 'internal', message: 'The store could not be opened; restart the browser.' } },
    width: WIDTH,
    height: HEIGHT,
  });
  await expect(failed.getByTestId('error')).toContainText('restart the browser');
  await expectAccessible(failed);
  const loading = await open('popup', { answers: { 'state.get': 'hang' }, width: WIDTH, height: HEIGHT });
  await expect(loading.getByTestId('loading')).toBeVisible();
});
