import { afterEach, beforeEach, expect, it } from 'vitest';
import { faults, type LlmReply, type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { portFor, request, settingsFor } from '../../support/providers.ts';

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

/** The error of one call at a server that answers so. The clock stands at 2026-01-05T09:00:00Z. */
async function errorOf(
  reply: LlmReply,
  provider: 'openai' | 'anthropic' | 'openai-compatible' = 'openai',
  streamed = false,
) {
  server.script(reply);
  const call = portFor(settingsFor(provider, server.url)).generate(
    request(streamed ? { onText: () => undefined } : {}),
  );
  return (await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { code: string; message: string; info: { retryAfterMs?: number } };
}

it.each([
  ['seconds', { 'retry-after': '5' }, 5000],
  ['an HTTP date', { 'retry-after': 'Mon, 05 Jan 2026 09:00:20 GMT' }, 20_000],
  ['a date in the past', { 'retry-after': 'Mon, 05 Jan 2026 08:00:00 GMT' }, 0],
  ['milliseconds, which win', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  ['nothing readable', { 'retry-after': 'soon' }, undefined],
])('a rate limit with Retry-After in %s: retryAfterMs says how long', async (_name, headers, ms) => {
  const error = await errorOf({ status: 429, headers });
  expect(error.code).toBe('rate_limited');
  expect(error.info.retryAfterMs).toBe(ms);
});

it('a rate limit whose wait is in the body: it counts', async () => {
  const body = JSON.stringify({
    error: {
      code: 429,
      message: 'Quota',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'RetryInfo', retryDelay: '13s' }],
    },
  });
  expect(await errorOf({ status: 429, body })).toMatchObject({ code: 'rate_limited', info: { retryAfterMs: 13_000 } });
});

it('429 because the credit is used up: quota_exceeded, since waiting does not help', async () => {
  expect(
    await errorOf({ status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota' }),
  ).toMatchObject({ code: 'quota_exceeded' });
});

it('a local server that refuses the extension: the message names its setting', async () => {
  const error = await errorOf({ status: 403, body: '' }, 'openai-compatible');
  expect(error).toMatchObject({ code: 'auth_failed', message: expect.stringContaining('OLLAMA_ORIGINS') });
  expect(error.message).toContain(server.url);
});

it('403 of a provider in the internet: speaks of the key, not of origins', async () => {
  const settings = settingsFor('openai', 'https://llm.example.com');
  const fetch = async () => new Response('{"error":{"message":"no access"}}', { status: 403 });
  const error = await portFor(settings, { fetch })
    .generate(request())
    .catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'auth_failed', message: expect.stringContaining('API key') });
  expect(String(error)).not.toContain('ORIGINS');
});

it('a key quoted in part by the provider: it is taken out of the message', async () => {
  const error = await errorOf(faults.badKey());
  expect(error.code).toBe('auth_failed');
  expect(error.message).not.toContain('sk-abc');
});

it.each([
  ['a content filter', { status: 400, code: 'content_filter', message: 'The response was filtered' }],
  [
    'moderation with reasons',
    { status: 403, body: '{"error":{"code":403,"message":"flagged","metadata":{"reasons":["violence"]}}}' },
  ],
] as [string, LlmReply][])('a refusal by %s: content_blocked', async (_name, reply) => {
  expect(await errorOf(reply)).toMatchObject({ code: 'content_blocked' });
});

it('status 200 with an error in the body: the error counts', async () => {
  expect(
    await errorOf({ raw: '{"error":{"code":429,"message":"upstream is busy"}}' }, 'openai-compatible'),
  ).toMatchObject({ code: 'rate_limited' });
});

it('an error inside a stream: its own code', async () => {
  const raw = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  expect(await errorOf({ raw, contentType: 'text/event-stream' }, 'anthropic', true)).toMatchObject({
    code: 'provider_unavailable',
  });
});

it("a stream that ends properly but without the provider's end: network", async () => {
  expect(await errorOf({ text: 'one two three four', endAfter: 3 }, 'openai', true)).toMatchObject({ code: 'network' });
});

it('a page of markup as the error: the message does not quote it', async () => {
  const error = await errorOf({
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><h1>Bad gateway</h1></html>',
  });
  expect(error).toMatchObject({ code: 'provider_unavailable' });
  expect(error.message).not.toContain('<');
});
