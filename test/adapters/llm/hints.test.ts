import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelSettings } from '../../../src/model/model-settings.ts';
import type { ModelMessage } from '../../../src/ports/model.ts';
import { type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { ENDPOINTS, portFor, request, settingsAt } from '../../support/providers.ts';

/** What a call says beside its content, what the provider's cache of prompts costs, and pictures for models without eyes. */

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

const TALK: ModelMessage[] = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'c1', tool: 'look', arguments: {} }] },
  { role: 'tool', answers: [{ id: 'c1', tool: 'look', text: 'seen' }] },
];
const TOOLS = [{ name: 'look', description: '', inputSchema: { type: 'object', properties: {} } }];
const marks = () => JSON.stringify(server.requests.at(-1)?.body).split('"cache_control"').length - 1;

describe('the cache of prompts', () => {
  it('anthropic: is told to keep the system text, and in a talk all that was said so far', async () => {
    const port = portFor(settingsAt('anthropic', server.url));
    await port.generate(request({ system: 'You grade.' }));
    expect(server.requests[0]?.body.system).toMatchObject([
      { text: 'You grade.', cache_control: { type: 'ephemeral' } },
    ]);
    expect(marks()).toBe(1);
    await port.generate(request({ system: 'You look.', messages: TALK, tools: TOOLS }));
    expect(marks()).toBe(2);
    const last = server.requests[1]?.body.messages?.at(-1);
    expect(JSON.stringify(last)).toContain('cache_control');
  });

  it('openai at its own address: calls that begin alike share a key that says nothing of the run', async () => {
    const bodies: Record<string, unknown>[] = [];
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return new Response('{"error":{"message":"enough"}}', { status: 400 });
    };
    const settings: ModelSettings = {
      accounts: [{ id: 'main', provider: 'openai', hasKey: true }],
      names: {},
      default: 'main:gpt-5',
    };
    const ask = (system: string, runId: string) =>
      portFor(settings, { fetch })
        .generate(request({ system, call: { runId, path: 'ask', attempt: 1 } }))
        .catch(() => undefined);
    await ask('You grade.', 'run-1');
    await ask('You grade.', 'run-2');
    await ask('You sort.', 'run-1');
    const keys = bodies.map((body) => body.prompt_cache_key);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  it.each(['openai', 'openai-compatible', 'google'] as const)(
    '%s at another address: is told nothing',
    async (endpoint) => {
      await portFor(settingsAt(endpoint, server.url)).generate(request({ system: 'You grade.' }));
      expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/cache/);
    },
  );

  it.each(['openai', 'openai-responses', 'anthropic'] as const)(
    '%s: what came out of it is counted, and costs less',
    async (endpoint) => {
      server.script({ text: 'ok', usage: { input: 1000, output: 10, cached: 900 } });
      const settings = settingsAt(endpoint, server.url);
      const own = { ...settings, prices: { 'test-model': { input: 10, cached: 1, output: 100 } } };
      const { usage } = await portFor(own).generate(request());
      expect(usage).toMatchObject({ inputTokens: 1000, outputTokens: 10, cachedTokens: 900 });
      expect(usage.usd).toBeCloseTo((100 * 10 + 900 * 1 + 10 * 100) / 1e6, 10);
    },
  );

  it('without a price for it, it counts in full: a cost that is shown is never too low', async () => {
    server.script({ text: 'ok', usage: { input: 1000, output: 0, cached: 900 } });
    const own = { ...settingsAt('openai', server.url), prices: { 'test-model': { input: 10, output: 100 } } };
    expect((await portFor(own).generate(request())).usage.usd).toBeCloseTo(0.01, 10);
  });
});

describe('pictures', () => {
  const files = [{ name: 'shot.png', mediaType: 'image/png', bytes: Uint8Array.from([1, 2, 3]) }];
  const seen = request({ messages: [{ role: 'user', content: 'What is it?', files }] });

  it('a model that is known to take none: said before anything is sent', async () => {
    const settings: ModelSettings = {
      accounts: [{ id: 'main', provider: 'openai', hasKey: true }],
      names: {},
      default: 'main:o3-mini',
    };
    const fetch = () => Promise.reject(new Error('must not be asked'));
    await expect(portFor(settings, { fetch }).generate(seen)).rejects.toMatchObject({
      code: 'bad_request',
      message:
        'The model "o3-mini" of the account "main" takes no pictures: choose a model that does, or leave the picture out of "attachments".',
    });
  });

  it.each([
    [400, 'this model is missing data required for image input'],
    [404, 'No endpoints found that support image input'],
    [422, 'llama3.2 is not a multimodal model'],
  ])('a server that refuses them with %i: its words, and what to do', async (status, message) => {
    server.script({ status, message });
    const port = portFor(settingsAt('openai-compatible', server.url));
    await expect(port.generate(seen)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringMatching(new RegExp(`takes no pictures \\("${message}"\\): choose a model that does`)),
    });
  });

  it.each(ENDPOINTS)('%s: another refusal of a call with a picture is told as what it is', async (endpoint) => {
    server.script({ status: 400, message: 'max_tokens is too large' });
    await expect(portFor(settingsAt(endpoint, server.url)).generate(seen)).rejects.toMatchObject({
      message: expect.stringContaining('refused the call, status 400 ("max_tokens is too large")'),
    });
  });
});
