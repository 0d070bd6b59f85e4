import type { Page } from '@playwright/test';
import type { Requests, SurfaceState } from '../../src/app/protocol.ts';
import type { ListedRule } from '../../src/model/rules.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import { rule } from '../contract/rows.ts';
import { asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import { act, approval, detail, EMPTY, START, step } from '../support/ui-harness-fixtures.ts';

/** What an approval can be beside a yes and a no: always, several together, too late. */

const POPUP = { width: 380, height: 560 };
const PANEL = { width: 320, height: 640 };
const DAY = 86_400_000;

const only = (...approvals: ApprovalRow[]): SurfaceState => ({ ...EMPTY, approvals });
const commands = async (page: Page) =>
  (await asked(page, 'command.send')).map((each) => (each.payload as { command: Record<string, unknown> }).command);
const free = (page: Page) => expect(page.getByTestId('decision')).not.toHaveAttribute('data-inert');

/** As the engine offers it: reversible, and the sites are known. */
const mayStand = approval({ risk: 'reversible', standing: { origins: ['https://expenses.example.com'] } });

test.describe('always', () => {
  test('ticked: says what it will cover, on which sites and for how long, and goes with the yes', async ({ open }) => {
    const page = await open('popup', { answers: { 'state.get': only(mayStand) }, ...POPUP });
    const box = page.getByTestId('always-box');
    await expect(page.getByTestId('always')).toContainText('Always allow for this workflow on expenses.example.com');
    await expect(box).not.toBeChecked();
    await expect(page.getByTestId('always-covers')).toHaveCount(0);
    await box.check();
    await expect(page.getByTestId('always-covers')).toHaveText(
      'From now on, for 30 days, this is approved in your name without asking: Fill in (Note) and Click (Submit). ' +
        'Only on expenses.example.com, and only as this step is written now. You can withdraw it in Settings.',
    );
    await expect(page.getByTestId('approve')).toBeInViewport({ ratio: 1 });
    await free(page);
    await page.getByTestId('approve').click();
    await expect
      .poll(() => commands(page))
      .toEqual([
        {
          type: 'decide',
          runId: mayStand.runId,
          path: 'gate',
          hash: mayStand.hash,
          decision: 'approved',
          always: true,
        },
      ]);
  });

  test('not ticked, or with a no: it is not sent', async ({ open }) => {
    for (const [tick, button] of [
      [false, 'approve'],
      [true, 'reject'],
    ] as const) {
      const page = await open('popup', { answers: { 'state.get': only(mayStand) }, ...POPUP });
      if (tick) await page.getByTestId('always-box').check();
      await free(page);
      await page.getByTestId(button).click();
      await expect.poll(() => commands(page)).toHaveLength(1);
      expect((await commands(page))[0]).not.toHaveProperty('always');
    }
  });

  test('a yes means more once it is ticked: a click in that moment decides nothing', async ({ open }) => {
    const page = await open('popup', { answers: { 'state.get': only(mayStand) }, ...POPUP, clock: true });
    await page.getByTestId('approve').waitFor();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.clock.runFor(600);
    await free(page);
    await page.getByTestId('always-box').check();
    await page.getByTestId('always-covers').waitFor();
    await page.getByTestId('approve').dispatchEvent('click');
    expect(await commands(page)).toEqual([]);
  });

  test('where the engine does not offer it: is not there', async ({ open }) => {
    const page = await open('popup', { answers: { 'state.get': only(approval()) }, ...POPUP });
    await page.getByTestId('approve').waitFor();
    await expect(page.getByTestId('always')).toHaveCount(0);
  });

  test('light and dark, in German too, and in a language 40 % longer: accessible, nothing is cut off', async ({
    open,
  }) => {
    test.setTimeout(180_000); // Axe again and again, on a machine that may be busy.
    for (const [scheme, language] of [
      ['light', 'en'],
      ['dark', 'de'],
      ['light', 'en-XA'],
    ] as const) {
      const page = await open('sidepanel', {
        answers: { 'state.get': only(mayStand) },
        ...PANEL,
        scheme,
        look: { language },
      });
      await page.getByTestId('always-box').check();
      if (language === 'de')
        await expect(page.getByTestId('always-covers')).toContainText('30 Tage lang in Ihrem Namen');
      await free(page);
      await expectNoSideScroll(page);
      await expectAccessible(page);
    }
  });
});

/** Five drafts of one loop, too long to be seen at once. */
function five(more: Partial<ApprovalRow> = {}): ApprovalRow[] {
  return [4, 3, 2, 1, 0].map((n) =>
    approval({
      approvalId: `ap-${n}`,
      gate: 'ask',
      path: `each[${n}]/ask`,
      title: `Send draft ${n + 1}`,
      message: '',
      risk: 'message',
      show: { to: `person${n}@example.com`, text: `Dear ${n}, `.repeat(40) },
      covers: [act({ path: `each[${n}]/send`, stepId: 'send', name: 'Send' })],
      hash: `${n}`.repeat(64),
      ...more,
    }),
  );
}

async function sentBatch(page: Page): Promise<Requests['approvals.decide']['in']> {
  const [first] = await asked(page, 'approvals.decide');
  return first?.payload as Requests['approvals.decide']['in'];
}

const items = (page: Page) => page.getByTestId('batch-item');

/** Reads as a person does: down to the end of each. */
async function readAll(page: Page): Promise<void> {
  const count = await items(page).count();
  for (let i = 0; i < count; i++) {
    await items(page).nth(i).locator('.batch-end').scrollIntoViewIfNeeded();
    await items(page)
      .nth(i)
      .evaluate((item) => item.querySelector('.batch-end')?.scrollIntoView({ block: 'center' }));
    await expect(items(page).nth(i)).toHaveAttribute('data-seen', 'true');
  }
}

test.describe('several together', () => {
  test('five of one step: inert until each was read to its end, then one message that names each by its own hash', async ({
    open,
  }) => {
    const results = five().map(() => ({ ok: true as const }));
    const page = await open('sidepanel', {
      answers: { 'state.get': only(...five()), 'approvals.decide': { results } },
      ...PANEL,
    });
    await expect(page.getByTestId('together')).toHaveCount(1);
    await page.getByTestId('together').click();
    await expect(items(page)).toHaveCount(5);
    await expect(items(page).locator('summary b')).toHaveText([1, 2, 3, 4, 5].map((n) => `Send draft ${n}`));
    await expect(items(page).nth(4)).toContainText('person4@example.com');
    await expect(page.getByTestId('batch-progress')).toContainText('of 5 looked at');
    await page.getByTestId('approve-these').dispatchEvent('click');
    expect(await asked(page, 'approvals.decide')).toEqual([]);

    await readAll(page);
    await expect(page.getByTestId('batch-progress')).toHaveText('All 5 looked at.');
    await free(page);
    await change(page, { 'state.get': only() });
    await expect(page.getByTestId('batch-card')).toHaveCount(0);
    expect(await asked(page, 'approvals.decide')).toEqual([]);

    await change(page, { 'state.get': only(...five()) });
    await page.getByTestId('together').click();
    await readAll(page);
    await free(page);
    await page.getByTestId('approve-these').click();
    await expect.poll(() => asked(page, 'approvals.decide')).toHaveLength(1);
    expect(await sentBatch(page)).toMatchObject({
      decision: 'approved',
      surface: 'sidepanel',
      items: [0, 1, 2, 3, 4].map((n) => ({ path: `each[${n}]/ask`, hash: `${n}`.repeat(64) })),
    });
    await expect(page.getByTestId('toast')).toContainText('5 approved.');
  });

  test('what cannot be undone: each is closed, and must be opened by hand', async ({ open }) => {
    const rows = five({ risk: 'irreversible', show: { text: 'short' } });
    const page = await open('app', {
      answers: { 'state.get': only(...rows) },
      width: 900,
      height: 1400,
      hash: '#/approvals',
    });
    await page.getByTestId('together').click();
    await expect(items(page).locator('details[open]')).toHaveCount(0);
    await expect(page.getByTestId('batch-progress')).toContainText('0 of 5');
    for (let i = 0; i < 4; i++) await items(page).nth(i).locator('summary').click();
    await expect(page.getByTestId('batch-progress')).toContainText('4 of 5');
    await expect(page.getByTestId('approve-these')).toHaveAttribute('aria-disabled', 'true');
    await items(page).nth(4).locator('summary').click();
    await free(page);
  });

  test('one left out: it is not sent, and still waits', async ({ open }) => {
    const page = await open('popup', {
      answers: { 'state.get': only(...five({ show: { text: 'short' } })) },
      ...POPUP,
    });
    await page.getByTestId('together').click();
    await items(page).nth(2).getByTestId('include').uncheck();
    await readAll(page);
    await free(page);
    await expect(page.getByTestId('approve-these')).toHaveText('Approve these 4');
    await page.getByTestId('approve-these').click();
    await expect.poll(() => asked(page, 'approvals.decide')).toHaveLength(1);
    expect((await sentBatch(page)).items.map(({ path }) => path)).toEqual([0, 1, 3, 4].map((n) => `each[${n}]/ask`));
  });

  test('one changes while they are looked at: it must be read again; one that comes is not taken for read', async ({
    open,
  }) => {
    const page = await open('app', {
      answers: { 'state.get': only(...five({ risk: 'irreversible', show: { text: 'short' } })) },
      width: 900,
      height: 1400,
      hash: '#/approvals',
    });
    await page.getByTestId('together').click();
    for (let i = 0; i < 5; i++) await items(page).nth(i).locator('summary').click();
    await free(page);
    await items(page).nth(1).locator('summary').click();
    const [newest, ...rest] = five({ risk: 'irreversible', show: { text: 'short' } });
    const changed = rest.map((row) => (row.path === 'each[1]/ask' ? { ...row, hash: 'f'.repeat(64) } : row));
    await change(page, { 'state.get': only(newest as ApprovalRow, ...changed) });
    await expect(page.getByTestId('batch-progress')).toContainText('4 of 5');
    await expect(page.getByTestId('decision')).toHaveAttribute('data-inert', 'true');
    await items(page).nth(1).locator('summary').click();
    await free(page);
  });

  test('one is refused: it says which and why, and the others are approved', async ({ open }) => {
    const results = five().map((_, n) =>
      n === 1 ? { ok: false as const, code: 'approval_mismatch', message: 'hash differs' } : { ok: true as const },
    );
    const page = await open('popup', {
      answers: { 'state.get': only(...five({ show: { text: 'short' } })), 'approvals.decide': { results } },
      ...POPUP,
    });
    await page.getByTestId('together').click();
    await readAll(page);
    await free(page);
    await page.getByTestId('approve-these').click();
    await expect(page.getByTestId('error')).toContainText(
      'Not approved: Send draft 2. What you were shown has changed.',
    );
    await expect(page.getByTestId('toast')).toContainText('4 approved.');
  });

  test('of two runs, or an act that is asked about again: not offered together', async ({ open }) => {
    const [a, b] = five() as [ApprovalRow, ApprovalRow];
    const page = await open('sidepanel', {
      answers: { 'state.get': only(a, { ...b, runId: 'run-other' }, { ...b, path: 'each[9]/send' }) },
      ...PANEL,
    });
    await page.getByTestId('approve').waitFor();
    await expect(page.getByTestId('together')).toHaveCount(0);
  });

  test('light and dark, German, 40 % longer: accessible, nothing is cut off', async ({ open }) => {
    test.setTimeout(180_000); // Axe again and again, on a machine that may be busy.
    for (const [scheme, language] of [
      ['light', 'en'],
      ['dark', 'de'],
      ['dark', 'en-XA'],
    ] as const) {
      const page = await open('sidepanel', {
        answers: { 'state.get': only(...five()) },
        ...PANEL,
        scheme,
        look: { language },
      });
      await page.getByTestId('together').click();
      await expect(items(page)).toHaveCount(5);
      await expectNoSideScroll(page);
      await expectAccessible(page);
    }
  });
});

test('a late answer: it is told who decided and when', async ({ open }) => {
  const details = { outcome: 'rejected', by: 'client:helper', at: START - 60_000 };
  const page = await open('popup', {
    answers: {
      'state.get': only(approval()),
      'command.send': { ok: false, code: 'already_decided', message: 'too late', details },
    },
    ...POPUP,
  });
  await free(page);
  await page.getByTestId('approve').click();
  await expect(page.getByTestId('error')).toContainText(
    /Already rejected by the client helper on .+ Your answer changed nothing\./,
  );
});

const RULES: ListedRule[] = [
  {
    ...rule('r-2', {
      workflowName: 'Weekly expenses',
      stepName: 'Save the draft?',
      createdAt: START - 2 * DAY,
      expiresAt: START + 28 * DAY,
    }),
    uses: 3,
    lastUsedAt: START - 3_600_000,
  },
  { ...rule('r-1', { workflowName: 'Old one', createdAt: START - 40 * DAY, expiresAt: START - 10 * DAY }), uses: 0 },
];

test.describe('Settings, what is always allowed', () => {
  test('each rule: what it allows and where, its uses and its end; withdrawn, it is gone', async ({ open }) => {
    const page = await open('app', {
      answers: { 'state.get': EMPTY, 'rules.list': { rules: RULES }, 'rules.withdraw': { rules: RULES.slice(1) } },
      width: 900,
      height: 1200,
      hash: '#/settings',
    });
    const rows = page.getByTestId('rule');
    await expect(rows).toHaveCount(2);
    await expect(rows.nth(0)).toContainText('Weekly expenses · Save the draft?');
    await expect(rows.nth(0)).toContainText('Save on https://example.com');
    await expect(rows.nth(0)).toContainText('ends');
    await expect(rows.nth(0).getByTestId('rule-uses')).toContainText('Used 3 times, last ');
    await expect(rows.nth(1)).toContainText('ended');
    await expect(rows.nth(1).getByTestId('rule-uses')).toHaveText('Not used yet');
    await rows.nth(0).getByRole('button', { name: 'Withdraw: Weekly expenses, Save the draft?' }).click();
    await expect(rows).toHaveCount(1);
    expect(await asked(page, 'rules.withdraw')).toMatchObject([{ payload: { ruleId: 'r-2' } }]);
    await expect(page.getByTestId('toast')).toContainText('Weekly expenses asks again from now on.');
  });

  test('none, light and dark, German, narrow: accessible', async ({ open }) => {
    test.setTimeout(180_000); // Axe again and again, on a machine that may be busy.
    for (const [scheme, language, rules] of [
      ['light', 'en', []],
      ['light', 'en', RULES],
      ['dark', 'de', RULES],
    ] as const) {
      const page = await open('app', {
        answers: { 'state.get': EMPTY, 'rules.list': { rules: [...rules] } },
        width: 320,
        height: 900,
        hash: '#/settings',
        scheme,
        look: { language },
      });
      await expect(page.getByTestId('rule')).toHaveCount(rules.length);
      if (language === 'de') await expect(page.getByTestId('rule-uses').first()).toContainText('3 Mal benutzt');
      await expectNoSideScroll(page);
      await expectAccessible(page);
    }
  });
});

test('a run in which a rule decided: its step says by whose rule, and of when', async ({ open }) => {
  const decided: ApprovalRow = {
    ...mayStand,
    status: 'approved',
    decision: {
      decision: 'approved',
      by: 'rule:r-2',
      at: START - 60_000,
      comment: '',
      rule: { ruleId: 'r-2', by: 'person', givenAt: START - 2 * DAY },
    },
  };
  const run = detail({
    steps: [step('gate', { type: 'approval', status: 'completed' })],
    approvals: [decided],
  });
  const page = await open('app', {
    answers: { 'state.get': EMPTY, 'run.get': run },
    width: 900,
    height: 900,
    hash: `#/runs/${run.run.runId}`,
  });
  await page.getByTestId('tree-item').first().click();
  await expect(page.getByTestId('step-decision')).toHaveText(/^Approved by your rule of .+ on .+\.$/);
});
