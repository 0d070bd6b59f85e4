import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import type { RequestName, Requests, ResponseMessage, RunDetail } from '../../src/app/protocol.ts';
import { type ApprovalRow, FINAL_RUN } from '../../src/model/run.ts';
import { FIREFOX_BUILD, type FirefoxWithExtension, launchFirefox } from '../support/firefox.ts';

/** The Firefox build in a real Firefox, driven by WebDriver BiDi: the same code, as an event page. */

test.setTimeout(240_000);

const ASK = `format: tabloom/v1
id: ask
name: Ask first
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: [2, 3] } }
  - { id: gate, type: approval, title: "Send {{step.sum}}?", message: Look, risk: reversible }
  - { id: keep, type: artifact, name: sum.txt, content: "The sum is {{step.sum}}." }
output: { total: "{{step.sum}}", by: "{{step.gate.by}}" }
`;

const ORDERS = `<!doctype html><html lang="en"><title>Orders</title><h1>Orders of today</h1>
<table aria-label="Orders"><thead><tr><th>Item<th>Count</thead><tbody><tr><td>Lamp<td>2<tr><td>Chair<td>5</tbody></table>
<form><label>Note <input name="note"></label><button>Send</button></form><output id="out"></output>
<script>
  document.forms[0].addEventListener('submit', (event) => {
    event.preventDefault();
    fetch('/note', { method: 'POST', body: event.target.note.value }).then(() => { out.textContent = 'Sent'; });
  });
</script>`;

let firefox: FirefoxWithExtension;
/** A tab with a page of the extension, to speak through. */
let page: string;
let server: Server;
let origin: string;
const notes: string[] = [];

test.beforeAll(async () => {
  test.setTimeout(240_000);
  server = createServer((request, response) => {
    if (request.method !== 'POST')
      return void response.setHeader('content-type', 'text/html; charset=utf-8').end(ORDERS);
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      notes.push(body);
      response.end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  firefox = await launchFirefox();
  page = await firefox.bidi.openTab(firefox.url('app.html'));
});
test.afterAll(async () => {
  await firefox?.close();
  server.closeAllConnections();
  server.close();
});

async function ask<K extends RequestName>(
  name: K,
  payload: Requests[K]['in'],
  { bidi } = firefox,
  from = page,
): Promise<Requests[K]['out']> {
  const message = JSON.stringify({ tabloom: 1, name, payload });
  const answer = await bidi.evaluate<ResponseMessage<K> | null>(from, `browser.runtime.sendMessage(${message})`);
  if (!answer) throw new Error(`${name} was not answered.`);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
  return answer.value;
}

async function detailOf(runId: string): Promise<RunDetail> {
  const detail = await ask('run.get', { runId });
  if (!detail) throw new Error(`There is no run ${runId}.`);
  return detail;
}

async function ended(runId: string): Promise<RunDetail> {
  await expect
    .poll(async () => FINAL_RUN.includes((await detailOf(runId)).run.status), { timeout: 60_000, message: 'its end' })
    .toBe(true);
  return detailOf(runId);
}

const shows = (tab: string, selector: string) =>
  expect
    .poll(() => firefox.bidi.evaluate<boolean>(tab, `document.querySelector(${JSON.stringify(selector)}) !== null`), {
      timeout: 30_000,
      message: selector,
    })
    .toBe(true);

test('the event page starts, and its popup says that there is nothing yet', async () => {
  await expect.poll(() => ask('health.get', {}).then(({ ready }) => ready), { timeout: 30_000 }).toBe(true);
  const { version } = await ask('health.get', {});
  expect(version).toBe(await firefox.bidi.evaluate(page, 'browser.runtime.getManifest().version'));
  expect(await ask('grants.list', {})).toEqual({ origins: [] });

  const popup = await firefox.bidi.openTab(firefox.url('popup.html'));
  await shows(popup, '[data-testid="main"][data-ready]');
  await shows(popup, '[data-testid="empty"]');
  const background = 'browser.runtime.getBackgroundPage().then((page) => page.location.protocol)';
  expect(await firefox.bidi.evaluate(popup, background)).toBe('moz-extension:');
  await firefox.bidi.send('browsingContext.close', { context: popup });
});

test('a run asks, is approved in the popup page, and completes with an artifact', async () => {
  expect(await ask('workflow.import', { source: ASK, enable: true })).toMatchObject({
    workflowId: 'ask',
    problems: [],
  });
  const started = await ask('run.start', { workflowId: 'ask', input: {} });
  if ('refused' in started) throw new Error(started.refused.message);
  const { runId } = started;
  await expect.poll(async () => (await ask('state.get', {})).approvals.length).toBe(1);
  const [approval] = (await ask('state.get', {})).approvals;
  expect(approval).toMatchObject({ title: 'Send 5?', runId, path: 'gate' });

  const popup = await firefox.bidi.openTab(firefox.url('popup.html'));
  const card = `[data-testid="approval-card"][data-hash="${approval?.hash}"]`;
  await shows(popup, `${card} [data-testid="decision"]:not([data-inert])`);
  await firefox.bidi.click(popup, `${card} [data-testid="approve"]`);
  const { run, artifacts } = await ended(runId);
  expect(run).toMatchObject({ status: 'completed', output: { total: 5, by: 'person' } });
  await firefox.bidi.send('browsingContext.close', { context: popup });

  const kept = await ask('artifact.get', { artifactId: artifacts[0]?.artifactId ?? '' });
  expect(Buffer.from(kept?.base64 ?? '', 'base64').toString()).toBe('The sum is 5.');
});

test('a site is granted by a click; then a run opens it, reads it, fills its form and sends it once', async () => {
  const source = `format: tabloom/v1
id: orders
name: Orders
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${origin}/" } }
  - { id: read, type: browser_action, action: extract, arguments: { target: { role: table, name: Orders }, as: table } }
  - { id: note, type: browser_action, action: fill, arguments: { target: { label: Note }, value: "{{step.read.rows[1].Item}}" } }
  - { id: send, type: browser_action, action: click, arguments: { target: { role: button, name: Send } } }
  - { id: sent, type: browser_action, action: wait_for, arguments: { text: Sent } }
output: { rows: "{{step.read.rows}}", title: "{{step.open.title}}" }
`;
  await ask('workflow.import', { source, enable: true });
  // Without the grant nothing starts.
  expect(await ask('run.start', { workflowId: 'orders', input: {} })).toMatchObject({
    refused: { problems: [{ code: 'site_not_granted' }] },
  });

  const popup = await firefox.bidi.openTab(firefox.url('popup.html'));
  await shows(popup, '[data-testid="start-orders"]');
  await firefox.bidi.click(popup, '[data-testid="start-orders"]');
  await shows(popup, '[data-testid="missing-grants"] [data-testid="grant"]');
  await firefox.bidi.click(popup, '[data-testid="missing-grants"] [data-testid="grant"]');
  await expect.poll(() => ask('grants.list', {})).toEqual({ origins: ['http://127.0.0.1/*'] });
  await firefox.bidi.send('browsingContext.close', { context: popup });

  const started = await ask('run.start', { workflowId: 'orders', input: {} });
  if ('refused' in started) throw new Error(JSON.stringify(started.refused));
  const { run, steps } = await ended(started.runId);
  expect(run, JSON.stringify(steps)).toMatchObject({
    status: 'completed',
    output: {
      title: 'Orders',
      rows: [
        { Item: 'Lamp', Count: '2' },
        { Item: 'Chair', Count: '5' },
      ],
    },
  });
  expect(notes).toEqual(['Chair']);
});

test('the event page is ended while an approval waits: the next question starts it again, under the same hash, and it completes', async () => {
  const other = await launchFirefox(FIREFOX_BUILD, { 'extensions.background.idle.timeout': 1000 });
  try {
    const { bidi } = other;
    const tab = await bidi.openTab(other.url('app.html'));
    const send = <K extends RequestName>(name: K, payload: Requests[K]['in']) => ask(name, payload, other, tab);
    await send('workflow.import', { source: ASK, enable: true });
    await send('run.start', { workflowId: 'ask', input: {} });
    await expect.poll(async () => (await send('state.get', {})).approvals.length).toBe(1);
    const [before] = (await send('state.get', {})).approvals as [ApprovalRow];

    const views =
      'browser.extension.getViews().filter((view) => /_generated_background/.test(view.location.href)).map((view) => view.performance.timeOrigin)';
    const [born] = await bidi.evaluate<number[]>(tab, views);
    expect(born).toBeGreaterThan(0);
    // Pages that are open start a new one at once, since they listen to it.
    await expect
      .poll(async () => (await bidi.evaluate<number[]>(tab, views)).includes(born as number), { timeout: 60_000 })
      .toBe(false);

    const [after] = (await send('state.get', {})).approvals;
    expect(after).toEqual(before);
    const { runId, path, hash } = before;
    const command = { type: 'decide', runId, path, hash, decision: 'approved' } as const;
    expect(await send('command.send', { commandId: 'decide', surface: 'app', command })).toMatchObject({ ok: true });
    await expect
      .poll(async () => (await send('run.get', { runId }))?.run, { timeout: 30_000 })
      .toMatchObject({ status: 'completed', output: { total: 5, by: 'person' } });
  } finally {
    await other.close();
  }
});
