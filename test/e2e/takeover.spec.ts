import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CdpSession } from '../../src/cli/browser/cdp.ts';
import { extensionUrl } from '../../src/cli/browser/extension-id.ts';
import { type ExtensionPage, openExtensionPage } from '../../src/cli/browser/extension-page.ts';
import { until } from '../../src/cli/browser/page.ts';
import { click } from '../../src/cli/browser/popup.ts';
import { FINAL_RUN, type RunStatus } from '../../src/model/run.ts';
import type { Product } from '../support/product.ts';
import { expect, expectSent, linesOf, type Sample, SUSPICIOUS, test } from '../support/sample.ts';

/** The extension is reloaded, updated, or pushed aside by a second instance while a run is at work: the run goes on, nothing happens twice. */

test.setTimeout(300_000);

/** Once loaded anew an extension from the command line counts as an unpacked one, and those are switched off outside developer mode. */
test.beforeEach(async ({ product }) => {
  await mkdir(join(product.profileDir, 'Default'), { recursive: true });
  const preferences = { extensions: { ui: { developer_mode: true } } };
  await writeFile(join(product.profileDir, 'Default', 'Preferences'), JSON.stringify(preferences));
});

/** Loads the extension anew by its own word, as an update does. Its pages go with it, so the product's page is opened again. */
async function reload(product: Product): Promise<void> {
  const { cdp } = product.browser;
  const before = await ownPages(product);
  await product.page.evaluate('void setTimeout(() => chrome.runtime.reload(), 50)');
  await until(
    async () => {
      const now = await cdp.targets();
      return before.every(
        (id) => !now.some(({ targetId, url }) => targetId === id && url.startsWith(extensionUrl(''))),
      );
    },
    () => new Error('The pages of the old version are still open.'),
    60_000,
  );
  await product.reopen();
}

/** Ids of the extension's own pages that are open. */
async function ownPages(product: Product): Promise<string[]> {
  const targets = await product.browser.cdp.targets();
  return targets
    .filter(({ type, url }) => url.startsWith(extensionUrl('')) && !type.includes('worker'))
    .map(({ targetId }) => targetId);
}

/** Puts a build with another version where the browser loads the extension from. */
async function putVersion(product: Product, version: string): Promise<void> {
  const place = join(product.profileDir, 'Tabloom Extension');
  const [folder] = await readdir(place);
  const file = join(place, folder as string, 'manifest.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), version }));
}

const alarms = (product: Product) =>
  product.page.evaluate<string[]>('chrome.alarms.getAll().then((all) => all.map(({ name }) => name))');

/** Errors that a page's console gets from now on. */
async function errorsOf(session: CdpSession): Promise<string[]> {
  const errors: string[] = [];
  session.on('Runtime.exceptionThrown', (event) => errors.push(JSON.stringify(event)));
  session.on('Runtime.consoleAPICalled', (event) => {
    if (event.type === 'error') errors.push(JSON.stringify(event));
  });
  session.on('Log.entryAdded', (event) => {
    if ((event.entry as { level: string }).level === 'error') errors.push(JSON.stringify(event));
  });
  await session.send('Runtime.enable');
  await session.send('Log.enable');
  errors.length = 0;
  return errors;
}

/**
 * Lets the run come to its end, answering what it asks as a person would who looks into the expense system.
 * @returns its status
 */
async function goOn(product: Product, runId: string, site: Sample['site']): Promise<RunStatus> {
  return until(
    async () => {
      const { run, steps, approvals } = await product.detail(runId);
      const asking = steps.find(({ status, wait }) => status === 'waiting' && wait?.kind === 'recovery');
      const gate = approvals.find(({ path }) => path === 'gate');
      if (asking && gate) {
        expect(asking.stepId).toBe('send');
        const line = linesOf(gate)[Number(/\[(\d+)\]/.exec(asking.path)?.[1])];
        const decision = site.log().some(({ id }) => id === line?.id) ? 'done' : 'retry';
        await product.command({ type: 'recover', runId, path: asking.path, decision });
      }
      return FINAL_RUN.includes(run.status) && run.status;
    },
    () => new Error('The run did not end.'),
    120_000,
  );
}

async function goOnToTheEnd(product: Product, runId: string, site: Sample['site']): Promise<void> {
  await goOn(product, runId, site);
  expect((await product.detail(runId)).run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
}

async function untilSending(product: Product, runId: string, line: number): Promise<void> {
  await product.look(runId, `line ${line}`, ({ steps }) =>
    steps.some(({ path, attempt }) => path.startsWith(`send_each[${line}]/`) && attempt > 0),
  );
}

test('the extension is reloaded while it reads and while the approval waits: the approval is the same, each line is sent once', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  await product.look(runId, 'the reading', ({ steps }) => steps.some(({ attempt }) => attempt > 0));
  await reload(product);
  const approval = await product.pending(runId, 'gate');
  await reload(product);
  expect(await product.pending(runId, 'gate')).toEqual(approval);
  expect(await alarms(product)).toContain('tabloom.due');
  await product.decide(approval, 'approve');
  await goOnToTheEnd(product, runId, site);
  expectSent(site, linesOf(approval));
});

test('the extension is reloaded while it fills and sends: no line is sent twice or otherwise than approved, and the run says how far it came', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  await product.decide(approval, 'approve');
  await untilSending(product, runId, 1);
  await reload(product);
  // The mark of this life of the browser goes with the extension, so its tabs count as new: what was filled in is not trusted.
  const status = await goOn(product, runId, site);
  const sent = site.log().length;
  expectSent(site, linesOf(approval).slice(0, sent));
  if (status === 'completed') expect(sent).toBe(SUSPICIOUS.length);
  else expect((await product.detail(runId)).run.error?.code).toBe('tab_lost');
  expect(sent).toBeGreaterThanOrEqual(1);
});

test('a newer version is put in place and loaded in mid-run: the run goes on under it, the page it drove stays quiet, and a new run works there', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  const { version } = await product.ask('health.get', {});
  const panel = await openExtensionPage(product.browser.cdp, 'sidepanel.html');
  const popup = await openExtensionPage(product.browser.cdp, 'popup.html');
  const driven = await product.pageAt(site.url);
  const errors = await errorsOf(driven);

  await putVersion(product, '9.9.9');
  await reload(product);
  expect(await product.ask('health.get', {})).toMatchObject({ version: '9.9.9', ready: true, unfinished: 1 });
  expect(version).not.toBe('9.9.9');
  // The surfaces of the old version were closed by the browser: nobody decides on what they showed.
  const open = await ownPages(product);
  expect(open).not.toContain(panel.targetId);
  expect(open).not.toContain(popup.targetId);
  expect(await product.pending(runId, 'gate')).toEqual(approval);
  expect(await alarms(product)).toContain('tabloom.due');

  // The page is used by hand while the old page script is still in it.
  await driven.send('Page.bringToFront');
  await click(driven, 'body');
  await product.decide(approval, 'approve');
  await untilSending(product, runId, 0);
  await goOnToTheEnd(product, runId, site);
  expectSent(site, linesOf(approval));

  const again = await product.ask('run.start', {
    workflowId: 'expense-review',
    input: { url: `${site.url}/expenses` },
  });
  if ('refused' in again) throw new Error(JSON.stringify(again.refused));
  await product.decide(await product.pending(again.runId, 'gate'), 'reject');
  expect((await product.ended(again.runId)).run.error?.code).toBe('approval_rejected');
  expect(errors).toEqual([]);
  expectSent(site, linesOf(approval));
});

test('the browser is killed while the approval waits, and starts again with a newer version: the run goes on under it', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  await product.kill();
  await putVersion(product, '9.9.9');
  product.extensionDir = join(
    product.profileDir,
    'Tabloom Extension',
    (await readdir(join(product.profileDir, 'Tabloom Extension')))[0] as string,
  );
  await product.launch();
  expect((await product.ask('health.get', {})).version).toBe('9.9.9');
  expect(await product.pending(runId, 'gate')).toEqual(approval);
  await product.decide(approval, 'approve');
  await goOnToTheEnd(product, runId, site);
  expect((await product.detail(runId)).run.output).toMatchObject({ asked: SUSPICIOUS });
  expectSent(site, linesOf(approval));
});

/** Stands for a second background instance: takes the engine's lock away by force, and holds it until its page is closed. */
async function steal(page: ExtensionPage): Promise<void> {
  await page.evaluate(
    "new Promise((held) => navigator.locks.request('tabloom-engine', { steal: true }, () => { held(); return new Promise(() => {}); }))",
  );
}

test('another instance takes the lock away in mid-run and goes again: the engine stops meanwhile, then goes on, and each line is sent once', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  const other = await openExtensionPage(product.browser.cdp, 'popup.html', { background: true });
  await product.decide(approval, 'approve');
  await untilSending(product, runId, 0);
  await steal(other);
  await until(
    async () => !(await product.ask('health.get', {})).ready,
    () => new Error('The engine goes on without the lock.'),
  );
  const standing = site.log().length;
  await other.evaluate('new Promise((done) => setTimeout(done, 3000))');
  // A click that was on its way may have arrived; nothing new was begun.
  expect(site.log().length).toBeLessThanOrEqual(standing + 1);
  expect(site.log().length).toBeLessThan(SUSPICIOUS.length);
  await other.close();
  await goOnToTheEnd(product, runId, site);
  expectSent(site, linesOf(approval));
});
