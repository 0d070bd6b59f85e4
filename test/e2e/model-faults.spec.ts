import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { RunDetail } from '../../src/app/protocol.ts';
import type { ModelAccount, ModelProvider } from '../../src/model/model-settings.ts';
import { faults, type LlmReply, type LlmRequest, type LlmServer, startLlmServer } from '../support/llm-server.ts';
import { Product, see } from '../support/product.ts';

/**
 * Everything that a model's server can do wrong, in the real product: what the server is asked, and when; how the run ends; the sentence in
 * the popup; and that a retry, once the fault is mended, goes on without doing again what was done.
 */

test.setTimeout(240_000);

const GOOD: LlmReply = { text: '{"score": 1}' };
const SCHEMA = { type: 'object', required: ['score'], properties: { score: { type: 'number' } } };
/** Attempts are close together, so that what a server asks for is what is seen. */
const RETRY = { maxAttempts: 3, delay: '100ms', backoff: 'none', jitter: false };

let product: Product;
let llm: LlmServer;
let profileDir: string;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  profileDir = await mkdtemp(join(tmpdir(), 'tabloom-faults-'));
  llm = await startLlmServer();
  product = new Product(profileDir);
  await product.grant(llm.url);
  await product.launch();
});
test.afterAll(async () => {
  await product?.kill();
  await llm?.close();
  await rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
});
test.beforeEach(() => {
  llm.requests.length = 0;
  llm.choose(() => undefined);
});

const textOf = ({ body }: LlmRequest) => JSON.stringify(body);
/** Requests of one step, in order. */
const askedBy = (step: string) => llm.requests.filter((request) => textOf(request).includes(`This is ${step}.`));
const gaps = (requests: LlmRequest[]) => requests.slice(1).map(({ at }, i) => at - (requests[i]?.at ?? 0));

/** Sets one account, under the name that the workflows use. */
async function useModel(
  provider: ModelProvider = 'openai-compatible',
  account: Partial<ModelAccount> = {},
): Promise<void> {
  const baseUrl = `${llm.url}/${provider === 'google' ? 'v1beta' : 'v1'}`;
  const settings = {
    accounts: [{ id: 'main', provider, baseUrl, hasKey: true, ...account }],
    names: { fast: 'main:test-model' },
  };
  await product.ask('models.set', {
    settings: { ...settings, default: 'fast' },
    apiKey: 'sk-test-0123456789',
    account: 'main',
  });
}

/** Starts a run of a step that works, the step that meets the fault, and one that uses what it gives. */
async function start(id: string, step: object = {}, more: object = {}): Promise<string> {
  llm.choose((request) => (textOf(request).includes('This is first.') ? { text: 'one' } : undefined));
  const steps = [
    { id: 'first', type: 'recipe', prompt: 'This is first.' },
    { id: 'ask', type: 'recipe', prompt: 'This is ask.', outputSchema: SCHEMA, retry: RETRY, ...step },
    { id: 'last', type: 'deterministic_command', operation: 'identity', arguments: { value: '{{step.ask.score}}' } },
  ];
  const output = { score: '{{step.last}}' };
  return product.start(JSON.stringify({ format: 'tabloom/v1', id, name: `Fault ${id}`, steps, output, ...more }));
}

/** What the real popup says of the run that failed, and a click on its retry. */
async function retryInPopup(runId: string): Promise<string> {
  const row = `[data-testid="failed-run"][data-run="${runId}"]`;
  return product.inPopup(async (popup) => {
    await see(popup, `${row} [data-testid="failed-why"]`);
    const why = await popup.evaluate<string>(`document.querySelector('${row} [data-testid="failed-why"]').innerText`);
    await popup.click(`${row} [data-testid="retry-failed"]`);
    await product.look(runId, 'its retry', ({ run }) => run.status !== 'failed' || undefined).catch(() => undefined);
    return why;
  });
}

/** Waits until the run has come to another end than the failure that is known. */
async function endedAgain(runId: string): Promise<RunDetail> {
  await expect.poll(async () => (await product.detail(runId)).run.status, { timeout: 60_000 }).toBe('completed');
  return product.detail(runId);
}

interface Fault {
  name: string;
  replies: LlmReply[];
  provider?: ModelProvider;
  step?: object;
  workflow?: object;
  /** How often the step asks. */
  asks: number;
  code: string;
  /** What to do, in the words of the popup. */
  advice: RegExp;
}

const FATAL: Fault[] = [
  {
    name: '429 for ever',
    replies: [faults.rateLimitedSeconds(0)],
    asks: 3,
    code: 'rate_limited',
    advice: /wait a moment, or raise its limit/,
  },
  {
    name: '429 with a Retry-After past the timeout of the workflow',
    replies: [faults.rateLimitedSeconds(3600)],
    workflow: { timeout: '1m' },
    asks: 1,
    code: 'rate_limited',
    advice: /wait a moment, or raise its limit/,
  },
  {
    name: '500 for ever',
    replies: [faults.serverError(500)],
    asks: 3,
    code: 'provider_unavailable',
    advice: /try again later/,
  },
  {
    name: '503 for ever',
    replies: [faults.serverError(503)],
    asks: 3,
    code: 'provider_unavailable',
    advice: /try again later/,
  },
  {
    name: '401',
    replies: [faults.badKey()],
    asks: 1,
    code: 'auth_failed',
    advice: /put a valid key .* into Settings, Models/,
  },
  {
    name: '402',
    replies: [faults.noCredit()],
    asks: 1,
    code: 'quota_exceeded',
    advice: /add credit .* or choose another model/,
  },
  {
    name: '403 of a server on this machine',
    replies: [{ status: 403, body: '' }],
    asks: 1,
    code: 'auth_failed',
    advice: /allow its origin in the server's CORS setting/,
  },
  {
    name: '404',
    replies: [{ status: 404, code: 'model_not_found', message: 'no such model' }],
    asks: 1,
    code: 'bad_request',
    advice: /check the model's name and the address in Settings, Models/,
  },
  {
    name: '400',
    replies: [faults.badRequest()],
    asks: 1,
    code: 'bad_request',
    advice: /correct the step or the model's settings/,
  },
  {
    name: 'the content filter',
    replies: [faults.filtered()],
    asks: 1,
    code: 'content_blocked',
    advice: /change the text that is sent/,
  },
  {
    name: 'prose for ever',
    replies: [faults.prose()],
    asks: 3,
    code: 'output_invalid',
    advice: /ask in the prompt for JSON only, or choose a model that can/,
  },
  {
    name: 'empty answers for ever',
    replies: [faults.empty()],
    asks: 3,
    code: 'output_invalid',
    advice: /make the prompt clearer/,
  },
  {
    name: 'an answer cut at the token limit',
    replies: [faults.truncated('{"sco')],
    asks: 3,
    code: 'output_invalid',
    advice: /raise maxTokens/,
  },
  {
    name: 'a stream cut in half, for ever',
    replies: [{ ...GOOD, cutAfter: 2 }],
    asks: 3,
    code: 'network',
    advice: /try again, or check the connection/,
  },
  {
    name: 'a stream that ends in the middle, for ever',
    replies: [{ ...GOOD, endAfter: 2 }],
    asks: 3,
    code: 'network',
    advice: /try again, or check the connection/,
  },
  {
    name: 'a first byte after 40 s, beyond the timeout of the step',
    replies: [{ ...GOOD, holdMs: 40_000 }],
    step: { timeout: '1s', retry: { ...RETRY, maxAttempts: 2 } },
    asks: 2,
    code: 'timeout',
    advice: /or raise its timeout: it took longer than 1 s/,
  },
  {
    name: 'a web page with status 200',
    replies: [{ raw: '<!doctype html><h1>Sign in to the network</h1>', contentType: 'text/html' }],
    asks: 3,
    code: 'provider_unavailable',
    advice: /try again; if it stays so, check that \S+ is the address of its API/,
  },
  {
    name: '529 of Anthropic',
    provider: 'anthropic',
    replies: [faults.serverError(529)],
    asks: 3,
    code: 'provider_unavailable',
    advice: /try again later/,
  },
  {
    name: '401 of Google',
    provider: 'google',
    replies: [faults.badKey()],
    asks: 1,
    code: 'auth_failed',
    advice: /put a valid key/,
  },
  {
    name: 'a stream of Anthropic cut in half',
    provider: 'anthropic',
    replies: [{ ...GOOD, cutAfter: 3 }],
    asks: 3,
    code: 'network',
    advice: /try again, or check the connection/,
  },
];

FATAL.forEach(({ name, replies, provider, step, workflow, asks, code, advice }, i) => {
  test(`${name}: the run fails with ${code} and says what to do; mended, a retry in the popup completes it`, async () => {
    await useModel(provider);
    llm.script(...replies);
    const runId = await start(`fatal-${i}`, step, workflow);
    const { run } = await product.ended(runId);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code, step: 'ask', message: expect.stringMatching(advice) },
    });
    expect(askedBy('ask')).toHaveLength(asks);
    // What was given up is not left hanging at the server.
    await expect.poll(() => llm.open().now).toBe(0);

    llm.script(GOOD);
    const sentence = await retryInPopup(runId);
    expect(sentence).toBe(run.error?.message);
    const again = await endedAgain(runId);
    expect(again.run.output).toEqual({ score: 1 });
    expect(askedBy('first')).toHaveLength(1);
    expect(askedBy('ask')).toHaveLength(asks + 1);
  });
});

interface Passing {
  name: string;
  replies(): LlmReply[];
  step?: object;
  asks: number;
  /** At least so many milliseconds between the first request and the second. */
  gap?: number;
}

const PASSING: Passing[] = [
  { name: '429 with Retry-After in seconds', replies: () => [faults.rateLimitedSeconds(2), GOOD], asks: 2, gap: 2000 },
  {
    name: '503 with Retry-After',
    replies: () => [{ status: 503, headers: { 'retry-after': '1' } }, GOOD],
    asks: 2,
    gap: 1000,
  },
  { name: '500 twice', replies: () => [faults.serverError(500), faults.serverError(500), GOOD], asks: 3, gap: 100 },
  { name: 'a stream cut in half once', replies: () => [{ ...GOOD, cutAfter: 2 }, GOOD], asks: 2, gap: 100 },
  { name: 'an empty answer once', replies: () => [faults.empty(), GOOD], asks: 2 },
  { name: 'a web page once', replies: () => [{ raw: '<html></html>', contentType: 'text/html' }, GOOD], asks: 2 },
  {
    name: 'a late first byte, within the timeout of the step',
    replies: () => [{ ...GOOD, holdMs: 2000 }],
    step: { timeout: '30s' },
    asks: 1,
  },
];

PASSING.forEach(({ name, replies, step, asks, gap }, i) => {
  test(`${name}: the step gets over it by itself`, async () => {
    await useModel();
    llm.script(...replies());
    const { run, steps } = await product.ended(await start(`passing-${i}`, step));
    expect(run, JSON.stringify(steps)).toMatchObject({ status: 'completed', output: { score: 1 } });
    expect(askedBy('ask')).toHaveLength(asks);
    if (gap !== undefined) expect(gaps(askedBy('ask'))[0]).toBeGreaterThanOrEqual(gap);
    expect(askedBy('first')).toHaveLength(1);
  });
});

test('429 with Retry-After as a date: nothing is asked before that moment', async () => {
  await useModel();
  const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 5000);
  llm.script(faults.rateLimitedDate(date.toUTCString()), GOOD);
  const { run } = await product.ended(await start('dated'));
  expect(run.status).toBe('completed');
  const [first, second] = askedBy('ask');
  // On a machine at its limits the first request may come too late for the date to matter; then nothing would be proved.
  expect(first?.at).toBeLessThan(date.getTime());
  expect(second?.at).toBeGreaterThanOrEqual(date.getTime());
});

test('prose instead of JSON, once: the model is shown its answer and what was wrong, and both answers are paid for', async () => {
  await useModel();
  llm.script(faults.prose(), GOOD);
  const { run, steps } = await product.ended(await start('repair'));
  expect(run).toMatchObject({
    status: 'completed',
    output: { score: 1 },
    usage: { inputTokens: 33, outputTokens: 21 },
  });
  const [, repair] = askedBy('ask');
  expect(repair?.body.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(JSON.stringify(repair?.body.messages)).toContain('the reply is not valid JSON');
  const asked = steps.find(({ path }) => path === 'ask');
  expect(asked?.attempts.map(({ error }) => error?.code)).toEqual(['output_invalid', undefined]);
});

test('the responses API: the answer is shown while it is written, a repair round fits, and nothing is kept there', async () => {
  await useModel('openai', { api: 'responses' });
  llm.script(faults.prose(), { text: '{"score": 1}', overMs: 4000 });
  const runId = await start('responses');
  const writing = async () => {
    const { texts } = await product.ask('writing.get', { runId });
    return texts.find(({ path, attempt }) => path === 'ask' && attempt === 2)?.text ?? 'nothing';
  };
  await expect.poll(writing, { timeout: 60_000, intervals: [50] }).toMatch(/^\{"sco/);
  const { run, steps } = await product.ended(runId);
  expect(run, JSON.stringify(steps)).toMatchObject({
    status: 'completed',
    output: { score: 1 },
    usage: { inputTokens: 33, outputTokens: 21 },
  });
  expect(llm.requests.every(({ path, body }) => path === '/v1/responses' && body.store === false)).toBe(true);
  expect((await product.ask('writing.get', { runId })).texts).toEqual([]);
});

test('an answer of more than a million characters: refused by its size, and the browser lives on', async () => {
  await useModel();
  llm.script({ text: 'x'.repeat(1_200_000) });
  const { run } = await product.ended(await start('huge', { outputSchema: undefined }));
  expect(run).toMatchObject({ status: 'failed', error: { code: 'output_too_large' } });
  expect(askedBy('ask')).toHaveLength(1);
});

test('the test of a model, from the real worker: what is wrong, and what the server has instead', async () => {
  await useModel();
  llm.script({ status: 404, message: 'no such model' });
  llm.offer('test-model-2', 'other');
  const test = await product.ask('models.test', {});
  expect(test).toMatchObject({
    ok: false,
    status: 404,
    message: expect.stringContaining('It has test-model-2, other.'),
  });

  // Not granted, and it says nothing of other origins: its answers are kept from the extension.
  const foreign = await startLlmServer({ text: 'ready' });
  await useModel('openai-compatible', { baseUrl: `${foreign.url}/v1` });
  const kept = await product.ask('models.test', {});
  expect(kept).toMatchObject({ ok: false, code: 'network', origin: foreign.url });
  expect(kept.message).toMatch(/answers, but does not let this extension read its answers \(CORS\)/);
  await foreign.close();
  expect((await product.ask('models.test', {})).message).toMatch(/^No answer from .*start the local model server/);
});

test('nobody listens at the address: the run fails with network; once the server is there, a retry completes it', async () => {
  await useModel();
  llm.script(GOOD);
  await llm.stop();
  const runId = await start('refused');
  const { run } = await product.ended(runId);
  // The first step has the default retries; it is the one that meets the fault.
  expect(run).toMatchObject({ status: 'failed', error: { code: 'network', step: 'first' } });
  expect(run.error?.message).toMatch(/start the local model server/);
  await llm.restart();
  expect(await retryInPopup(runId)).toBe(run.error?.message);
  expect((await endedAgain(runId)).run.output).toEqual({ score: 1 });
});

test('the server goes away in mid-run and comes back while the step tries again: the run completes, nothing is done twice', async () => {
  await useModel();
  llm.script(GOOD);
  const source = {
    steps: [
      { id: 'first', type: 'recipe', prompt: 'This is first.' },
      { id: 'gate', type: 'approval', title: 'Go on?' },
      {
        id: 'ask',
        type: 'recipe',
        prompt: 'This is ask.',
        outputSchema: SCHEMA,
        retry: { ...RETRY, maxAttempts: 20, delay: '1s' },
      },
    ],
    output: '{{step.ask}}',
  };
  const runId = await product.start(JSON.stringify({ format: 'tabloom/v1', id: 'gone', name: 'Gone', ...source }));
  const approval = await product.pending(runId);
  await llm.stop();
  await product.decide(approval, 'approve');
  await product.look(runId, 'a failed attempt', ({ steps }) =>
    steps.some(({ path, attempts }) => path === 'ask' && attempts.some(({ error }) => error?.code === 'network')),
  );
  await llm.restart();
  expect((await product.ended(runId)).run).toMatchObject({ status: 'completed', output: { score: 1 } });
  expect(askedBy('first')).toHaveLength(1);
  expect(askedBy('ask')).toHaveLength(1);
});

const NO_KEY = {
  accounts: [{ id: 'hosted', provider: 'openai' as const, hasKey: false }],
  names: { fast: 'hosted:gpt' },
  default: 'fast',
};

test('no key: a start is refused and says what to do in the popup too; with a model that has one, it runs', async () => {
  await product.ask('models.set', { settings: NO_KEY, apiKey: '', account: 'hosted' });
  llm.script(GOOD);
  const source = { steps: [{ id: 'ask', type: 'recipe', prompt: 'This is ask.' }] };
  await product.ask('workflow.import', {
    source: JSON.stringify({ format: 'tabloom/v1', id: 'keyless', name: 'Keyless', ...source }),
    enable: true,
  });
  const refused = await product.ask('run.start', { workflowId: 'keyless', input: {} });
  expect(refused).toMatchObject({ refused: { problems: [{ code: 'model_not_configured' }] } });
  await product.inPopup(async (popup) => {
    await popup.click('[data-testid="start-keyless"]');
    await popup.click('[data-testid="submit-keyless"]');
    // It is asked before anything else whether texts may go to a host outside.
    await popup.click('[data-testid="allow-consent"]');
    await expect
      .poll(() => popup.evaluate<string>(`document.querySelector('[data-workflow="keyless"]').innerText`))
      .toMatch(/No model is ready: add an account with its key, and a default model, in Settings, Models\./);
  });
  expect(llm.requests).toHaveLength(0);

  await useModel();
  const started = await product.ask('run.start', { workflowId: 'keyless', input: {} });
  if ('refused' in started) throw new Error(JSON.stringify(started.refused));
  expect((await product.ended(started.runId)).run.status).toBe('completed');
});

test('the key is taken away in mid-run: auth_failed that says so, nothing is sent; given again, a retry completes the run', async () => {
  await useModel();
  llm.script(GOOD);
  const steps = [
    { id: 'first', type: 'recipe', prompt: 'This is first.' },
    { id: 'gate', type: 'approval', title: 'Go on?' },
    { id: 'ask', type: 'recipe', prompt: 'This is ask.', outputSchema: SCHEMA },
  ];
  const runId = await product.start(
    JSON.stringify({ format: 'tabloom/v1', id: 'lost-key', name: 'Lost key', steps, output: '{{step.ask}}' }),
  );
  const approval = await product.pending(runId);
  await product.ask('models.set', { settings: NO_KEY, apiKey: '', account: 'hosted' });
  await product.decide(approval, 'approve');
  const { run } = await product.ended(runId);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'auth_failed', step: 'ask' } });
  expect(run.error?.message).toMatch(/has no API key: add one in Settings, Models/);
  await useModel();
  expect(await retryInPopup(runId)).toBe(run.error?.message);
  expect((await endedAgain(runId)).run.output).toEqual({ score: 1 });
  expect(askedBy('first')).toHaveLength(1);
  expect(askedBy('ask')).toHaveLength(1);
});
