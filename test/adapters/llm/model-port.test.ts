import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faults, type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { ENDPOINTS, portFor, request, settingsAt, settingsFor, TEST_KEY } from '../../support/providers.ts';

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

const SCHEMA = {
  type: 'object',
  required: ['score'],
  properties: { score: { type: 'number' } },
  additionalProperties: false,
};
const PROVIDERS = ENDPOINTS;

describe.each(PROVIDERS)('%s', (provider) => {
  it('a plain call: gives text, usage, model and the reason it stopped', async () => {
    server.script({ text: 'hello there', model: 'test-model-2026', usage: { input: 20, output: 3 } });
    const reply = await portFor(settingsAt(provider, server.url)).generate(
      request({ system: 'Be short.', temperature: 0.2 }),
    );
    expect(reply).toMatchObject({ text: 'hello there', finish: 'stop', usage: { inputTokens: 20, outputTokens: 3 } });
    if (provider !== 'google') expect(reply.model).toBe(`${provider.replace('-responses', '')}:test-model-2026`);
    expect(reply.usage.estimated).toBeUndefined();
    expect(reply.usage.usd).toBeUndefined();
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('Be short.');
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('r1');
  });

  it('a streamed call: hands on each piece and gives the same reply', async () => {
    server.script({ text: 'one two three', usage: { input: 9, output: 4 } });
    const pieces: string[] = [];
    const reply = await portFor(settingsAt(provider, server.url)).generate(
      request({ onText: (piece) => pieces.push(piece) }),
    );
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('one two three');
    expect(reply).toMatchObject({ text: 'one two three', finish: 'stop', usage: { inputTokens: 9, outputTokens: 4 } });
  });

  it('a picture: goes along with the text, by the way that the provider has for it', async () => {
    server.script({ text: 'A cat.' });
    const files = [{ name: 'cat.png', mediaType: 'image/png', bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47]) }];
    await portFor(settingsAt(provider, server.url)).generate(
      request({ messages: [{ role: 'user', content: 'What is it?', files }] }),
    );
    const body = JSON.stringify(server.requests[0]?.body);
    for (const part of ['iVBORw==', 'image/png', 'What is it?']) expect(body).toContain(part);
  });

  it('a view that throws on a piece of text: the call goes on', async () => {
    server.script({ text: 'one two three' });
    const onText = () => {
      throw new Error('the view is gone');
    };
    expect((await portFor(settingsAt(provider, server.url)).generate(request({ onText }))).text).toBe('one two three');
  });

  it("a schema: is asked for by the provider's own mechanism, the text comes back as it is", async () => {
    server.script({ text: '{"score": "not a number"}' });
    const reply = await portFor(settingsAt(provider, server.url)).generate(request({ schema: SCHEMA }));
    expect(reply.text).toBe('{"score": "not a number"}');
    const body = JSON.stringify(server.requests[0]?.body);
    expect(body).toContain('"score"');
    if (provider === 'openai-responses')
      expect(server.requests[0]?.body.text).toMatchObject({ format: { type: 'json_schema', strict: true } });
    else if (provider.startsWith('openai'))
      expect(server.requests[0]?.body.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { strict: true },
      });
    if (provider === 'google') expect(body).toContain('responseJsonSchema');
  });

  it.each([
    ['stop at the token limit', faults.truncated('{"sco'), 'length'],
    ['the content filter', faults.filtered(), 'content_filter'],
  ] as const)('%s: is told as the reason it stopped', async (_name, fault, finish) => {
    server.script(fault);
    expect((await portFor(settingsAt(provider, server.url)).generate(request())).finish).toBe(finish);
  });

  it.each([
    [400, 'bad_request'],
    [401, 'auth_failed'],
    [402, 'quota_exceeded'],
    [404, 'bad_request'],
    [408, 'provider_unavailable'],
    [409, 'bad_request'],
    [422, 'bad_request'],
    [425, 'provider_unavailable'],
    [429, 'rate_limited'],
    [500, 'provider_unavailable'],
    [503, 'provider_unavailable'],
    [529, 'provider_unavailable'],
  ])('status %i: one request, code %s', async (status, code) => {
    server.script({ status, message: `it is ${TEST_KEY} that is wrong`, code: 'some_error' });
    const error = await portFor(settingsAt(provider, server.url))
      .generate(request())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, info: { details: { status } } });
    expect(JSON.stringify(error) + String(error)).not.toContain(TEST_KEY);
    expect(server.requests).toHaveLength(1);
  });

  it('a refused connection: network, without the key', async () => {
    const settings = settingsAt(provider, server.url);
    await server.close();
    const error = await portFor(settings)
      .generate(request())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'network' });
    expect(String(error)).not.toContain(TEST_KEY);
  });

  it('a stream that breaks off: network, not a short answer', async () => {
    server.script({ text: 'one two three four', cutAfter: 3 });
    await expect(
      portFor(settingsAt(provider, server.url)).generate(request({ onText: () => undefined })),
    ).rejects.toMatchObject({ code: 'network' });
  });

  it('a whole answer that breaks off: network', async () => {
    server.script({ text: 'one two three four', cutAfter: 30 });
    await expect(portFor(settingsAt(provider, server.url)).generate(request())).rejects.toMatchObject({
      code: 'network',
    });
  });

  it.each([
    ['malformed JSON', faults.malformed()],
    ['a web page', { raw: '<html><body>Welcome</body></html>', contentType: 'text/html' }],
    ['an object of another kind', { raw: '{"hello": 1}' }],
    ['no choices', { raw: '{"id": "x", "choices": [], "content": "no list", "candidates": "no list"}' }],
  ])('an answer that is %s: provider_unavailable', async (_name, fault) => {
    server.script(fault);
    await expect(portFor(settingsAt(provider, server.url)).generate(request())).rejects.toMatchObject({
      code: 'provider_unavailable',
    });
  });

  it('aborted while waiting for the first byte: the reason of the abort, and the connection is closed', async () => {
    let letGo = (): void => undefined;
    server.script({
      text: 'late',
      hold: new Promise<void>((resolve) => {
        letGo = resolve;
      }),
    });
    const stop = new AbortController();
    const call = portFor(settingsAt(provider, server.url))
      .generate(request({ signal: stop.signal }))
      .catch((thrown: unknown) => thrown);
    await expect.poll(() => server.open().now).toBe(1);
    stop.abort();
    expect(await call).toMatchObject({ code: 'cancelled' });
    letGo();
    await expect.poll(() => server.open().now).toBe(0);
  });
});

describe('headers', () => {
  it('anthropic: carries the key and the header that allows a browser', async () => {
    await portFor(settingsFor('anthropic', server.url)).generate(request());
    expect(server.requests[0]?.headers).toMatchObject({
      'x-api-key': TEST_KEY,
      'anthropic-dangerous-direct-browser-access': 'true',
    });
  });

  it('a compatible server without a key: no authorization header at all', async () => {
    await portFor(settingsFor('openai-compatible', server.url), { vault: { reveal: async () => undefined } }).generate(
      request(),
    );
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it('openai: chat completions with the key, cleaned of white space', async () => {
    await portFor(settingsFor('openai', server.url), {
      vault: { reveal: async (name) => (name === 'model:main' ? ` ${TEST_KEY}\n` : undefined) },
    }).generate(request());
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${TEST_KEY}`);
  });
});

describe('a server that refuses the way in which JSON is asked for', () => {
  const refusal = { status: 400, message: "'response_format.type' must be 'text'" };

  it('is asked in words, and from then on at once; another schema is tried anew', async () => {
    server.script(refusal, { text: '{"score": 1}' });
    const port = portFor(settingsAt('openai-compatible', server.url));
    expect((await port.generate(request({ schema: SCHEMA }))).text).toBe('{"score": 1}');
    await port.generate(request({ schema: SCHEMA }));
    await port.generate(request({ schema: { ...SCHEMA, title: 'Other' } }));
    expect(server.requests.map(({ body }) => body.response_format !== undefined)).toEqual([true, false, false, true]);
    const words = JSON.stringify(server.requests[1]?.body.messages);
    expect(words).toContain('Answer with JSON only');
    expect(words).toContain('score');
  });

  it('refuses the words too: that is its answer', async () => {
    server.script(refusal);
    const port = portFor(settingsAt('openai-compatible', server.url));
    await expect(port.generate(request({ schema: SCHEMA }))).rejects.toMatchObject({ code: 'bad_request' });
    expect(server.requests).toHaveLength(2);
  });

  it('any other refusal, and any other error: asked once', async () => {
    for (const reply of [faults.badRequest(), faults.badKey(), faults.serverError(500)]) {
      server.requests.length = 0;
      server.script(reply);
      const port = portFor(settingsAt('openai-compatible', server.url));
      await expect(port.generate(request({ schema: SCHEMA }))).rejects.toBeDefined();
      expect(server.requests).toHaveLength(1);
    }
  });
});

describe('usage', () => {
  it('a server that counts nothing: an estimate, marked as one', async () => {
    server.script({ text: 'twelve chars', usage: null });
    const { usage } = await portFor(settingsFor('openai-compatible', server.url)).generate(
      request({ system: 'abcdef' }),
    );
    expect(usage).toEqual({ inputTokens: 4, outputTokens: 3, estimated: true });
  });

  it('a price that the user gave: the cost of the call', async () => {
    server.script({ text: 'x', usage: { input: 1000, output: 500, cached: 400 } });
    const settings = settingsFor('openai', server.url, { prices: { 'main:test-model': { input: 2, output: 8 } } });
    const { usage } = await portFor(settings).generate(request());
    expect(usage).toEqual({ inputTokens: 1000, outputTokens: 500, cachedTokens: 400, usd: 0.006 });
  });
});

describe('places', () => {
  it('twelve calls at once: ten are sent, the others wait', async () => {
    let letGo = (): void => undefined;
    server.script({
      text: 'ok',
      hold: new Promise<void>((resolve) => {
        letGo = resolve;
      }),
    });
    const port = portFor(settingsFor('openai', server.url));
    const calls = Array.from({ length: 12 }, () => port.generate(request()));
    await expect.poll(() => server.open().now).toBe(10);
    letGo();
    await Promise.all(calls);
    expect(server.requests).toHaveLength(12);
    expect(server.open().most).toBe(10);
  });

  it('a limiter that fails: the call goes through', async () => {
    const limiter = { acquire: () => Promise.reject(new Error('the limiter is broken')) };
    expect((await portFor(settingsFor('openai', server.url), { limits: { limiter } }).generate(request())).text).toBe(
      'ok',
    );
  });

  it('a call that fails: gives its place back', async () => {
    server.script({ status: 500 });
    const port = portFor(settingsFor('openai', server.url), { limits: { perAccount: 1 } });
    await port.generate(request()).catch(() => undefined);
    server.script({ text: 'ok' });
    expect((await port.generate(request())).text).toBe('ok');
  });
});

describe('what is set up', () => {
  it('a name nobody knows: bad_request that says where to add it, nothing sent', async () => {
    const port = portFor(settingsFor('openai', server.url));
    await expect(port.generate(request({ model: 'best' }))).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('"best"'),
    });
    expect(server.requests).toHaveLength(0);
    expect(await port.configured('best')).toBe(false);
    expect(await port.configured(undefined)).toBe(true);
  });

  it('an account at the provider without a key: auth_failed before anything is sent, and not configured', async () => {
    const settings = {
      accounts: [{ id: 'main', provider: 'openai' as const, hasKey: false }],
      names: {},
      default: 'main:gpt-5',
    };
    const port = portFor(settings, {
      vault: { reveal: async () => undefined },
      fetch: () => Promise.reject(new Error('must not be called')),
    });
    await expect(port.generate(request())).rejects.toMatchObject({ code: 'auth_failed' });
    expect(await port.configured(undefined)).toBe(false);
  });

  it('a key with a line break inside: auth_failed that does not quote it', async () => {
    const port = portFor(settingsFor('anthropic', server.url), { vault: { reveal: async () => 'sk-first\nsecond' } });
    const error = await port.generate(request()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'auth_failed' });
    expect(String(error)).not.toContain('first');
  });

  it('a compatible account without an address: not configured, and says what to give', async () => {
    const settings = {
      accounts: [{ id: 'main', provider: 'openai-compatible' as const, hasKey: false }],
      names: {},
      default: 'main:x',
    };
    const port = portFor(settings);
    expect(await port.configured(undefined)).toBe(false);
    await expect(port.generate(request())).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('base URL'),
    });
  });
});
