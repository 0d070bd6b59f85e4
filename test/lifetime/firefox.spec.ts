import { expect, test } from '@playwright/test';
import type { RequestName, Requests, ResponseMessage, RunDetail } from '../../src/app/protocol.ts';
import { FINAL_RUN } from '../../src/model/run.ts';
import { type FirefoxWithExtension, launchFirefox } from '../support/firefox.ts';
import { type LlmServer, startLlmServer } from '../support/llm-server.ts';

/** How long the event page lives in a real Firefox with none of our pages open. Firefox ends it after 30 s without events, as Chromium does. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let firefox: FirefoxWithExtension;
let llm: LlmServer;
/** A page of the extension's origin that has no script, and so wakes nobody: from it the event page can be seen. */
let window: string;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  llm = await startLlmServer();
  llm.allowOrigins();
  firefox = await launchFirefox();
  window = await firefox.bidi.openTab(firefox.url('icon/128.png'));
  await closeWelcome();
});
test.afterAll(async () => {
  await firefox?.close();
  await llm?.close();
});

/** A fresh install opens the app, which would keep the event page at work. */
async function closeWelcome(): Promise<void> {
  const { bidi } = firefox;
  let context: string | undefined;
  await expect
    .poll(
      async () => {
        const tree = await bidi.send<{ contexts: { context: string; url: string }[] }>('browsingContext.getTree', {});
        context = tree.contexts.find(({ url }) => url.startsWith(firefox.url('app.html')))?.context;
        return context;
      },
      { timeout: MINUTE, message: 'the page of the fresh install' },
    )
    .toBeDefined();
  await bidi.send('browsingContext.close', { context });
}

/** Opens a page of the extension, asks, and closes it again. */
async function visit<T>(
  work: (
    ask: <K extends RequestName>(name: K, payload: Requests[K]['in']) => Promise<Requests[K]['out']>,
  ) => Promise<T>,
): Promise<T> {
  const { bidi } = firefox;
  const context = await bidi.openTab(firefox.url('app.html#/runs'));
  try {
    return await work(async (name, payload) => {
      const message = JSON.stringify({ tabloom: 1, name, payload });
      const answer = await bidi.evaluate<ResponseMessage<typeof name> | null>(
        context,
        `browser.runtime.sendMessage(${message})`,
      );
      if (!answer?.ok) throw new Error(`${name}: ${JSON.stringify(answer?.error)}`);
      return answer.value as Requests[typeof name]['out'];
    });
  } finally {
    await bidi.send('browsingContext.close', { context });
  }
}

/** When the present event page was born, in its own clock; none while it is ended. */
function births(): Promise<number[]> {
  return firefox.bidi.evaluate(
    window,
    'browser.extension.getViews().filter((view) => /_generated_background/.test(view.location.href)).map((view) => view.performance.timeOrigin)',
  );
}

async function begin(steps: object[], account: { stream?: boolean } = {}): Promise<string> {
  llm.requests.length = 0;
  return visit(async (ask) => {
    const local = { id: 'local', provider: 'openai-compatible' as const, baseUrl: `${llm.url}/v1`, hasKey: false };
    await ask('models.set', { settings: { accounts: [{ ...local, ...account }], names: {}, default: 'local:slow' } });
    const source = JSON.stringify({ format: 'tabloom/v1', id: 'alone', name: 'Alone', steps });
    await ask('workflow.import', { source, enable: true });
    const started = await ask('run.start', { workflowId: 'alone', input: {} });
    if ('refused' in started) throw new Error(JSON.stringify(started.refused));
    return started.runId;
  });
}

function ended(runId: string): Promise<RunDetail> {
  return visit(async (ask) => {
    let detail: RunDetail | null = null;
    await expect
      .poll(async () => {
        detail = await ask('run.get', { runId });
        return FINAL_RUN.includes(detail?.run.status ?? 'queued');
      })
      .toBe(true);
    return detail as unknown as RunDetail;
  });
}

const asked = (times: number, timeout: number) =>
  expect.poll(() => llm.requests.length, { timeout, intervals: [500] }).toBe(times);

for (const { what, reply, account } of [
  { what: 'streamed over 75 s', reply: { overMs: 75 * SECOND }, account: {} },
  { what: 'in one piece after 75 s', reply: { holdMs: 75 * SECOND }, account: { stream: false } },
]) {
  test(`Firefox, a model's reply ${what}: the event page lives through it, and asks once`, async () => {
    const text = 'a slow word '.repeat(20);
    llm.script({ text, ...reply });
    const runId = await begin([{ id: 'slow', type: 'recipe', prompt: 'Slow', timeout: '4m' }], account);
    await asked(1, MINUTE);
    const [born] = await births();
    expect(born).toBeGreaterThan(0);
    await expect.poll(() => llm.open().now, { timeout: 3 * MINUTE, intervals: [500] }).toBe(0);
    expect(await births()).toEqual([born]);
    const { run, steps } = await ended(runId);
    expect(run, JSON.stringify(steps)).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    expect(steps[0]).toMatchObject({ attempt: 1, output: { text } });
    expect(llm.requests).toHaveLength(1);
  });
}

test('Firefox, a wait of two minutes: the event page is ended, is started in time by the alarm, and goes on', async () => {
  llm.script({ text: 'done' });
  const runId = await begin([
    { id: 'before', type: 'recipe', prompt: 'Before' },
    { id: 'pause', type: 'wait', for: '2m' },
    { id: 'after', type: 'recipe', prompt: 'After' },
  ]);
  await expect.poll(births, { timeout: 75 * SECOND, message: 'the event page is ended' }).toEqual([]);
  await asked(2, 4 * MINUTE);
  const [first, second] = llm.requests;
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2 * MINUTE);
  const { run, steps } = await ended(runId);
  expect(run).toMatchObject({ status: 'completed' });
  expect(steps.find(({ path }) => path === 'pause')?.output).toMatchObject({ wokenBy: 'timer' });
  expect(llm.requests).toHaveLength(2);
});
