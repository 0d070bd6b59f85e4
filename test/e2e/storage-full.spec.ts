import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extensionUrl } from '../../src/cli/browser/extension-id.ts';
import { until } from '../../src/cli/browser/page.ts';
import { fileOf } from '../support/bad-input.ts';
import { type BadSite, startBadSite } from '../support/bad-site.ts';
import { CHROMIUM_BUILD } from '../support/extension.ts';
import { test as base, expect, type Product, see } from '../support/product.ts';

/**
 * A browser that has no room left: Chromium's own quota, in the worker of the built extension. `unlimitedStorage` lifts every quota (measured in
 * Chromium 156), so the copy that runs here has the same code and a manifest without that one permission. A full disk then ends in the same error.
 */
const test = base.extend<{ site: BadSite; limited: Product }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants a pattern
  site: async ({}, use) => {
    const site = await startBadSite();
    await use(site);
    await site.close();
  },
  limited: async ({ product }, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'tabloom-limited-'));
    await cp(CHROMIUM_BUILD, dir, { recursive: true });
    const file = join(dir, 'manifest.json');
    const manifest = JSON.parse(await readFile(file, 'utf8')) as { permissions: string[] };
    const permissions = manifest.permissions.filter((name) => name !== 'unlimitedStorage');
    await writeFile(file, JSON.stringify({ ...manifest, permissions }));
    product.extensionDir = dir;
    await product.grant('http://127.0.0.1/*');
    await product.launch();
    await use(product);
    await product.kill();
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  },
});
test.setTimeout(240_000);

/**
 * Leaves the extension no room, or all that there is again. Chromium asks for the quota anew only when what it last allotted has aged, which takes
 * half a minute: so long a write may still succeed.
 */
async function room(product: Product, left: 'none' | 'all'): Promise<void> {
  const origin = extensionUrl('').replace(/\/$/, '');
  const { session } = product.page;
  await session.send('Storage.overrideQuotaForOrigin', left === 'none' ? { origin, quotaSize: 1 } : { origin });
  const wanted = left === 'none' ? 'refused' : 'stored';
  await until(
    async () => {
      const text = String(Math.random());
      const answer = await product.ask('draft.set', { key: 'room', text }).then(
        () => 'stored',
        () => 'refused',
      );
      return answer === wanted;
    },
    () => new Error(`Writes were not ${wanted}.`),
    90_000,
  );
}

/** A run that waits in its click until the page has the button, over three acts on one page. */
const steps = (site: BadSite, id: string): string[] => [
  `{ id: open, type: browser_action, action: navigate, arguments: { url: "${site.url(id, 'empty')}" } }`,
  '{ id: send, type: browser_action, action: click, timeout: 5m, arguments: { target: { role: button, name: Send } } }',
  '{ id: thanks, type: browser_action, action: extract, timeout: 20s, arguments: { target: { role: heading }, as: text } }',
];

async function begin(product: Product, site: BadSite, id: string): Promise<string> {
  const runId = await product.start(fileOf(id, [`${site.origin}/*`], steps(site, id)));
  await product.look(runId, 'the click at work', ({ steps: rows }) =>
    rows.some(({ path, status }) => path === 'send' && status === 'running'),
  );
  return runId;
}

/** Brings the button: the click that is waiting for it clicks. */
async function letClick(product: Product, site: BadSite, id: string, runId: string): Promise<void> {
  site.mend(id);
  const { run } = await product.detail(runId);
  await product.page.evaluate(`chrome.tabs.reload(${run.tabs?.list[0]?.browserTabId}).then(() => null)`);
  await until(
    () => Promise.resolve(site.sent(id).length > 0),
    () => new Error('Nothing was sent.'),
    60_000,
  );
}

/** What the toolbar button says. */
const badge = (product: Product): Promise<string[]> =>
  product.page.evaluate('Promise.all([chrome.action.getBadgeText({}), chrome.action.getTitle({})])');

const untilFull = (product: Product) =>
  until(
    async () => (await product.ask('health.get', {})).storage?.full,
    () => new Error('The lack of room was not noticed.'),
    60_000,
  );

test('no room for the result of a click: popup, badge and health say so; with room again the run goes on by itself, and it was sent once', async ({
  limited,
  site,
}) => {
  const runId = await begin(limited, site, 'result');
  await room(limited, 'none');
  await letClick(limited, site, 'result', runId);
  await untilFull(limited);

  // What is shown is what is stored: the click is still at work.
  const { run, steps: rows, storage } = await limited.detail(runId);
  expect(run.status).toBe('running');
  expect(rows.find(({ path }) => path === 'send')?.status).toBe('running');
  expect(rows.some(({ path, status }) => path === 'thanks' && status !== 'pending')).toBe(false);
  expect(storage?.message).toMatch(/no room left.*free disk space/);
  expect(await badge(limited)).toEqual(['!', expect.stringContaining('No room left to store anything')]);
  await limited.inPopup(async (popup) => {
    await see(popup, '[data-testid="storage-fault"]');
    const text = await popup.evaluate<string>('document.querySelector(\'[data-testid="storage-fault"]\').innerText');
    expect(text).toContain('Free disk space; runs then go on by themselves.');
  });
  // Nothing else can be done meanwhile, and that is said too; nothing of it is half there.
  await expect(
    limited.ask('workflow.import', { source: fileOf('other', [], ['{ id: w, type: wait, for: 1s }']) }),
  ).rejects.toThrow(/no room left/);
  expect((await limited.ask('state.get', {})).workflows.map(({ workflowId }) => workflowId)).toEqual(['result']);
  const start = await limited.ask('run.start', { workflowId: 'result', input: {} });
  expect(start).toMatchObject({ refused: { message: expect.stringMatching(/not started.*no room left/) } });

  await room(limited, 'all');
  const ended = await limited.ended(runId);
  expect(ended.run).toMatchObject({ status: 'completed' });
  expect(ended.steps.map(({ path, status, attempt }) => [path, status, attempt])).toEqual([
    ['open', 'completed', 1],
    ['send', 'completed', 1],
    ['thanks', 'completed', 1],
  ]);
  expect(site.sent('result')).toHaveLength(1);
  expect((await limited.ask('health.get', {})).storage).toBeNull();
  expect((await badge(limited))[0]).toBe('');
  expect((await limited.ask('state.get', {})).history).toHaveLength(1);
});

test('no room for the intent of a click: it is not clicked before there is', async ({ limited, site }) => {
  const flow = [
    `{ id: open, type: browser_action, action: navigate, arguments: { url: "${site.url('intent', 'plain')}" } }`,
    '{ id: pause, type: wait, signal: go }',
    '{ id: send, type: browser_action, action: click, arguments: { target: { role: button, name: Send } } }',
  ];
  const runId = await limited.start(fileOf('intent', [`${site.origin}/*`], flow));
  await limited.look(runId, 'the wait', ({ run }) => run.waitingFor.includes('signal'));
  await room(limited, 'none');
  // The signal itself cannot be kept: its sender is told so, and nothing happens later that was said not to.
  await expect(limited.command({ type: 'signal', runId, name: 'go' })).rejects.toThrow(/no room left/);
  await untilFull(limited);
  expect(site.sent('intent')).toEqual([]);
  await room(limited, 'all');
  expect((await limited.detail(runId)).run.waitingFor).toEqual(['signal']);
  expect(site.sent('intent')).toEqual([]);
  expect(await limited.command({ type: 'signal', runId, name: 'go' })).toMatchObject({ ok: true });
  expect((await limited.ended(runId)).run.status).toBe('completed');
  expect(site.sent('intent')).toHaveLength(1);
});

test('the worker dies with the result of a click that could not be stored: a person is asked what happened, and it is not repeated', async ({
  limited,
  site,
}) => {
  const runId = await begin(limited, site, 'lost');
  await room(limited, 'none');
  await letClick(limited, site, 'lost', runId);
  await untilFull(limited);
  await limited.stopWorker();
  await room(limited, 'all');
  await limited.look(runId, 'the question', ({ run }) => run.waitingFor.includes('recovery'));
  expect(site.sent('lost')).toHaveLength(1);
  expect(await limited.command({ type: 'recover', runId, path: 'send', decision: 'done', output: {} })).toMatchObject({
    ok: true,
  });
  expect((await limited.ended(runId)).run.status).toBe('completed');
  expect(site.sent('lost')).toHaveLength(1);
});

test('the database is deleted by another page of the extension: the popup says what to do, and the next life begins anew', async ({
  limited,
  site,
}) => {
  const runId = await begin(limited, site, 'deleted');
  expect(
    await limited.page.evaluate(
      "new Promise((done) => { const asked = indexedDB.deleteDatabase('tabloom'); asked.onsuccess = () => done('deleted'); asked.onblocked = () => done('blocked'); asked.onerror = () => done('error'); })",
    ),
  ).toBe('deleted');
  const refused = await limited.ask('run.get', { runId }).catch((error: Error) => error.message);
  expect(refused).toMatch(/updated or deleted by another page of Tabloom; reload/);
  await limited.inPopup(async (popup) => {
    await see(popup, '[data-testid="error"]');
    expect(await popup.evaluate<string>('document.body.innerText')).toMatch(/reload/);
  });
  expect((await limited.ask('health.get', {})).storage?.message).toMatch(/reload/);
  await limited.stopWorker();
  await until(
    async () => (await limited.ask('health.get', {})).ready,
    () => new Error('The background did not come back.'),
  );
  expect((await limited.ask('state.get', {})).live).toEqual([]);
  expect(site.sent('deleted')).toEqual([]);
});
