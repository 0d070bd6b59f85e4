import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import { workflow } from '../../support/engine.ts';
import { faults, type LlmReply, type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { type Asked, ModelWorld } from '../../support/model-world.ts';
import { ENDPOINTS, type Endpoint, settingsAt, TEST_KEY } from '../../support/providers.ts';

/**
 * What a model's server can do wrong, in each wire format, streamed and in one piece: the error code, how often and when it is asked again,
 * and the sentence that the person reads. On the real engine with a virtual clock, the real adapter and a real server.
 */

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

const SCHEMA = { type: 'object', required: ['score'], properties: { score: { type: 'number' } } };
const GOOD = '{"score": 1}';
const RETRY = { maxAttempts: 3, delay: '100ms', backoff: 'none', jitter: false };

function grade(endpoint: Endpoint, stream: boolean, step: JsonObject = {}): Promise<Asked> {
  const settings = settingsAt(endpoint, server.url, stream ? {} : { stream });
  const ask = { id: 'ask', type: 'recipe', prompt: 'Grade it.', outputSchema: SCHEMA, retry: RETRY, ...step };
  return new ModelWorld(settings).ask(workflow([ask as JsonObject]));
}

/** Milliseconds of virtual time between one request and the next. */
const gaps = (at: readonly number[]) => at.slice(1).map((time, i) => time - (at[i] ?? 0));

interface Fault {
  name: string;
  reply: LlmReply;
  code: string;
  says: RegExp;
  /** Milliseconds before each further attempt; none where it is not asked again. */
  waits: number[];
  /** Only where this holds. */
  only?: 'stream' | 'whole';
}

const AGAIN = [100, 100];
const FAULTS: Fault[] = [
  {
    name: '429 without Retry-After',
    reply: { status: 429 },
    code: 'rate_limited',
    says: /"main" is asked too often.*: wait a moment, or raise its limit at the provider\.$/,
    waits: AGAIN,
  },
  {
    name: '429 with Retry-After in seconds',
    reply: faults.rateLimitedSeconds(5),
    code: 'rate_limited',
    says: /wait a moment/,
    waits: [5000, 5000],
  },
  {
    name: '429 with Retry-After as a date, which is past at the third attempt',
    reply: faults.rateLimitedDate('Thu, 01 Jan 2026 00:00:20 GMT'),
    code: 'rate_limited',
    says: /wait a moment/,
    waits: [20_000, 100],
  },
  {
    name: '429 with a Retry-After that nobody can read',
    reply: { status: 429, headers: { 'retry-after': 'soon' } },
    code: 'rate_limited',
    says: /wait a moment/,
    waits: AGAIN,
  },
  {
    name: '429 with a Retry-After past the timeout of the workflow',
    reply: faults.rateLimitedSeconds(3600),
    code: 'rate_limited',
    says: /wait a moment/,
    waits: [],
  },
  {
    name: '503 with Retry-After',
    reply: { status: 503, headers: { 'retry-after': '7' } },
    code: 'provider_unavailable',
    says: /"main" is not available now, status 503.*: try again later\.$/,
    waits: [7000, 7000],
  },
  ...([500, 502, 503, 529] as const).map(
    (status): Fault => ({
      name: `${status}`,
      reply: faults.serverError(status),
      code: 'provider_unavailable',
      says: new RegExp(`not available now, status ${status} \\("Something went wrong"\\): try again later`),
      waits: AGAIN,
    }),
  ),
  {
    name: '401',
    reply: faults.badKey(),
    code: 'auth_failed',
    says: /refused its API key, status 401.*: put a valid key with access to "test-model" into Settings, Models\.$/,
    waits: [],
  },
  {
    name: '402',
    reply: faults.noCredit(),
    code: 'quota_exceeded',
    says: /has no credit left.*: add credit at the provider or choose another model\.$/,
    waits: [],
  },
  {
    name: '404',
    reply: { status: 404, code: 'not_found_error', message: 'no such model' },
    code: 'bad_request',
    says: /knows no model "test-model" at http.*: check the model's name and the address in Settings, Models\.$/,
    waits: [],
  },
  {
    name: '400',
    reply: faults.badRequest(),
    code: 'bad_request',
    says: /refused the call, status 400 \("temperature: out of range"\): correct the step or the model's settings\.$/,
    waits: [],
  },
  {
    name: 'the content filter',
    reply: faults.filtered(),
    code: 'content_blocked',
    says: /by its content filter: change the text that is sent\.$/,
    waits: [],
  },
  {
    name: 'an empty answer',
    reply: faults.empty(),
    code: 'output_invalid',
    says: /gave an empty reply: make the prompt clearer\.$/,
    waits: AGAIN,
  },
  {
    name: 'prose instead of JSON',
    reply: faults.prose(),
    code: 'output_invalid',
    says: /is not JSON: ask in the prompt for JSON only, or choose a model that can\.$/,
    waits: AGAIN,
  },
  {
    name: 'JSON of another shape',
    reply: { text: '{"score": "high"}' },
    code: 'output_invalid',
    says: /does not fit outputSchema \(.*\): make prompt and schema agree\.$/,
    waits: AGAIN,
  },
  {
    name: 'an answer cut at the token limit',
    reply: faults.truncated('{"sco'),
    code: 'output_invalid',
    says: /was cut off at the token limit: raise maxTokens\.$/,
    waits: AGAIN,
  },
  {
    name: 'nothing but thoughts up to the token limit',
    reply: faults.truncated(''),
    code: 'output_invalid',
    says: /used up its tokens before it said anything: raise maxTokens\.$/,
    waits: AGAIN,
  },
  {
    name: 'a body that is half of a JSON text',
    reply: faults.malformed(),
    code: 'provider_unavailable',
    says: /sent an answer that cannot be read: try again; if it stays so, check that http\S+ is the address of its API\.$/,
    waits: AGAIN,
  },
  {
    name: 'a web page with status 200',
    reply: { raw: '<!doctype html><h1>Sign in</h1>', contentType: 'text/html' },
    code: 'provider_unavailable',
    says: /cannot be read: try again; if it stays so, check that/,
    waits: AGAIN,
  },
  {
    name: 'nothing at all with status 200',
    reply: { raw: '' },
    code: 'provider_unavailable',
    says: /cannot be read: try again/,
    waits: AGAIN,
  },
  {
    name: 'an answer whose connection is cut in the middle',
    reply: { text: GOOD, cutAfter: 2 },
    code: 'network',
    says: /The answer of the model account "main" broke off: try again, or check the connection\.$/,
    waits: AGAIN,
  },
  {
    name: 'a stream that ends in the middle as if it were whole',
    reply: { text: GOOD, endAfter: 2 },
    code: 'network',
    says: /broke off: try again/,
    waits: AGAIN,
    only: 'stream',
  },
  {
    name: 'a stream of no events at all',
    reply: { raw: '', contentType: 'text/event-stream' },
    code: 'network',
    says: /broke off: try again/,
    waits: AGAIN,
    only: 'stream',
  },
  {
    name: 'a stream whose events are no JSON',
    reply: { raw: 'data: {"id": "x", "cho\n\ndata: ]]\n\n', contentType: 'text/event-stream' },
    code: 'provider_unavailable',
    says: /cannot be read|not available now/,
    waits: AGAIN,
    only: 'stream',
  },
];

describe.each(ENDPOINTS)('%s', (endpoint) => {
  describe.each([
    ['streamed', true],
    ['in one piece', false],
  ] as const)('%s', (_name, stream) => {
    const meant = FAULTS.filter(({ only }) => only === undefined || (only === 'stream') === stream);
    it.each(meant)('$name: $code', async ({ reply, code, says, waits }) => {
      server.script(reply);
      const { run, steps, at } = await grade(endpoint, stream);
      expect(run).toMatchObject({ status: 'failed', error: { code, step: 'ask' } });
      expect(run.error?.message).toMatch(says);
      expect(gaps(at)).toEqual(waits);
      expect(server.requests).toHaveLength(waits.length + 1);
      expect(server.open().now).toBe(0);
      const kept = JSON.stringify([run, steps]);
      expect(kept).not.toContain(TEST_KEY);
      expect(kept).not.toContain('sk-abc');
    });

    it('the fault passes: the step gets over it, and what the failed answers cost is counted', async () => {
      server.script(faults.serverError(503), faults.prose(), { text: GOOD });
      const { run, steps, at } = await grade(endpoint, stream);
      expect(run).toMatchObject({ status: 'completed', usage: { inputTokens: 22, outputTokens: 14 } });
      expect(run.usage.estimated).toBeUndefined();
      expect(gaps(at)).toEqual(AGAIN);
      expect(steps[0]?.attempts.map(({ error }) => error?.code)).toEqual([
        'provider_unavailable',
        'output_invalid',
        undefined,
      ]);
      // The repair round: the model reads its own answer, and what was wrong with it.
      const last = JSON.stringify(server.requests[2]?.body);
      expect(last).toContain('Sure! This line looks fine to me.');
      expect(last).toContain('the reply is not valid JSON');
    });

    it('another model answers than the one that was asked: its name is kept with the attempt', async () => {
      server.script(faults.wrongModel(GOOD, 'other-model-2027'));
      const { run, steps } = await grade(endpoint, stream);
      expect(run.status).toBe('completed');
      // Google's package does not say which model answered.
      if (endpoint !== 'google') expect(JSON.stringify(steps[0]?.attempts)).toContain('other-model-2027');
    });

    it('an answer of more than a million characters: refused by its size, once', async () => {
      server.script({ text: 'x'.repeat(1_200_000) });
      const settings = settingsAt(endpoint, server.url, stream ? {} : { stream });
      const { run, at } = await new ModelWorld(settings).ask(
        workflow([{ id: 'ask', type: 'recipe', prompt: 'Write much.', retry: RETRY }]),
      );
      expect(run).toMatchObject({ status: 'failed', error: { code: 'output_too_large' } });
      expect(at).toHaveLength(1);
    });

    it('a server that counts nothing: the usage is marked as estimated', async () => {
      server.script({ text: GOOD, usage: null });
      const { run } = await grade(endpoint, stream);
      expect(run.status).toBe('completed');
      if (endpoint === 'anthropic') return; // Its format has no answer without counts.
      expect(run.usage.estimated).toBe(true);
      expect(run.usage.inputTokens).toBeGreaterThan(0);
    });
  });

  it('the first byte does not come within the timeout of the step: timeout, and the connection is closed', async () => {
    let free = (): void => undefined;
    const hold = new Promise<void>((resolve) => {
      free = resolve;
    });
    server.script({ text: GOOD, hold });
    const world = new ModelWorld(settingsAt(endpoint, server.url));
    const ask = {
      id: 'ask',
      type: 'recipe',
      prompt: 'Grade it.',
      timeout: '30s',
      retry: { ...RETRY, maxAttempts: 1 },
    };
    await world.start(workflow([ask]));
    await expect.poll(() => server.open().now).toBe(1);
    await world.advance(30_000);
    await world.answered();
    const run = await world.run();
    expect(run).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
    expect(run.error?.message).toMatch(/raise its timeout/);
    await expect.poll(() => server.open().now).toBe(0);
    free();
  });

  it('a first byte that comes late, but in time: completed at once', async () => {
    server.script({ text: GOOD, holdMs: 300 });
    const { run, at } = await grade(endpoint, true);
    expect(run.status).toBe('completed');
    expect(at).toHaveLength(1);
  });
});
