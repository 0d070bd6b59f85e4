import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXTENSION_ID } from '../../src/cli/browser/extension-id.ts';
import { until } from '../../src/cli/browser/page.ts';
import { type Called, callCommand, callTabloom, type Ended } from '../cli/tabloom.ts';
import { readmeCommand } from '../readme-commands.ts';
import { expect, type Product, see, test } from '../support/product.ts';

/** `tabloom doctor` and the Diagnostics page, in a real Chromium with the built extension: in order, and with one thing wrong at a time. */

test.setTimeout(300_000);

const SITE = 'http://127.0.0.1';
const ASK = `format: tabloom/v1
id: visit
name: Visit
inputs: { type: object, properties: { word: { type: string }, url: { type: string } } }
sites: ["${SITE}/*"]
steps:
  - { id: gate, type: approval, title: "Open it?" }
  - { id: open, type: browser_action, action: navigate, arguments: { url: "{{workflow_input.url}}" } }
  - { id: after, type: approval, title: "Seen {{workflow_input.word}}?" }
`;
const WORD = 'planted-input-value';
const QUERY = 'planted-query-value';
const SECRET = 'planted-secret-value';

let server: Server;
let origin: string;
let answerModel: { status: number; body: string } = {
  status: 401,
  body: '{"error":{"message":"wrong key","code":"invalid_api_key"}}',
};
let command: Called | undefined;

test.beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url?.startsWith('/v1'))
      return void response.writeHead(answerModel.status, { 'content-type': 'application/json' }).end(answerModel.body);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Page</title><h1>Page</h1>');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `${SITE}:${(server.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});
test.afterEach(() => {
  // The browser ends with the command that holds its pipes.
  command?.end('SIGKILL');
  command = undefined;
});

interface Result {
  ok: boolean;
  checks: { id: string; state: string; message: string; todo: string | null }[];
}

/** Calls `tabloom doctor --json` on a profile that no browser has open. */
async function doctor(product: Product, ...args: string[]): Promise<{ ended: Ended; result: Result }> {
  command = callTabloom(['doctor', '--json', '--headless', '--profile', product.profileDir, ...args]);
  const ended = await command.ended;
  const last = ended.stdout.trim().split('\n').at(-1) ?? '';
  return { ended, result: JSON.parse(last) as Result };
}

const failedOf = ({ checks }: Result) => checks.filter(({ state }) => state === 'fail').map(({ id }) => id);
const checkOf = ({ checks }: Result, id: string) => checks.find((check) => check.id === id);

type Lines = Record<string, { state: string; text: string }>;

/** Opens the Diagnostics page anew and reads its lines. */
async function lines({ page }: Product): Promise<Lines> {
  await page.evaluate("location.hash = '#/nowhere'");
  await until(
    () => page.evaluate<boolean>('document.querySelector(\'[data-testid="diagnostics"]\') === null'),
    () => new Error('The page stayed.'),
  );
  await page.evaluate("location.hash = '#/settings/diagnostics'");
  await until(
    () =>
      page.evaluate<boolean>(
        'document.querySelector(\'[data-testid="diagnostics"]:not([data-busy]) [data-state]\') !== null',
      ),
    () => new Error('There are no lines.'),
    60_000,
  );
  return page.evaluate<Lines>(
    `Object.fromEntries([...document.querySelectorAll('li[data-testid^="check-"]')].map((line) =>
      [line.dataset.testid.slice(6), { state: line.dataset.state, text: line.innerText }]))`,
  );
}

/** What *Copy report* has put into the clipboard. */
async function copiedReport({ page, browser }: Product): Promise<string> {
  await browser.cdp.send('Browser.grantPermissions', {
    origin: `chrome-extension://${EXTENSION_ID}`,
    permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
  });
  await page.session.send('Page.bringToFront');
  await page.evaluate('document.querySelector(\'[data-testid="copy-report"]\').click()', { gesture: true });
  await see(page, '[data-testid="toast"]');
  return page.evaluate<string>('navigator.clipboard.readText()', { gesture: true });
}

const notOk = (found: Lines) => Object.entries(found).flatMap(([id, { state }]) => (state === 'ok' ? [] : [id]));

/** Changes one row of the extension's database, from a page of its own, behind the engine's back. */
async function forgeEvent({ page }: Product, runId: string, seq: number): Promise<void> {
  await page.evaluate(`new Promise((done, fail) => {
    const open = indexedDB.open('tabloom');
    open.onerror = () => fail(open.error);
    open.onsuccess = () => {
      const transaction = open.result.transaction(['events'], 'readwrite');
      const events = transaction.objectStore('events');
      const get = events.get(${JSON.stringify([runId, seq])});
      get.onsuccess = () => events.put({ ...get.result, data: { ...get.result.data, forged: true } });
      transaction.oncomplete = () => { open.result.close(); done(null); };
      transaction.onabort = () => fail(transaction.error);
    };
  })`);
}

/** Brings the database to a version that this build does not know, as a newer Tabloom would have left it. */
async function writeNewer({ page }: Product): Promise<void> {
  await page.evaluate(`new Promise((done, fail) => {
    const open = indexedDB.open('tabloom', 990);
    open.onerror = () => fail(open.error);
    open.onsuccess = () => { open.result.close(); done(null); };
  })`);
}

test('the command of the README, on a fresh profile: nothing has failed, it says that the profile is temporary, and leaves none behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'tabloom-tmp-'));
  command = callCommand(readmeCommand('npx tabloom doctor'), {
    env: { DISPLAY: '', WAYLAND_DISPLAY: '', TMPDIR: temporary },
  });
  const { status, stdout, stderr } = await command.ended;
  expect(status, `${stdout}${stderr}`).toBe(0);
  const all = stdout.trim().split('\n');
  expect(all.at(-1)).toBe('Nothing has failed.');
  for (const line of all.slice(0, -1)) expect(line).toMatch(/^(✓ ok|! warn) +\w+ +\S/);
  expect(stdout).toContain('temporary profile');
  for (const id of ['launch', 'browser', 'worker', 'store', 'journals', 'sites', 'model', 'alarm', 'runs'])
    expect(stdout).toMatch(new RegExp(`^(✓ ok|! warn) +${id} `, 'm'));
  expect(readdirSync(temporary).filter((name) => name.startsWith('tabloom-'))).toEqual([]);
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
});

test('a run waits and its site is taken away: both are told, and the report holds no input, no address and no secret', async ({
  product,
}) => {
  await product.grant(`${SITE}/*`);
  await product.launch();
  await product.ask('secrets.set', { name: 'crm', value: SECRET });
  const healthy = await lines(product);
  // Nothing is set up yet, and that is all there is to say.
  expect(notOk(healthy)).toEqual(['model']);
  const runId = await product.start(ASK, { word: WORD, url: `${origin}/page?q=${QUERY}` });
  const approval = await product.pending(runId, 'gate');
  const waiting = await lines(product);
  expect(notOk(waiting)).toEqual(['model']);
  expect(waiting.runs?.text).toContain('1 waits for you');
  expect(waiting.alarm?.text).toContain('the wake-up is set');
  expect(waiting.secrets?.text).toContain('1 stored value');

  expect(await product.page.evaluate(`chrome.permissions.remove({ origins: ['${SITE}/*'] })`)).toBe(true);
  const lost = await lines(product);
  expect(lost.sites).toMatchObject({ state: 'warn', text: expect.stringContaining(SITE) });

  await product.decide(approval, 'approve');
  await product.look(runId, 'a wait for the site', ({ run }) => run.waitingFor.includes('permission'));
  const blocked = await lines(product);
  expect(blocked.sites).toMatchObject({ state: 'warn', text: expect.stringContaining(runId) });
  expect(notOk(blocked)).toEqual(['sites', 'model']);

  const report = await copiedReport(product);
  expect(report).toContain(runId);
  expect(report).toMatch(/^! warn +sites /m);
  for (const planted of [WORD, QUERY, SECRET, '127.0.0.1', 'Visit']) expect(report).not.toContain(planted);

  await product.close();
  const { ended, result } = await doctor(product);
  expect(ended.status, ended.stderr).toBe(0);
  expect(result.ok).toBe(true);
  expect(checkOf(result, 'sites')).toMatchObject({ state: 'warn', message: expect.stringContaining(runId) });
  expect(checkOf(result, 'runs')?.message).toContain('1 waits for you');
  for (const planted of [WORD, QUERY, SECRET]) expect(ended.stdout + ended.stderr).not.toContain(planted);
});

test('an event of a journal was changed in the database: page and command name the run and the event', async ({
  product,
}) => {
  await product.launch();
  const source = ASK.replace(/^sites.*\n/m, '').replace(/^ {2}- \{ id: open.*\n/m, '');
  const runId = await product.start(source, { word: WORD });
  await product.pending(runId, 'gate');
  expect((await lines(product)).journals?.state).toBe('ok');
  await forgeEvent(product, runId, 2);
  const found = (await lines(product)).journals;
  expect(found).toMatchObject({ state: 'fail', text: expect.stringContaining(`${runId} is broken at event 2.`) });
  await product.close();

  const { ended, result } = await doctor(product);
  expect(ended.status).toBe(1);
  expect(result.ok).toBe(false);
  expect(failedOf(result)).toEqual(['journals']);
  expect(checkOf(result, 'journals')).toMatchObject({
    message: expect.stringContaining(`${runId} is broken at event 2.`),
    todo: expect.stringContaining('Do not rely'),
  });
});

test('the database was written by a newer version: the popup says so and leads to Diagnostics, and the command ends with 1', async ({
  product,
}) => {
  await product.launch();
  await writeNewer(product);
  await product.stopWorker();
  // A fresh worker, which meets the newer database at its start.
  await product.inPopup(async (popup) => {
    await see(popup, '[data-testid="error"] [data-testid="diagnose"]');
    const shown = await popup.evaluate<string>('document.querySelector(\'[data-testid="error"]\').innerText');
    expect(shown).toContain('newer version of Tabloom');
    expect(shown).toContain('Nothing that is stored is lost');
    // It closes itself under the click.
    await popup.click('[data-testid="diagnose"]').catch(() => undefined);
    await until(
      async () => (await product.browser.cdp.targets()).some(({ url }) => url.endsWith('#/settings/diagnostics')),
      () => new Error('Diagnostics did not open.'),
    );
  });
  const found = await lines(product);
  expect(found.worker).toMatchObject({ state: 'fail', text: expect.stringContaining('newer version') });
  expect(found.store).toMatchObject({ state: 'fail', text: expect.stringContaining('newer version') });
  expect(found.browser).toMatchObject({ state: 'ok' });
  await product.close();

  const { ended, result } = await doctor(product);
  expect(ended.status).toBe(1);
  expect(failedOf(result)).toEqual(['worker', 'store']);
  expect(checkOf(result, 'store')?.todo).toContain('update the extension');
  expect(checkOf(result, 'launch')?.state).toBe('ok');
});

test('no key for the default model, then a key that is refused, then a model that is not there: each is told', async ({
  product,
}) => {
  // As `tabloom run` does for a local model: without it the server would have to send CORS headers.
  await product.grant(`${SITE}/*`);
  await product.launch();
  const account = { id: 'main', provider: 'openai', hasKey: false } as const;
  await product.ask('models.set', { settings: { accounts: [account], names: {}, default: 'main:m' } });
  expect((await lines(product)).model).toMatchObject({ state: 'fail', text: expect.stringContaining('no API key') });

  const local = { ...account, baseUrl: `${origin}/v1` };
  const settings = { accounts: [local], names: {}, default: 'main:m' };
  await product.ask('models.set', { settings, apiKey: SECRET, account: 'main' });
  expect((await lines(product)).model?.state).toBe('ok');
  await product.page.evaluate('document.querySelector(\'[data-testid="test-connection"]\').click()');
  await see(product.page, '[data-testid="check-connection"]');
  const connection = () =>
    product.page.evaluate<string>('document.querySelector(\'[data-testid="check-connection"]\').innerText');
  expect(await connection()).toContain('Check the key');
  expect(await copiedReport(product)).toMatch(/connection .*\(auth_failed 401\)/);
  await product.close();

  answerModel = { status: 404, body: '{"error":{"message":"no such model"}}' };
  const { ended, result } = await doctor(product, '--test-model');
  expect(ended.status).toBe(1);
  expect(failedOf(result)).toEqual(['connection']);
  expect(checkOf(result, 'connection')?.todo).toContain('model’s name');
  expect(ended.stdout + ended.stderr).not.toContain(SECRET);
});

test('the wake-up for what is due was lost: it is told, and that reloading mends it', async ({ product }) => {
  await product.launch();
  const source = ASK.replace(/^sites.*\n/m, '').replace(/^ {2}- \{ id: open.*\n/m, '');
  await product.pending(await product.start(source, { word: WORD }), 'gate');
  expect((await lines(product)).alarm?.state).toBe('ok');
  await product.page.evaluate('chrome.alarms.clearAll()');
  expect((await lines(product)).alarm).toMatchObject({
    state: 'fail',
    text: expect.stringMatching(/no wake-up is set[\s\S]*Reload the extension/),
  });
});

test('the profile is open in another browser: said before anything is started, and that browser goes on', async ({
  product,
}) => {
  await product.launch();
  const { ended, result } = await doctor(product);
  expect(ended.status).toBe(1);
  expect(failedOf(result)).toEqual(['profile']);
  expect(checkOf(result, 'profile')?.message).toContain(`process ${product.browser.process.pid}`);
  expect(checkOf(result, 'launch')).toBeUndefined();
  expect(await product.ask('health.get', {})).toMatchObject({ ready: true });
});
