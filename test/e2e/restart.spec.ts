import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXTENSION_ID } from '../../src/cli/browser/extension-id.ts';
import { until } from '../../src/cli/browser/page.ts';
import { FINAL_RUN, type RunStatus } from '../../src/model/run.ts';
import { CHROMIUM_BUILD } from '../support/extension.ts';
import { sampleOf } from '../support/matrix.ts';
import type { Product } from '../support/product.ts';
import { randomOf } from '../support/random.ts';
import { expect, expectSent, linesOf, SUSPICIOUS, test } from '../support/sample.ts';

/** The example workflow over ends of the browser and of the worker: what was approved is sent once, whatever dies in between. */

test.setTimeout(240_000);

const ENDS: [how: string, end: (product: Product) => Promise<void>][] = [
  ['closed', (product) => product.close()],
  ['killed', (product) => product.kill()],
];

for (const [how, end] of ENDS) {
  test(`the browser is ${how} while the approval waits: it is there again under the same hash, and approved it is sent once`, async ({
    product,
    sample: { site, begin },
  }) => {
    const runId = await begin(product);
    const before = await product.pending(runId, 'gate');
    const lines = linesOf(before);
    expect(lines.map(({ id }) => id)).toEqual(SUSPICIOUS);
    const [lost] = (await product.detail(runId)).run.tabs?.list ?? [];
    expect(lost?.tab).toBe('t1');

    await end(product);
    await product.launch();

    expect(await product.pending(runId, 'gate')).toEqual(before);
    // The run's tab went with the browser, and nothing opens it before there is something to do.
    expect((await product.browser.cdp.targets()).filter(({ url }) => url.startsWith(site.url))).toEqual([]);
    expect(site.log()).toEqual([]);

    await product.decide(before, 'approve');
    const { run } = await product.ended(runId);
    expect(run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
    expectSent(site, lines);
    // The same tab of the run, in this life of the browser.
    expect(run.tabs?.list.map(({ tab }) => tab)).toEqual(['t1']);
    expect(run.tabs?.list[0]?.session).not.toBe(lost?.session);
  });
}

test('the browser is closed while the approval waits, and after the relaunch it is rejected: nothing is sent', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const before = await product.pending(runId, 'gate');
  await product.close();
  await product.launch();
  await product.decide(before, 'reject');
  expect((await product.ended(runId)).run).toMatchObject({ status: 'failed', error: { code: 'approval_rejected' } });
  expect(site.log()).toEqual([]);
});

const STEPS = ['open_line', 'choose', 'write', 'follow_up', 'send', 'sent'];

for (const seed of sampleOf('the worker is stopped while it sends', [1, 2, 3], 1, (one) => `seed ${one}`)) {
  test(`the worker is stopped again and again while it sends (seed ${seed}): each line is sent once`, async ({
    product,
    sample: { site, begin },
  }) => {
    const random = randomOf(seed);
    const runId = await begin(product);
    const approval = await product.pending(runId, 'gate');
    await product.stopWorker();
    expect(await product.pending(runId, 'gate')).toEqual(approval);
    await product.decide(approval, 'approve');

    for (const line of [0, 1, 3]) {
      const path = `send_each[${line}]/${STEPS[Math.floor(random() * STEPS.length)]}`;
      await untilBegun(product, runId, path);
      await sleep(random() * 80);
      await product.stopWorker();
    }
    await goOnToTheEnd(product, runId, site.log);
    expectSent(site, linesOf(approval));
  });
}

/** The page is at work for a while after it has sent, as slow pages are: its click is not over when the site has the message. */
const SLOW_SUBMIT = `addEventListener('submit', () => {
  const end = performance.now() + 1500;
  while (performance.now() < end);
})`;

test('the worker is stopped just as the site has got a message: the person is asked, and no message is sent twice', async ({
  product,
  sample: { site, begin },
}) => {
  const runId = await begin(product);
  const approval = await product.pending(runId, 'gate');
  const session = await product.pageAt(site.url);
  await session.send('Page.enable');
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: SLOW_SUBMIT });
  await product.decide(approval, 'approve');
  const lines = linesOf(approval);
  for (const count of [1, 3]) {
    await until(
      async () => site.log().length >= count,
      () => new Error(`Message ${count} was not sent.`),
      60_000,
    );
    await product.stopWorker();
    const path = `send_each[${count - 1}]/send`;
    // Whether it was clicked is not known, so nothing goes on by itself.
    await product.look(runId, `the question about ${path}`, ({ steps }) =>
      steps.some((step) => step.path === path && step.status === 'waiting' && step.wait?.kind === 'recovery'),
    );
    expectSent(site, lines.slice(0, count));
    await answerRecovery(product, runId, site.log);
  }
  await goOnToTheEnd(product, runId, site.log);
  expectSent(site, lines);
});

test('the build is replaced under the running browser, and by another one at the relaunch: the run, its grants and the id are not disturbed', async ({
  product,
  sample: { site, begin },
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'tabloom-build-'));
  try {
    product.extensionDir = folder;
    await cp(CHROMIUM_BUILD, folder, { recursive: true });
    const runId = await begin(product);
    const approval = await product.pending(runId, 'gate');
    const grants = await product.ask('grants.list', {});

    // As in the middle of a build: nothing is there.
    await rm(folder, { recursive: true });
    await product.stopWorker();
    expect(await product.pending(runId, 'gate')).toEqual(approval);
    const other = await product.page.evaluate<number>("fetch('/page.js').then(({ status }) => status)");
    expect(other).toBe(200);

    await product.close();
    await cp(CHROMIUM_BUILD, folder, { recursive: true });
    await writeFile(join(folder, 'note.txt'), 'another build');
    await product.launch();
    expect(await product.page.evaluate("fetch('/note.txt').then((answer) => answer.text())")).toBe('another build');
    expect(await product.page.evaluate('chrome.runtime.id')).toBe(EXTENSION_ID);
    expect(await product.ask('grants.list', {})).toEqual(grants);
    expect(await product.pending(runId, 'gate')).toEqual(approval);
    await rm(folder, { recursive: true });
    await product.decide(approval, 'approve');
    expect((await product.ended(runId)).run.status).toBe('completed');
    expectSent(site, linesOf(approval));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('the browser is killed with a form half filled in: the form is not sent without what was filled in; retried, it is filled in again and sent once', async ({
  product,
}) => {
  const received: string[] = [];
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/send')) received.push(request.url);
    response
      .setHeader('content-type', 'text/html')
      .end(
        '<!doctype html><form action="/send"><label>Message <input name="message"></label><label><input type="checkbox" name="copy"> Copy</label><button>Send</button></form>',
      );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await product.grant(origin);
    await product.launch();
    const runId = await product.start(`format: tabloom/v1
id: half
name: Half a form
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${origin}/" } }
  - { id: write, type: browser_action, action: fill, arguments: { target: { label: Message }, value: Hello } }
  - { id: gate, type: approval, title: "Send it?", covers: [copy, send], risk: message }
  - { id: copy, type: browser_action, action: check, arguments: { target: { label: Copy } } }
  - { id: send, type: browser_action, action: click, arguments: { target: { role: button, name: Send } } }
`);
    const approval = await product.pending(runId, 'gate');
    await product.kill();
    await product.launch();
    await product.decide(approval, 'approve');
    const { run } = await product.ended(runId);
    expect(received).toEqual([]);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'tab_lost', step: 'send' } });
    // The person retries: the form is filled in again, and sent.
    expect(await product.command({ type: 'retry', runId })).toMatchObject({ ok: true });
    expect((await product.ended(runId)).run).toMatchObject({ status: 'completed' });
    expect(received).toEqual(['/send?message=Hello&copy=on']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

type Log = () => { id: string }[];

/** Waits until a step has begun, or is over. A click that was interrupted waits for a person meanwhile: that holds up everything behind it. */
async function untilBegun(product: Product, runId: string, path: string): Promise<void> {
  const begun = ({ steps }: Awaited<ReturnType<Product['detail']>>) =>
    steps.some((step) => step.path === path && step.attempt > 0) || steps.some(({ wait }) => wait?.kind === 'recovery');
  await product.look(runId, `the begin of ${path}`, begun);
}

/** Answers what the run asks as a person would who looks into the expense system: done when the message is there, else again. */
async function answerRecovery(product: Product, runId: string, log: Log): Promise<void> {
  const { steps, approvals } = await product.detail(runId);
  const asking = steps.find(({ status, wait }) => status === 'waiting' && wait?.kind === 'recovery');
  if (!asking) return;
  expect(asking.stepId).toBe('send');
  const index = Number(/\[(\d+)\]/.exec(asking.path)?.[1]);
  const gate = approvals.find(({ path }) => path === 'gate');
  const line = gate && linesOf(gate)[index];
  const there = log().some(({ id }) => id === line?.id);
  const command = { type: 'recover', runId, path: asking.path, decision: there ? 'done' : 'retry' } as const;
  expect(await product.command(command)).toMatchObject({ ok: true });
}

/** Answers until the run has ended. @returns its status */
async function goOn(product: Product, runId: string, log: Log): Promise<RunStatus> {
  return until(
    async () => {
      await answerRecovery(product, runId, log);
      const { status } = (await product.detail(runId)).run;
      return FINAL_RUN.includes(status) && status;
    },
    () => new Error('The run did not end.'),
    120_000,
  );
}

async function goOnToTheEnd(product: Product, runId: string, log: Log): Promise<void> {
  await goOn(product, runId, log);
  expect((await product.detail(runId)).run).toMatchObject({ status: 'completed', output: { asked: SUSPICIOUS } });
}
