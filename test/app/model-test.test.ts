import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, createVirtualClock } from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import { Models } from '../../src/app/models.ts';
import type { ModelSettings } from '../../src/model/model-settings.ts';
import { faults, type LlmReply, type LlmServer, startLlmServer } from '../support/llm-server.ts';
import { type Endpoint, settingsAt, TEST_KEY } from '../support/providers.ts';

/** The test of a model in Settings: it says what is wrong, and what to do about it. */

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

interface Around {
  endpoint?: Endpoint;
  settings?: Partial<ModelSettings>;
  online?: boolean;
  granted?: boolean;
  fetch?: typeof globalThis.fetch;
  baseUrl?: string;
}

async function models({ endpoint = 'openai-compatible', settings, baseUrl, ...around }: Around = {}): Promise<Models> {
  const made = new Models({
    store: createMemoryStore(),
    vault: createMemorySecretVault(),
    clock: createVirtualClock(),
    ...(around.fetch ? { fetch: around.fetch } : {}),
    reach: { online: () => around.online ?? true, granted: async () => around.granted ?? true },
  });
  await made.load();
  await made.set(
    { ...settingsAt(endpoint, server.url, baseUrl === undefined ? {} : { baseUrl }), ...settings },
    TEST_KEY,
  );
  return made;
}

/** A browser that lets no answer through but opaque ones, as for a server that says nothing of other origins. */
const corsOnly =
  (there: boolean): typeof globalThis.fetch =>
  async (_input, init) => {
    if (init?.mode === 'no-cors' && there) return new Response(null, { status: 200 });
    throw new TypeError('Failed to fetch');
  };

describe('a model that answers', () => {
  it('says which one did, and that it has no price where it has none', async () => {
    server.script({ text: 'ready', model: 'test-model-2026' });
    expect(await (await models()).test()).toEqual({
      ok: true,
      message: 'openai-compatible:test-model-2026 answered. It has no price here: only tokens are counted.',
    });
    const priced = await models({ settings: { prices: { 'test-model': { input: 1, output: 2 } } } });
    expect((await priced.test()).message).toBe('openai-compatible:test-model-2026 answered.');
  });

  it('may be any that the settings name', async () => {
    server.script({ text: 'ready' });
    const made = await models();
    expect(await made.test('main:another')).toMatchObject({ ok: true });
    expect(server.requests[0]?.body.model).toBe('another');
  });
});

describe('what is wrong', () => {
  it.each([
    ['the key', faults.badKey(), 'auth_failed', 401, /put a valid key/],
    ['the quota', faults.noCredit(), 'quota_exceeded', 402, /add credit/],
    [
      'the quota, as OpenAI says it',
      { status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' },
      'quota_exceeded',
      429,
      /add credit/,
    ],
    ['the rate', faults.rateLimitedSeconds(3), 'rate_limited', 429, /wait a moment/],
    ['the origin, to a local server', { status: 403, body: '' }, 'auth_failed', 403, /OLLAMA_ORIGINS/],
    ['the server', faults.serverError(503), 'provider_unavailable', 503, /try again later/],
  ] as [string, LlmReply, string, number, RegExp][])('%s', async (_name, reply, code, status, says) => {
    server.script(reply);
    const tested = await (await models()).test();
    expect(tested).toMatchObject({ ok: false, code, status, message: expect.stringMatching(says) });
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(tested)).not.toContain(TEST_KEY);
  });

  it.each(['openai', 'openai-compatible', 'anthropic', 'google'] as const)(
    'the name of the model, at %s: the nearest that there are',
    async (endpoint) => {
      server.script({ status: 404, message: 'no such model' });
      server.offer('other-1', 'test-large', 'test-model-2', 'test-small', 'tiny', 'vision', 'voice');
      const { message, code } = await (await models({ endpoint })).test();
      expect(code).toBe('bad_request');
      expect(message).toMatch(/knows no model "test-model".*: check the model's name/);
      expect(message).toMatch(/It has test-model-2, test-(large|small), test-(large|small), .*, and 2 more\.$/);
    },
  );

  it('the address: a server without such a list', async () => {
    server.script({ status: 404 });
    expect((await (await models()).test()).message).toMatch(
      /check the model's name and the address in Settings, Models\.$/,
    );
  });

  it('no network at all', async () => {
    const made = await models({ online: false, baseUrl: 'https://llm.example.com/v1', fetch: corsOnly(false) });
    expect(await made.test()).toMatchObject({
      ok: false,
      code: 'network',
      message: 'This computer is offline: connect it, then test again.',
    });
  });

  it('no network, and a server on this machine: it is the server that is missing', async () => {
    const made = await models({ online: false, fetch: corsOnly(false) });
    expect((await made.test()).message).toMatch(/start the local model server/);
  });

  it('CORS: the server is there, its answers are kept from us; access to its origin can be given', async () => {
    const made = await models({ granted: false, baseUrl: 'https://llm.example.com/v1', fetch: corsOnly(true) });
    expect(await made.test()).toMatchObject({
      ok: false,
      code: 'network',
      origin: 'https://llm.example.com',
      message: expect.stringMatching(
        /llm\.example\.com answers, but does not let this extension read .*CORS.*allow Tabloom/,
      ),
    });
  });

  it('nobody there, or blocked by the browser, with and without access to it', async () => {
    const address = { baseUrl: 'https://llm.example.com/v1', fetch: corsOnly(false) };
    const without = await (await models({ granted: false, ...address })).test();
    expect(without.message).toMatch(/^No answer from https:\/\/llm\.example\.com\/v1: .* blocks llm\.example\.com/);
    expect(without.origin).toBeUndefined();
    expect((await (await models(address)).test()).message).toMatch(
      /Tabloom has access to llm\.example\.com, so no rule/,
    );
  });

  it('nothing is set up: says where to do it', async () => {
    const empty = new Models({
      store: createMemoryStore(),
      vault: createMemorySecretVault(),
      clock: createVirtualClock(),
    });
    expect(await empty.test()).toMatchObject({
      ok: false,
      code: 'bad_request',
      message: expect.stringContaining('Settings'),
    });
  });

  it('the probe for CORS carries no key', async () => {
    const seen: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      if (init?.mode === 'no-cors') seen.push(new Headers(init.headers));
      throw new TypeError('Failed to fetch');
    };
    await (await models({ granted: false, baseUrl: 'https://llm.example.com/v1', fetch })).test();
    expect(seen).toHaveLength(1);
    expect([...(seen[0] as Headers)]).toEqual([]);
  });
});
