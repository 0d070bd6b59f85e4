import type { Popup } from '../../src/cli/browser/popup.ts';
import { type Product, see } from '../support/product.ts';
import { expect, expectSent, linesOf, SAMPLE_GRANTS, SUSPICIOUS, test } from '../support/sample.ts';

/** What was approved is what is done: anything else is not done, and asked about again. */

test.setTimeout(240_000);

const MESSAGE = 'Please send us the receipt.';

/**
 * One message to the employee of line 2042, approved on the page of one host.
 * @param between steps between the approval and the acts that it covers
 */
function messageWorkflow(origin: string, between = ''): string {
  return `format: tabloom/v1
id: one-message
name: One message
sites: ["http://127.0.0.1/*", "http://localhost/*"]
steps:
  - id: open
    type: browser_action
    action: navigate
    arguments: { url: "${origin}/expenses/2042", waitFor: { label: Message to employee } }
  - { id: gate, type: approval, title: "Send it?", show: { message: "${MESSAGE}" }, covers: [write, send], risk: message }
${between}  - { id: choose, type: browser_action, action: select_option, arguments: { target: { label: Decision }, label: Ask for details } }
  - { id: write, type: browser_action, action: fill, arguments: { target: { label: Message to employee }, value: "{{step.gate.value.message}}" } }
  - { id: send, type: browser_action, action: click, arguments: { target: { role: button, name: Send request } } }
  - { id: sent, type: browser_action, action: wait_for, arguments: { text: Request sent } }
`;
}

const elsewhere = (origin: string) => origin.replace('127.0.0.1', 'localhost');

/** A step that opens the same page on the other host, which the workflow may do. */
const moved = (origin: string) => `  - id: move
    type: browser_action
    action: navigate
    arguments: { url: "${elsewhere(origin)}/expenses/2042", waitFor: { label: Message to employee } }
`;

async function begin(product: Product, source: string): Promise<string> {
  await product.grant(...SAMPLE_GRANTS);
  await product.launch();
  return product.start(source);
}

/** The new approval for an act whose page is another one now. */
async function askedAgain(product: Product, runId: string, path: string, origin: string, before: string) {
  const again = await product.pending(runId, path);
  expect(again.replaces?.hash).toBeTruthy();
  expect(again.hash).not.toBe(before);
  expect(again.covers).toMatchObject([{ path, origin: elsewhere(origin) }]);
  expect(again.show).toMatchObject({ now: { origin: elsewhere(origin) }, approved: { origin } });
  return again;
}

test('a step takes the tab to another origin after the approval: nothing is done, and what is asked again is rejected', async ({
  product,
  sample: { site },
}) => {
  const runId = await begin(product, messageWorkflow(site.url, moved(site.url)));
  const approval = await product.pending(runId, 'gate');
  expect(approval.covers.map(({ path, origin }) => [path, origin])).toEqual([
    ['write', site.url],
    ['send', site.url],
  ]);
  await product.decide(approval, 'approve');
  const again = await askedAgain(product, runId, 'write', site.url, approval.hash);
  // The act was not done: the field on the page is as it was.
  expect(await fieldOf(product, elsewhere(site.url))).toBe('');
  await product.decide(again, 'reject');
  const { run, steps } = await product.ended(runId);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'approval_rejected', step: 'write' } });
  expect(steps.find(({ path }) => path === 'write')).toMatchObject({ status: 'failed', attempt: 0 });
  expect(site.log()).toEqual([]);
});

test('a step takes the tab to another origin after the approval: approved again, act by act, it is sent once', async ({
  product,
  sample: { site },
}) => {
  const runId = await begin(product, messageWorkflow(site.url, moved(site.url)));
  const approval = await product.pending(runId, 'gate');
  await product.decide(approval, 'approve');
  for (const path of ['write', 'send']) {
    const again = await askedAgain(product, runId, path, site.url, approval.hash);
    expect(site.log()).toEqual([]);
    // What was said yes to is not this.
    expect(await decideBy(product, runId, path, approval.hash)).toMatchObject({ ok: false, code: 'approval_mismatch' });
    await product.decide(again, 'approve');
  }
  expect((await product.ended(runId)).run.status).toBe('completed');
  expect(site.log().map(({ id, submitted }) => [id, submitted?.message])).toEqual([['2042', MESSAGE]]);
});

test('somebody takes the tab to another origin while the approval waits: the act finds out, is not done, and is asked about again', async ({
  product,
  sample: { site },
}) => {
  const runId = await begin(product, messageWorkflow(site.url));
  const approval = await product.pending(runId, 'gate');
  const session = await product.pageAt(site.url);
  await session.send('Page.navigate', { url: `${elsewhere(site.url)}/expenses/2042` });
  await session.detach();
  await product.decide(approval, 'approve');
  for (const path of ['write', 'send']) {
    const again = await askedAgain(product, runId, path, site.url, approval.hash);
    expect(site.log()).toEqual([]);
    await product.decide(again, 'approve');
  }
  expect((await product.ended(runId)).run.status).toBe('completed');
  expect(site.log().map(({ id, submitted }) => [id, submitted?.message])).toEqual([['2042', MESSAGE]]);
});

test('the messages are edited in the popup: a new hash, the old one is refused, and only what was edited is sent, to the letter', async ({
  product,
  sample,
}) => {
  const { site } = sample;
  const text = 'Dear Jonas,\nwhat is this camera for? "Quotes", <b>tags</b>, {{step.gate}} and ümläuts — all of it.';
  const runId = await sample.begin(product);
  const before = await product.pending(runId, 'gate');
  expect(before.covers).toHaveLength(4 * SUSPICIOUS.length);

  await product.inPopup(async (popup) => {
    await see(popup, '[data-testid="edit"]');
    await popup.click('[data-testid="edit"]');
    // The first line goes; the new first one says something else.
    await see(popup, '[data-testid="edit-row"]');
    await popup.click('li:nth-child(1 of [data-testid="edit-row"]) [data-testid="remove-row"]');
    await typeInto(popup, 'li:nth-child(1 of [data-testid="edit-row"]) [data-testid="field-message"]', text);
    await see(popup, '[data-testid="save-edit"]:not([aria-disabled="true"])');
    await popup.click('[data-testid="save-edit"]');
    await see(popup, `[data-testid="approval-card"]:not([data-hash="${before.hash}"])`);
  });

  const after = await product.pending(runId, 'gate');
  expect(after.hash).not.toBe(before.hash);
  expect(after.replaces).toEqual({ hash: before.hash, reason: 'edited' });
  const edited = linesOf(before).slice(1);
  (edited[0] as { message: string }).message = text;
  expect(linesOf(after)).toEqual(edited);
  expect(after.covers).toHaveLength(4 * edited.length);
  expect(after.covers.filter(({ stepId }) => stepId === 'write').map((act) => act.arguments)).toMatchObject(
    edited.map(({ message }) => ({ value: message })),
  );

  expect(await decideBy(product, runId, 'gate', before.hash)).toMatchObject({ ok: false, code: 'approval_mismatch' });
  expect(site.log()).toEqual([]);

  await product.decide(after, 'approve');
  const { run } = await product.ended(runId);
  expect(run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS.slice(1) } });
  expectSent(site, edited);
});

function decideBy(product: Product, runId: string, path: string, hash: string) {
  return product.command({ type: 'decide', runId, path, hash, decision: 'approved' });
}

/** What the field for the message holds. */
async function fieldOf(product: Product, origin: string): Promise<unknown> {
  const session = await product.pageAt(origin);
  const { result } = await session.send<{ result: { value: unknown } }>('Runtime.evaluate', {
    expression: "document.querySelector('#message').value",
  });
  await session.detach();
  return result.value;
}

/** Replaces a field's text by keyboard input. */
async function typeInto(popup: Popup, selector: string, text: string): Promise<void> {
  await popup.click(selector);
  await popup.evaluate('document.activeElement.select()');
  await popup.session.send('Input.insertText', { text });
}
