import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserContext, Page } from '@playwright/test';
import { chromium, expect, test } from '@playwright/test';
import { build } from 'vite';
import { requireChromium } from '../../src/cli/browser/find.ts';
import type { storePage } from '../contract/page.ts';
import { storeContract } from '../contract/store.suite.ts';
import { vaultContract } from '../contract/vault.suite.ts';
import { findFirefox } from '../support/firefox.ts';

/** Contracts, migration and vault on the IndexedDB of a real Chromium, in a page from localhost; contracts in Firefox too. */

declare global {
  var storeTest: { storePage: typeof storePage };
}

/** In Firefox, which is not driven but only started, the page runs all by itself and sends what failed. */
const RUN_ALL = `<script>
  storeTest.storePage.runAll().catch((error) => [String(error)])
    .then((failures) => fetch('/report', { method: 'POST', body: JSON.stringify(failures) }));
</script>`;

let report: (failures: string[]) => void = () => undefined;
let folder: string;
let server: Server;
let origin: string;
let context: BrowserContext;
let page: Page;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabloom-stores-'));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: join(folder, 'page'),
      minify: false,
      lib: {
        entry: resolve(import.meta.dirname, '../contract/page.ts'),
        formats: ['iife'],
        name: 'storeTest',
        fileName: () => 'page.js',
      },
    },
  });
  const script = await readFile(join(folder, 'page', 'page.js'));
  server = createServer((request, response) => {
    if (request.url === '/report') {
      let text = '';
      request.on('data', (part) => (text += part));
      request.on('end', () => {
        response.end();
        report(JSON.parse(text) as string[]);
      });
      return;
    }
    const isScript = request.url === '/page.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    const page = '<!doctype html><meta charset="utf-8"><title>stores</title><script src="/page.js"></script>';
    response.end(isScript ? script : request.url === '/all' ? page + RUN_ALL : page);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  // A profile on disk: the in-memory one of a fresh context stores Blobs and keys in another way.
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: requireChromium().path,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  page = await openPage();
});

test.afterAll(async () => {
  await context?.close();
  server?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(origin);
  return opened;
}

const unused = (): never => {
  throw new Error('the cases run in the page');
};
// Only the names are used here.
for (const { name } of [...storeContract('dexie', unused), ...vaultContract('vault', unused)]) {
  test(`chromium, ${name}`, async () => {
    expect(await page.evaluate((which) => storeTest.storePage.runCase(which), name)).toBeUndefined();
  });
}

test('a secret: another page of the profile reveals it, its key cannot be read out, its value is not on disk', async () => {
  await page.evaluate(() => storeTest.storePage.setSecret('crm', 'correct horse'));
  const other = await openPage();
  const { stored, value, extractable } = await other.evaluate(() => storeTest.storePage.readSecret('crm'));
  expect(value).toBe('correct horse');
  expect(extractable).toBe(false);
  expect(stored).not.toContain([...Buffer.from('correct')].join());
  await other.close();
});

test('a page that is torn down in the middle of an upgrade of 200 workflows: the next one opens them whole', async () => {
  await page.evaluate(() => storeTest.storePage.seedOlder());
  const upgrading = await openPage();
  void upgrading.evaluate(() => storeTest.storePage.openUpgraded(true)).catch(() => undefined);
  await upgrading.waitForFunction(() => (globalThis as { upgrading?: boolean }).upgrading);
  await upgrading.close();
  expect(await page.evaluate(() => storeTest.storePage.layoutOf())).toBe('old');
  expect(await page.evaluate(() => storeTest.storePage.openUpgraded())).toBe('new');
});

test('another page opens a newer version: this one lets it, and refuses everything from then on', async () => {
  expect(await page.evaluate(() => storeTest.storePage.writeHeld(1))).toBeUndefined();
  const newer = await openPage();
  await newer.evaluate(() => storeTest.storePage.upgradeHeld());
  expect(await page.evaluate(() => storeTest.storePage.writeHeld(2))).toMatch(
    /updated or deleted by another page of Tabloom; reload/,
  );
  await newer.close();
});

test('firefox: every case of the store and the vault', async () => {
  const firefox = findFirefox();
  if (!firefox) throw new Error('Install firefox-esr: the store must hold in Firefox too.');
  const reported = new Promise<string[]>((resolve) => {
    report = resolve;
  });
  const profile = join(folder, 'firefox');
  await mkdir(profile);
  await writeFile(join(profile, 'user.js'), 'user_pref("browser.shell.checkDefaultBrowser", false);\n');
  const child = spawn(firefox as string, ['--headless', '--no-remote', '--profile', profile, `${origin}all`], {
    stdio: 'ignore',
  });
  try {
    expect(await reported).toEqual([]);
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await gone;
  }
});

test('800 steps, one after another, strictly, and all at once: every one is written, in order; what each costs is noted', async () => {
  const { written, cost } = await page.evaluate(() => storeTest.storePage.measure(200));
  test.info().annotations.push({ type: 'milliseconds a step', description: JSON.stringify(cost) });
  if (process.env.TABLOOM_MEASURE) console.log(cost);
  expect(written).toEqual(Array.from({ length: 800 }, (_, index) => index + 1));
});
