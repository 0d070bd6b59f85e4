import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, chromium, expect, type Page, test } from '@playwright/test';
import { build } from 'vite';
import { requireChromium } from '../../src/cli/browser/find.ts';
import type { CommandResult } from '../../src/model/commands.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import type { enginePage } from '../contract/engine-page.ts';

/** Two engines, each in a page of its own, on one IndexedDB of a real Chromium, with no lock between them; effects counted by a server. */

declare global {
  var engineTest: { enginePage: typeof enginePage };
}

test.setTimeout(180_000);

const ITEMS = 15;
/** A question, then one act after another that must not be done twice. */
const DEFINITION: WorkflowDefinition = {
  format: 'tabloom/v1',
  id: 'sends',
  name: 'Sends',
  sites: ['https://app.example/*'],
  steps: [
    { id: 'ok', type: 'approval', title: 'Send?' },
    {
      id: 'each',
      type: 'loop',
      over: Array.from({ length: ITEMS }, (_, n) => n),
      steps: [
        {
          id: 'send',
          type: 'browser_action',
          action: 'click',
          arguments: { target: { text: 'Go' } },
          timeout: '5s',
        },
      ],
    },
  ],
} as unknown as WorkflowDefinition;

let folder: string;
let server: Server;
let origin: string;
let context: BrowserContext;
let effects: string[] = [];

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabloom-engines-'));
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: join(folder, 'page'),
      minify: false,
      lib: {
        entry: resolve(import.meta.dirname, '../contract/engine-page.ts'),
        formats: ['iife'],
        name: 'engineTest',
        fileName: () => 'page.js',
      },
    },
  });
  const script = await readFile(join(folder, 'page', 'page.js'));
  server = createServer((request, response) => {
    if (request.url === '/page.js') return void response.setHeader('content-type', 'text/javascript').end(script);
    if (request.url !== '/effect')
      return void response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><script src="/page.js"></script>');
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      effects.push((JSON.parse(text) as { path: string }).path);
      // Done at once, and answered late: the time in which an engine can lose the run.
      setTimeout(() => response.setHeader('content-type', 'application/json').end('{}'), 60);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

test.beforeEach(async ({ browserName: _ }, info) => {
  effects = [];
  context = await chromium.launchPersistentContext(join(folder, `profile-${info.testId}-${info.repeatEachIndex}`), {
    executablePath: requireChromium().path,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
});
test.afterEach(() => context?.close());
test.afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function openEngine(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(origin);
  return page;
}

const start = (page: Page) => page.evaluate<string>(`engineTest.enginePage.start(${JSON.stringify(DEFINITION)})`);

const look = (page: Page, runId: string) => page.evaluate((id) => engineTest.enginePage.look(id), runId);
type Look = Awaited<ReturnType<typeof look>>;

async function until(page: Page, runId: string, what: string, check: (now: Look) => unknown): Promise<Look> {
  let last: Look | undefined;
  await expect
    .poll(
      async () => {
        last = await look(page, runId);
        return Boolean(await check(last));
      },
      { timeout: 90_000, message: what },
    )
    .toBe(true);
  return last as Look;
}

function decide(page: Page, { runId, path, hash }: Look['approvals'][number], yes: boolean, by: string) {
  const command = { type: 'decide', runId, path, hash, decision: yes ? 'approved' : 'rejected' } as const;
  const call = `engineTest.enginePage.send(${JSON.stringify(command)}, ${JSON.stringify(by)})`;
  return page.evaluate<CommandResult>(call);
}

/** Answers each open question as somebody does who looks at the server: done where the act arrived, else again. */
async function answerAll(page: Page, runId: string): Promise<void> {
  const { steps } = await look(page, runId);
  for (const { path, status, wait } of steps) {
    if (status !== 'waiting' || wait?.kind !== 'recovery') continue;
    // What the other engine had begun has arrived by then, or never will.
    await sleep(1000);
    const command = { type: 'recover', runId, path, decision: effects.includes(path) ? 'done' : 'retry' } as const;
    await page.evaluate<CommandResult>(`engineTest.enginePage.send(${JSON.stringify(command)}, 'person')`);
  }
}

async function goToTheEnd(page: Page, runId: string): Promise<Look> {
  return until(page, runId, 'the end', async ({ run }) => {
    await answerAll(page, runId);
    return run?.status === 'completed';
  });
}

const ALL = Array.from({ length: ITEMS }, (_, n) => `each[${n}]/send`);

test('both engines hold the run, one is told yes and the other no at the same moment: one decision, each act once', async () => {
  const [one, other] = [await openEngine(), await openEngine()];
  const runId = await start(one);
  const { approvals } = await until(one, runId, 'the question', ({ approvals: rows }) => rows.length === 1);
  await other.evaluate(() => engineTest.enginePage.recover());
  const [approval] = approvals as [Look['approvals'][number]];
  const results = await Promise.all([decide(one, approval, true, 'anna'), decide(other, approval, false, 'bert')]);
  const winner = results.findIndex(({ ok }) => ok);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results[1 - winner]).toMatchObject({
    code: 'already_decided',
    message: expect.stringContaining(winner === 0 ? 'approved by anna' : 'rejected by bert'),
  });
  const end = await until(one, runId, 'the end', ({ run }) => ['completed', 'failed'].includes(run?.status ?? ''));
  expect(end.fault).toBeUndefined();
  expect(effects).toEqual(winner === 0 ? ALL : []);
});

test('a second engine starts while the first is at work: one of them steps back and stays quiet, and each act is done once', async () => {
  const [one, other] = [await openEngine(), await openEngine()];
  const runId = await start(one);
  const { approvals } = await until(one, runId, 'the question', ({ approvals: rows }) => rows.length === 1);
  await decide(one, approvals[0] as Look['approvals'][number], true, 'anna');
  await expect.poll(() => effects.length, { timeout: 30_000 }).toBeGreaterThan(2);
  await other.evaluate(() => engineTest.enginePage.recover());
  const end = await goToTheEnd(other, runId);
  expect(end.fault).toBeUndefined();
  expect(effects).toEqual(ALL);
  const first = await until(one, runId, 'the first engine to be quiet', (now) => now.inFlight === 0);
  const second = await until(other, runId, 'the second engine to be quiet', (now) => now.inFlight === 0);
  // One may have looked at the run again while that stood still, but none takes it for one at work.
  expect([...first.active, ...second.active]).not.toContain('running');
  // The newcomer clashes where the other has written between its look and its first word; else the other clashes with what it had in flight.
  expect([...first.faults, ...second.faults]).toContain(`Run ${runId} is driven by another engine.`);
});

test('the page of the engine that drives is closed: the one that had stepped back takes the run up, and each act is done once', async () => {
  const [one, other] = [await openEngine(), await openEngine()];
  const runId = await start(one);
  const { approvals } = await until(one, runId, 'the question', ({ approvals: rows }) => rows.length === 1);
  await other.evaluate(() => engineTest.enginePage.recover());
  const [approval] = approvals as [Look['approvals'][number]];
  await decide(one, approval, true, 'anna');
  // Clashes, and is fenced off from then on.
  expect(await decide(other, approval, false, 'bert')).toMatchObject({ ok: false, code: 'already_decided' });
  await expect.poll(() => effects.length, { timeout: 30_000 }).toBeGreaterThan(2);
  await one.close();
  const end = await goToTheEnd(other, runId);
  expect(end.fault).toBeUndefined();
  expect(effects).toEqual(ALL);
});
