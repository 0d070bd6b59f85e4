import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../src/cli/browser/page.ts';
import { withModel } from '../../src/cli/run/model.ts';
import { type SampleSite, startSampleSite } from '../../src/examples/site/server.ts';
import { STAND_IN_MODEL, type StandIn, startStandIn } from '../../src/examples/stand-in/server.ts';
import { expect, type FirefoxProduct, test } from '../support/firefox-product.ts';
import { expectSent, linesOf, SUSPICIOUS } from '../support/sample.ts';

/** The demo in a real Firefox: the shipped example on the sample site, its approval decided by real clicks, judged by the site's own log. */

test.setTimeout(360_000);

const WORKFLOW = readFileSync(resolve(import.meta.dirname, '../../src/examples/expense-review.yaml'), 'utf8');

let site: SampleSite;
let standIn: StandIn;
test.beforeEach(async () => {
  site = await startSampleSite();
  standIn = await startStandIn({ log: () => undefined });
});
test.afterEach(async () => {
  await standIn?.close();
  await site?.close();
});

/** Imports the example, grants its sites by a click and sets the model. */
async function prepare(product: FirefoxProduct, baseUrl = standIn.url): Promise<void> {
  const imported = await product.ask('workflow.import', { source: WORKFLOW, enable: true });
  if ('refused' in imported) throw new Error(JSON.stringify(imported.refused));
  expect(await product.ask('grants.list', {})).toEqual({ origins: [] });
  await product.grantByClick('expense-review');
  await expect
    .poll(async () => (await product.ask('grants.list', {})).origins.sort(), { timeout: 30_000 })
    .toEqual(['http://127.0.0.1/*', 'http://localhost/*']);
  const model = { provider: 'openai-compatible', model: STAND_IN_MODEL, baseUrl } as const;
  await product.ask('models.set', { settings: withModel(await product.ask('models.get', {}), model) });
}

/** @returns the run's id */
async function begin(product: FirefoxProduct): Promise<string> {
  await prepare(product);
  return start(product);
}

function start(product: FirefoxProduct): Promise<string> {
  return product.start('expense-review', { url: `${site.url}/expenses` });
}

test('the demo on Firefox: approved by a click in the popup page, each line is sent exactly once, and the table is kept', async ({
  product,
}) => {
  await product.launch();
  const runId = await begin(product);
  const approval = await product.pending(runId);
  const lines = linesOf(approval);
  expect(lines.map(({ id }) => id)).toEqual(SUSPICIOUS);
  expect(site.log()).toEqual([]);
  await product.decide(approval, 'approve', 'popup.html');

  const { run, steps, artifacts } = await product.ended(runId);
  expect(run).toMatchObject({ status: 'completed', output: { checked: 12, suspicious: 5, asked: SUSPICIOUS } });
  expect(steps.find(({ path }) => path === 'gate')).toMatchObject({ output: { decision: 'approved', by: 'person' } });
  expect(run.usage.inputTokens).toBeGreaterThan(0);
  expectSent(site, lines);

  const table = artifacts.find(({ name }) => name === 'expense-review.csv');
  const kept = await product.ask('artifact.get', { artifactId: table?.artifactId ?? '' });
  const csv = Buffer.from(kept?.base64 ?? '', 'base64').toString('utf8');
  expect(csv.charCodeAt(0)).toBe(0xfeff);
  const rows = csv.slice(1).trim().split(/\r?\n/);
  expect(rows).toHaveLength(13);
  expect(rows.filter((row) => row.endsWith(',yes')).map((row) => row.slice(0, 4))).toEqual(SUSPICIOUS);
});

test('the demo on Firefox: rejected by a click in the sidebar page, nothing is sent', async ({ product }) => {
  await product.launch();
  const runId = await begin(product);
  await product.decide(await product.pending(runId), 'reject', 'sidepanel.html');
  expect((await product.ended(runId)).run).toMatchObject({ status: 'failed', error: { code: 'approval_rejected' } });
  expect(site.log()).toEqual([]);
});

test('Firefox is killed while the approval waits: after the relaunch it is there under the same hash, and approved it is sent once', async ({
  product,
}) => {
  await product.launch();
  const runId = await begin(product);
  const before = await product.pending(runId);
  const grants = await product.ask('grants.list', {});
  await product.kill();
  await product.launch();
  expect(await product.pending(runId)).toEqual(before);
  expect(await product.ask('grants.list', {})).toEqual(grants);
  expect(site.log()).toEqual([]);
  await product.decide(before, 'approve', 'popup.html');
  const { run } = await product.ended(runId);
  expect(run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
  expectSent(site, linesOf(before));
});

/** Answers what the run asks as a person would who looks into the expense system: done when the message is there, else again. */
async function answerRecovery(product: FirefoxProduct, runId: string): Promise<void> {
  const { steps, approvals } = await product.detail(runId);
  const asking = steps.find(({ status, wait }) => status === 'waiting' && wait?.kind === 'recovery');
  const gate = approvals.find(({ path }) => path === 'gate');
  if (!asking || !gate) return;
  expect(asking.stepId).toBe('send');
  const line = linesOf(gate)[Number(/\[(\d+)\]/.exec(asking.path)?.[1])];
  const there = site.log().some(({ id }) => id === line?.id);
  await product.command({ type: 'recover', runId, path: asking.path, decision: there ? 'done' : 'retry' });
}

/** How often a run was taken up again with work cut off, by its journal. */
async function recoveries(product: FirefoxProduct, runId: string): Promise<number> {
  const { events } = await product.ask('run.events', { runId });
  return events.filter(({ type }) => type === 'run.recovered').length;
}

test('Firefox ends the event page again and again in mid-run: the run completes, and each line is sent once', async ({
  product,
}) => {
  await product.launch();
  await prepare(product);
  await product.close();
  await product.launch({ 'extensions.background.idle.timeout': 700 });
  const runId = await start(product);
  const approval = await product.pending(runId);
  const reading = await recoveries(product, runId);
  await product.decide(approval, 'approve', 'popup.html');
  await untilCompleted(product, runId);
  expect(await recoveries(product, runId)).toBeGreaterThan(reading);
  expectSent(site, linesOf(approval));
});

/** How often the slow model lets somebody wait, and for how long: longer than an idle event page lives. */
const SLOW_CALLS = 2;
const SLOW_MS = 8000;

test('Firefox ends the event page while a model thinks and no page of the extension is open: the alarm wakes it, and the run goes on', async ({
  product,
}) => {
  let calls = 0;
  const slow = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    if (request.method === 'POST') calls += 1;
    if (request.method === 'POST' && calls <= SLOW_CALLS) await sleep(SLOW_MS);
    const answer = await fetch(new URL(request.url ?? '/', standIn.url), {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    // A stream has a type of its own, by which it is told from an answer in one piece.
    const type = answer.headers.get('content-type') ?? 'application/json';
    const headers = { 'content-type': type, 'access-control-allow-origin': '*' };
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
  try {
    await product.launch();
    await prepare(product, `http://127.0.0.1:${(slow.address() as AddressInfo).port}/v1`);
    await product.close();
    await product.launch({ 'extensions.background.idle.timeout': 2000 });
    const runId = await start(product);
    await product.closePage();
    // Twelve lines are to be graded, those that were cut off once more.
    await until(
      async () => {
        await sleep(1000);
        return calls > 12;
      },
      () => new Error(`The model was asked ${calls} times only.`),
      240_000,
    );
    await product.openPage();
    const approval = await product.pending(runId);
    expect(await recoveries(product, runId)).toBeGreaterThan(0);
    await product.decide(approval, 'approve', 'popup.html');
    await untilCompleted(product, runId);
    expectSent(site, linesOf(approval));
  } finally {
    slow.closeAllConnections();
    slow.close();
  }
});

async function untilCompleted(product: FirefoxProduct, runId: string): Promise<void> {
  await until(
    async () => {
      await answerRecovery(product, runId);
      return (await product.detail(runId)).run.status === 'completed';
    },
    () => new Error('The run did not complete.'),
    180_000,
  );
}
