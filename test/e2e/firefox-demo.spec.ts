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

/** The stand-in, but each answer takes a while, and it is known how many questions there were and how many are under way. */
interface SlowModel {
  url: string;
  asked(): number;
  open(): number;
  close(): void;
}

async function startSlowModel(slowMs: number): Promise<SlowModel> {
  let asked = 0;
  let open = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    if (request.method === 'POST') {
      asked += 1;
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      await sleep(slowMs);
      if (response.destroyed) return;
    }
    const answer = await fetch(new URL(request.url ?? '/', standIn.url), {
      method: request.method,
      headers: { 'content-type': 'application/json' },
      ...(body === '' ? {} : { body }),
    });
    // A stream has a type of its own, by which it is told from an answer in one piece.
    const type = answer.headers.get('content-type') ?? 'application/json';
    response
      .writeHead(answer.status, { 'content-type': type, 'access-control-allow-origin': '*' })
      .end(await answer.text());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    open: () => open,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Ends the event page once the model is at work on a question after the first `before` ones. */
async function endWhileItThinks(product: FirefoxProduct, model: SlowModel, before: number): Promise<void> {
  await until(
    async () => model.asked() > before && model.open() > 0,
    () => new Error(`The model was asked ${model.asked()} times only.`),
    120_000,
  );
  await product.firefox.endEventPage();
}

test('Firefox ends the event page again and again in mid-run: the run completes, and each line is sent once', async ({
  product,
}) => {
  const model = await startSlowModel(1500);
  try {
    await product.launch();
    await prepare(product, model.url);
    const runId = await start(product);
    for (const before of [0, 5, 9]) {
      await endWhileItThinks(product, model, before);
      // Any question to it wakes it.
      await product.detail(runId);
    }
    const approval = await product.pending(runId);
    expect(await recoveries(product, runId)).toBe(3);
    await product.firefox.endEventPage();
    await product.decide(approval, 'approve', 'popup.html');
    await until(
      async () => site.log().length > 0,
      () => new Error('Nothing was sent.'),
      60_000,
    );
    await product.firefox.endEventPage();
    await untilCompleted(product, runId);
    expectSent(site, linesOf(approval));
  } finally {
    model.close();
  }
});

test('Firefox ends the event page while a model thinks and no page of the extension is open: the alarm wakes it, and the run goes on', async ({
  product,
}) => {
  const model = await startSlowModel(3000);
  try {
    await product.launch();
    await prepare(product, model.url);
    const runId = await start(product);
    await product.closePage();
    await endWhileItThinks(product, model, 0);
    // Twelve lines are to be graded, those that were cut off once more.
    await until(
      async () => model.asked() > 12,
      () => new Error(`The model was asked ${model.asked()} times only.`),
      240_000,
    );
    await product.openPage();
    const approval = await product.pending(runId);
    expect(await recoveries(product, runId)).toBe(1);
    await product.decide(approval, 'approve', 'popup.html');
    await untilCompleted(product, runId);
    expectSent(site, linesOf(approval));
  } finally {
    model.close();
  }
});

async function untilCompleted(product: FirefoxProduct, runId: string): Promise<void> {
  await until(
    async () => {
      await answerRecovery(product, runId);
      return (await product.detail(runId)).run.status === 'completed';
    },
    () => new Error('The run did not complete.'),
    300_000,
  );
}
