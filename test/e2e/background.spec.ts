import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestName, Requests, ResponseMessage } from '../../src/app/protocol.ts';
import { openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { type Extension, expect, test } from '../support/extension.ts';
import { test as launcherTest } from '../support/extension-launch.ts';

/** The background in a real Chromium: its messages, and what it remembers when the worker is stopped. */

const ASK = `format: tabloom/v1
id: ask
name: Ask first
steps:
  - { id: sum, type: deterministic_command, operation: list.sum, arguments: { items: [2, 3] } }
  - { id: gate, type: approval, title: "Send {{step.sum}}?", message: Look, risk: reversible }
output: { total: "{{step.sum}}", by: "{{step.gate.by}}" }
`;

/** Asks the background through a page of the extension, and insists on an answer. */
async function ask<K extends RequestName>(
  extension: Extension,
  name: K,
  payload: Requests[K]['in'],
): Promise<Requests[K]['out']> {
  const answer = await extension.send<ResponseMessage<K> | undefined>({ tabloom: 1, name, payload });
  if (!answer) throw new Error(`${name} was not answered`);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.code} ${answer.error.message}`);
  return answer.value;
}

async function start(extension: Extension): Promise<string> {
  const imported = await ask(extension, 'workflow.import', { source: ASK, enable: true });
  expect(imported).toMatchObject({ workflowId: 'ask', enabled: true, problems: [] });
  const answer = await ask(extension, 'run.start', { workflowId: 'ask', input: {} });
  if (!('runId' in answer)) throw new Error(answer.refused.message);
  await expect.poll(async () => (await ask(extension, 'state.get', {})).approvals.length).toBe(1);
  return answer.runId;
}

async function approve(extension: Extension, hash: string): Promise<void> {
  const [pending] = (await ask(extension, 'state.get', {})).approvals;
  if (!pending) throw new Error('there is nothing to approve');
  const command = {
    type: 'decide' as const,
    runId: pending.runId,
    path: pending.path,
    hash,
    decision: 'approved' as const,
  };
  expect(await ask(extension, 'command.send', { commandId: `decide-${hash}`, surface: 'app', command })).toMatchObject({
    ok: true,
  });
}

async function statusOf(extension: Extension, runId: string): Promise<string | undefined> {
  return (await ask(extension, 'run.get', { runId }))?.run.status;
}

test('imported, started, shown, approved: completed', async ({ extension }) => {
  const runId = await start(extension);
  const state = await ask(extension, 'state.get', {});
  // Headless nobody reads a welcome page, and it would take the focus from what is driven.
  expect(extension.context.pages().filter((each) => each.url().includes('welcome'))).toEqual([]);
  expect(state).toMatchObject({
    stopped: false,
    live: [{ runId, status: 'waiting', waitingFor: ['approval'] }],
    approvals: [{ title: 'Send 5?', workflowName: 'Ask first' }],
  });
  const page = await extension.open('app.html');
  await expect.poll(() => page.evaluate(() => chrome.action.getBadgeText({}))).toBe('1');
  await approve(extension, state.approvals[0]?.hash ?? '');
  await expect.poll(() => statusOf(extension, runId)).toBe('completed');
  expect((await ask(extension, 'run.get', { runId }))?.run.output).toEqual({ total: 5, by: 'person' });
  await expect.poll(() => page.evaluate(() => chrome.action.getBadgeText({}))).toBe('');
});

test('the worker is stopped while an approval waits: still there under the same hash, its alarm too, and approved it completes', async ({
  extension,
}) => {
  const runId = await start(extension);
  const [before] = (await ask(extension, 'state.get', {})).approvals;
  const page = await extension.open('app.html');
  const boots = await page.evaluate(() =>
    chrome.runtime
      .getContexts({ contextTypes: ['BACKGROUND' as never] })
      .then((all) => all.map(({ contextId }) => contextId)),
  );
  await extension.stopWorker();
  const [after] = (await ask(extension, 'state.get', {})).approvals;
  const now = await page.evaluate(() =>
    chrome.runtime
      .getContexts({ contextTypes: ['BACKGROUND' as never] })
      .then((all) => all.map(({ contextId }) => contextId)),
  );
  expect(now).not.toEqual(boots);
  expect(after).toEqual(before);
  await expect
    .poll(() => page.evaluate(() => chrome.alarms.get('tabloom.due').then((alarm) => alarm?.scheduledTime)))
    .toBe(before?.expiresAt);
  await approve(extension, before?.hash ?? '');
  await expect.poll(() => statusOf(extension, runId)).toBe('completed');
});

test('the browser is ended while an approval waits: after the relaunch it is there and its alarm is set again', async ({
  extension,
}) => {
  const runId = await start(extension);
  const [before] = (await ask(extension, 'state.get', {})).approvals;
  await extension.relaunch();
  const [after] = (await ask(extension, 'state.get', {})).approvals;
  expect(after).toEqual(before);
  const page = await extension.open('app.html');
  await expect
    .poll(() => page.evaluate(() => chrome.alarms.get('tabloom.due').then((alarm) => alarm?.scheduledTime)))
    .toBe(before?.expiresAt);
  await approve(extension, before?.hash ?? '');
  await expect.poll(() => statusOf(extension, runId)).toBe('completed');
});

test('a page of the extension is told of commits by the update port', async ({ extension }) => {
  const page = await extension.open('app.html');
  await page.evaluate(() => {
    const told: unknown[] = [];
    Object.assign(globalThis, { told });
    chrome.runtime.connect({ name: 'tabloom.updates' }).onMessage.addListener((message) => told.push(message));
  });
  const runId = await start(extension);
  await expect
    .poll(() => page.evaluate(() => JSON.stringify((globalThis as unknown as { told: unknown[] }).told)))
    .toContain(`"runId":"${runId}"`);
});

test.describe('a web page with a script of ours in it', () => {
  let server: Server;
  let site: string;
  test.beforeAll(async () => {
    server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>a site</title><p>hello');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  test.afterAll(() => server.close());

  test('asks for the state, stops everything, opens the update port: no answer, nothing done', async ({
    extension,
  }) => {
    await extension.grant(site);
    const runId = await start(extension);
    const page = await extension.context.newPage();
    await page.goto(site);
    const opener = await extension.open('app.html');
    // Runs as a content script, which has the extension's id and may send messages.
    const answers = await opener.evaluate(async (address) => {
      const tabs = await chrome.tabs.query({ url: `${address}/*` });
      const [found] = await chrome.scripting.executeScript({
        target: { tabId: tabs[0]?.id ?? -1 },
        func: async () => {
          const send = (name: string, payload: object) =>
            chrome.runtime.sendMessage({ tabloom: 1, name, payload }).then(
              (answer) => answer ?? null,
              () => null,
            );
          const port = chrome.runtime.connect({ name: 'tabloom.updates' });
          const closed = new Promise((done) => port.onDisconnect.addListener(() => done('closed')));
          return [await send('state.get', {}), await send('engine.stopAll', { lift: false }), await closed];
        },
      });
      return found?.result;
    }, site);
    expect(answers).toEqual([null, null, 'closed']);
    expect(await ask(extension, 'state.get', {})).toMatchObject({
      stopped: false,
      live: [{ runId, status: 'waiting' }],
    });
  });
});

test.describe('a profile that grants one port of a host', () => {
  test.use({ seededOrigins: ['http://127.0.0.1:8237'] });

  test('it is enough for a site without a port, and another port is missing', async ({ extension }) => {
    expect(await ask(extension, 'grants.list', {})).toEqual({ origins: ['http://127.0.0.1:8237/*'] });
    const sites = [
      'http://127.0.0.1/*',
      'http://127.0.0.1:8237/*',
      'http://127.0.0.1:8238/*',
      'https://*.example.com/*',
    ];
    expect(await ask(extension, 'grants.missing', { sites })).toEqual({
      origins: ['http://127.0.0.1:8238', 'https://*.example.com'],
    });
  });
});

// Without Playwright: a debugger that is attached would keep the worker alive.
launcherTest(
  'nothing is at work and no page is open: the worker ends by itself, and a page wakes it',
  async ({ launcher }) => {
    launcherTest.setTimeout(120_000);
    const { cdp } = await launcher.launch();
    const page = await openExtensionPage(cdp);
    const send = (name: string, payload: object) =>
      page.sendMessage<{ ok: boolean; value: { approvals: { hash: string }[] } }>({ tabloom: 1, name, payload });
    await send('workflow.import', { source: ASK, enable: true });
    await send('run.start', { workflowId: 'ask', input: {} });
    const hash = (await send('state.get', {})).value.approvals[0]?.hash;
    await page.close();
    const alive = async () => (await cdp.targets()).some(({ type }) => type === 'service_worker');
    await expect.poll(alive, { timeout: 60_000, intervals: [1000] }).toBe(false);
    const again = await openExtensionPage(cdp);
    const state = await again.sendMessage<{ ok: boolean; value: { approvals: { hash: string }[] } }>({
      tabloom: 1,
      name: 'state.get',
      payload: {},
    });
    expect(state.value.approvals[0]?.hash).toBe(hash);
  },
);
