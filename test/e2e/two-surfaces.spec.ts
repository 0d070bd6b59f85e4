import { type ExtensionPage, openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import { click } from '../../src/cli/browser/popup.ts';
import type { ApprovalRow } from '../../src/model/run.ts';
import type { Product } from '../support/product.ts';
import { expect, expectSent, linesOf, test } from '../support/sample.ts';

/** The same question in several windows at once: one decision, one effect, and everybody is told. */

test.setTimeout(240_000);

const CARD = '[data-testid="approval-card"]';

/** Opens pages of the extension, each in a window of its own, so that all are drawn; waits until each can be decided in. */
async function openAll(product: Product, approval: ApprovalRow, pages: string[]): Promise<ExtensionPage[]> {
  const opened: ExtensionPage[] = [];
  for (const page of pages) opened.push(await openExtensionPage(product.browser.cdp, page, { newWindow: true }));
  for (const page of opened) await untilOpen(page, approval);
  return opened;
}

async function untilOpen(page: ExtensionPage, { hash }: ApprovalRow): Promise<void> {
  const open = `${CARD}[data-hash="${hash}"] [data-testid="decision"]:not([data-inert])`;
  await until(
    () => page.evaluate<boolean>(`document.querySelector(${JSON.stringify(open)}) !== null`),
    () => new Error('The card cannot be decided on.'),
    60_000,
  );
}

const press = (page: ExtensionPage, { hash }: ApprovalRow, button: 'approve' | 'reject') =>
  click(page.session, `${CARD}[data-hash="${hash}"] [data-testid="${button}"]`);

/** Waits until a page has no card of the approval any more. @returns what it says now */
async function untilGone(page: ExtensionPage, { hash }: ApprovalRow): Promise<string> {
  await until(
    () => page.evaluate<boolean>(`document.querySelector('${CARD}[data-hash="${hash}"]') === null`),
    () => new Error('The card is still there.'),
  );
  return page.evaluate<string>('document.body.innerText');
}

/** Who decided is asked for when the card goes, so it is said a moment later. */
const untilSays = (page: ExtensionPage, pattern: RegExp) =>
  expect
    .poll(() => page.evaluate<string>('document.body.innerText'), { timeout: 30_000, intervals: [100] })
    .toMatch(pattern);

const decisionsOf = async (product: Product, runId: string) =>
  (await product.ask('run.events', { runId })).events.filter(({ type }) => type === 'approval.decided');

test('approved in one window: the question goes away in the two others, which say who decided; each line is sent once', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  const [popup, panel, app] = (await openAll(product, approval, [
    'popup.html',
    'sidepanel.html',
    'app.html#/approvals',
  ])) as [ExtensionPage, ExtensionPage, ExtensionPage];
  await press(popup, approval, 'approve');
  await Promise.all(
    [panel, app].map(async (other) => {
      await untilGone(other, approval);
      await untilSays(other, /approved/i);
    }),
  );
  expect(await untilGone(popup, approval)).not.toContain('already_decided');
  await product.ended(runId);
  expect(await decisionsOf(product, runId)).toHaveLength(1);
  expectSent(site, linesOf(approval));
});

test('approved in one window and rejected in another at the same moment: one decision, and the other window says whose', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  const [one, other] = (await openAll(product, approval, ['popup.html', 'sidepanel.html'])) as [
    ExtensionPage,
    ExtensionPage,
  ];
  await Promise.all([press(one, approval, 'approve'), press(other, approval, 'reject')]);
  // Only the page whose answer did not count says whose did.
  const told = await Promise.any(
    [one, other].map(async (page) => {
      await untilSays(page, /(Approved|Rejected) by .+ on /);
      return page;
    }),
  );
  const { run } = await product.ended(runId);
  expect(await decisionsOf(product, runId)).toHaveLength(1);
  const row = (await product.detail(runId)).approvals.find(({ approvalId }) => approvalId === approval.approvalId);
  const { decision, surface } = row?.decision ?? {};
  expect([decision, surface]).toEqual(run.status === 'completed' ? ['approved', 'popup'] : ['rejected', 'sidepanel']);
  const loser = surface === 'popup' ? other : one;
  expect(told.targetId).toBe(loser.targetId);
  await untilGone(loser, approval);
  if (decision === 'approved') expectSent(site, linesOf(approval));
  else expect(site.log()).toEqual([]);
});

test('the same click three times, and once more later: accepted as the same, sent once; another comment or another answer is told who decided', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  const { path, hash } = approval;
  const decide = (decision: 'approved' | 'rejected', comment?: string) =>
    product.command({ type: 'decide', runId, path, hash, decision, ...(comment === undefined ? {} : { comment }) });
  const first = await Promise.all([decide('approved', 'Fine'), decide('approved', 'Fine'), decide('approved', 'Fine')]);
  expect(first.every(({ ok }) => ok)).toBe(true);
  expect(await decide('approved', 'Fine')).toEqual({ ok: true, data: { repeated: true } });
  const refused = {
    ok: false,
    code: 'already_decided',
    message: expect.stringMatching(/already approved by .+ at 20/),
  };
  expect(await decide('approved', 'Another comment')).toMatchObject(refused);
  expect(await decide('rejected', 'Fine')).toMatchObject(refused);
  await product.ended(runId);
  expect(await decide('approved', 'Fine')).toEqual({ ok: true, data: { repeated: true } });
  expect(await decide('rejected')).toMatchObject(refused);
  expect(await decisionsOf(product, runId)).toHaveLength(1);
  expectSent(site, linesOf(approval));
});

test('a run with two questions in a row gets the same click three times: the second question still waits', async ({
  product,
}) => {
  await product.launch();
  const runId = await product.start(`format: tabloom/v1
id: two
name: Two questions
steps:
  - { id: first, type: approval, title: "First?", message: Look, risk: reversible }
  - { id: second, type: approval, title: "Second?", message: Look, risk: reversible }
`);
  const approval = await product.pending(runId, 'first');
  const [page] = (await openAll(product, approval, ['popup.html'])) as [ExtensionPage];
  const at = await page.evaluate<{ x: number; y: number }>(
    `(() => { const box = document.querySelector('[data-testid="approve"]').getBoundingClientRect(); return { x: box.x + box.width / 2, y: box.y + box.height / 2 }; })()`,
  );
  for (let time = 1; time <= 3; time++) {
    const mouse = { ...at, button: 'left', clickCount: time };
    await page.session.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...mouse });
    await page.session.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...mouse });
  }
  const second = await product.pending(runId, 'second');
  await untilOpen(page, second);
  expect(await decisionsOf(product, runId)).toHaveLength(1);
  await press(page, second, 'approve');
  expect((await product.ended(runId)).run.status).toBe('completed');
});

/** Types into a field as a person does. */
async function type(page: ExtensionPage, selector: string, text: string): Promise<void> {
  await click(page.session, selector);
  await page.evaluate(`document.querySelector(${JSON.stringify(selector)}).select()`);
  await page.session.send('Input.insertText', { text });
}

const sees = (page: ExtensionPage, selector: string) =>
  until(
    () => page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}) !== null`),
    () => new Error(`Nothing matches ${selector}.`),
  );

const textIn = (page: ExtensionPage, selector: string) =>
  page.evaluate<string>(`document.querySelector(${JSON.stringify(selector)}).value`);

test('a comment is typed in two windows: the second one is shown the first, and nothing is overwritten before it was seen', async ({
  product,
}) => {
  await product.launch();
  const runId = await product.start(`format: tabloom/v1
id: one
name: One question
steps:
  - { id: gate, type: approval, title: "Send?", message: Look, risk: reversible }
`);
  const approval = await product.pending(runId, 'gate');
  const [one, other] = (await openAll(product, approval, ['popup.html', 'sidepanel.html'])) as [
    ExtensionPage,
    ExtensionPage,
  ];
  const comment = '[data-testid="comment"]';
  const key = `comment:${approval.approvalId}`;
  await type(one, comment, 'from the popup');
  await until(
    async () => (await product.ask('draft.get', { key })).text === 'from the popup',
    () => new Error('The comment was not kept.'),
  );
  // It had its own text before it could hear of the other.
  await other.evaluate(
    `(() => { const area = document.querySelector('${comment}'); area.value = 'from the panel'; area.dispatchEvent(new InputEvent('input', { bubbles: true })); })()`,
  );
  await sees(other, '[data-testid="draft-conflict"]');
  expect(await other.evaluate('document.querySelector(\'[data-testid="draft-conflict"] pre\').textContent')).toBe(
    'from the popup',
  );
  expect((await product.ask('draft.get', { key })).text).toBe('from the popup');
  await click(other.session, '[data-testid="take-theirs"]');
  await until(
    async () => (await textIn(other, comment)) === 'from the popup',
    () => new Error('The other text was not taken.'),
  );
});

test('two windows save the model settings: other parts are merged, the same part is shown with both and is overwritten only by a click', async ({
  product,
}) => {
  await product.launch();
  const settings = {
    accounts: [{ id: 'home', provider: 'openai-compatible' as const, baseUrl: 'http://localhost:1/v1', hasKey: false }],
    names: { fast: 'home:small' },
    default: 'fast',
  };
  await product.ask('models.set', { settings });
  const open = () => openExtensionPage(product.browser.cdp, 'app.html#/settings', { newWindow: true });
  const [one, other] = [await open(), await open()];
  for (const page of [one, other]) await sees(page, '[data-testid="account-url"]');
  const save = '[data-testid="save-models"]';
  const stored = () => product.ask('models.get', {});

  await type(one, '[data-testid="account-url"]', 'http://localhost:2/v1');
  await click(one.session, save);
  await until(
    async () => (await stored()).accounts[0]?.baseUrl === 'http://localhost:2/v1',
    () => new Error('It was not saved.'),
  );
  await type(other, '[data-testid="default-model"]', 'home:large');
  await click(other.session, save);
  await until(
    async () => (await stored()).default === 'home:large',
    () => new Error('It was not saved.'),
  );
  expect((await stored()).accounts[0]?.baseUrl).toBe('http://localhost:2/v1');

  await type(one, '[data-testid="default-model"]', 'home:tiny');
  await click(one.session, save);
  await sees(one, '[data-testid="models-conflict"]');
  expect(await one.evaluate('document.querySelector(\'[data-testid="models-conflict"]\').innerText')).toMatch(
    /home:tiny.*home:large/,
  );
  expect((await stored()).default).toBe('home:large');
  await click(one.session, '[data-testid="keep-mine"]');
  await until(
    async () => (await stored()).default === 'home:tiny',
    () => new Error('It was not saved.'),
  );
  expect((await stored()).accounts[0]?.baseUrl).toBe('http://localhost:2/v1');
});
