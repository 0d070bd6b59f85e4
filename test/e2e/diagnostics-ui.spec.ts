import { asked, change, expect, expectAccessible, expectNoSideScroll, test } from '../support/ui-harness.ts';
import type { FakeAnswers } from '../support/ui-harness-browser.ts';
import { BUSY } from '../support/ui-harness-fixtures.ts';
import { healthy, NOW, part } from '../view/doctor/facts.ts';

/** The Diagnostics page in every state, without a background behind it. */

const HASH = '#/settings/diagnostics';
const LONG = 'a-very-long-origin-that-nobody-would-type.subdomain.of.a.subdomain.example-company-intranet.example';
const fault = { code: 'internal', name: 'UnknownError', message: 'The browser failed to read or write its database.' };

const FINE: FakeAnswers = { 'state.get': BUSY, 'doctor.get': healthy() };
/** Something is wrong with everything. */
const WRONG: FakeAnswers = {
  'state.get': BUSY,
  'doctor.get': healthy({
    browser: { name: 'Chromium', version: '120.0', minimum: '123' },
    worker: { ...healthy().worker, lock: 'waiting', lastFault: { at: NOW - 60_000, message: fault.message } },
    ...part('database', { probe: { ok: false, fault }, usage: 97e9, quota: 100e9 }),
    ...part('journals', { broken: [{ runId: `run-${'0123456789abcdef'.repeat(4)}`, seq: 12 }] }),
    ...part('grants', {
      missing: [{ origin: `https://${LONG}`, workflows: ['orders'], runs: ['run-7f3a91c2'], waiting: true }],
    }),
    ...part('models', { defaultAccount: undefined }),
    ...part('alarms', { wakeAt: undefined, running: true }),
    ...part('runs', { stopped: true, stuck: ['run-7f3a91c2'] }),
  }),
};

for (const [scheme, width, language] of [
  ['light', 320, 'en'],
  ['dark', 320, 'de'],
  ['light', 1100, 'de'],
  ['dark', 1100, 'en-XA'],
] as const) {
  test(`${scheme} at ${width} px, ${language}: in order, with everything wrong, and loading: accessible, nothing cut off`, async ({
    open,
  }) => {
    test.setTimeout(240_000);
    for (const answers of [FINE, WRONG, { ...FINE, 'doctor.get': 'hang' } as FakeAnswers]) {
      const page = await open('app', { answers, width, scheme, hash: HASH, look: { language } });
      await expect(page.getByTestId('check-browser').or(page.getByTestId('loading')).first()).toBeVisible();
      await expectAccessible(page);
      await expectNoSideScroll(page);
    }
  });
}

test('everything is in order: says so, every line is OK, and there is nothing to do', async ({ open }) => {
  const page = await open('app', { answers: FINE, width: 900, hash: HASH });
  await expect(page.getByTestId('summary')).toContainText('Everything that was looked at is in order.');
  await expect(page.locator('[data-state]:not([data-state="ok"])')).toHaveCount(0);
  await expect(page.getByTestId('check-store')).toContainText('OK');
});

test('check again: asks anew and shows what is there now', async ({ open }) => {
  const page = await open('app', { answers: FINE, width: 900, hash: HASH });
  await expect(page.getByTestId('check-browser')).toBeVisible();
  await change(page, WRONG);
  await page.getByTestId('look-again').click();
  await expect(page.getByTestId('check-browser')).toHaveAttribute('data-state', 'fail');
  await expect(page.getByTestId('check-browser')).toContainText('Update the browser.');
  expect(await asked(page, 'doctor.get')).toHaveLength(2);
});

test('what to do leads to where it is done', async ({ open }) => {
  const page = await open('app', { answers: WRONG, width: 900, hash: HASH });
  await page.getByTestId('check-model').getByRole('link', { name: 'Settings' }).click();
  await expect(page.getByTestId('models')).toBeVisible();
  await page.getByTestId('open-diagnostics').click();
  await expect(page.getByTestId('diagnostics')).toBeVisible();
});

test('the model is called only when asked for, and its refusal is told with what to do', async ({ open }) => {
  const answers: FakeAnswers = {
    ...FINE,
    'models.test': { ok: false, code: 'auth_failed', status: 401, message: 'It refused the key.' },
  };
  const page = await open('app', { answers, width: 900, hash: HASH });
  await expect(page.getByTestId('check-model')).toBeVisible();
  await expect(page.getByTestId('check-connection')).toHaveCount(0);
  expect(await asked(page, 'models.test')).toEqual([]);
  await page.getByTestId('test-connection').click();
  await expect(page.getByTestId('check-connection')).toContainText('It refused the key.');
  await expect(page.getByTestId('check-connection')).toContainText('Check the key');
});

test('the background refuses: the page says that it does not answer, and what to do', async ({ open }) => {
  const answers: FakeAnswers = { 'state.get': 'hang', 'doctor.get': { fail: 'unreachable', message: 'x' } };
  const page = await open('app', { answers, width: 320, hash: HASH });
  await expect(page.getByTestId('check-worker')).toContainText('does not answer');
  await expect(page.getByTestId('summary')).toContainText('1 check has failed.');
  await expectAccessible(page);
});

test('the background never answers: after half a minute the page says so instead of waiting on', async ({ open }) => {
  const answers: FakeAnswers = { 'state.get': 'hang', 'doctor.get': 'hang' };
  const page = await open('app', { answers, width: 900, hash: HASH, clock: true });
  await expect(page.getByTestId('loading')).toBeVisible();
  await page.clock.fastForward(31_000);
  await expect(page.getByTestId('check-worker')).toHaveAttribute('data-state', 'fail');
});

for (const [surface, width] of [
  ['popup', 380],
  ['sidepanel', 320],
] as const) {
  test(`${surface}: the database cannot be opened: a sentence and the way to Diagnostics, no empty box`, async ({
    open,
  }) => {
    const answers: FakeAnswers = { 'state.get': { fail: 'internal', message: fault.message } };
    const page = await open(surface, { answers, width });
    await expect(page.getByTestId('error')).toContainText(fault.message);
    await expect(page.getByTestId('error')).toContainText('Nothing that is stored is lost');
    await expectAccessible(page);
    await expectNoSideScroll(page);
    await page.getByTestId('diagnose').click();
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { fake: { openedTabs: string[] } }).fake.openedTabs))
      .toEqual([expect.stringContaining(`/app.html${HASH}`)]);
  });

  test(`${surface}: the background takes long to answer: after a while it says so and leads to Diagnostics`, async ({
    open,
  }) => {
    const page = await open(surface, { answers: { 'state.get': 'hang' }, width, clock: true });
    await expect(page.getByTestId('loading')).toBeVisible();
    await expect(page.getByTestId('slow')).toHaveCount(0);
    await page.clock.fastForward(9000);
    await expect(page.getByTestId('slow')).toContainText('has not answered yet');
    await expect(page.getByTestId('slow').getByTestId('diagnose')).toBeVisible();
    await expectAccessible(page);
  });
}
