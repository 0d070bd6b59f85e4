import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelSettings } from '../../../src/model/model-settings.ts';
import { type LlmRequest, type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { ENDPOINTS, portFor, request, settingsAt } from '../../support/providers.ts';

/** Answers come as a stream unless the account says otherwise, also where nobody listens to the pieces. */

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

const TEXT = 'one two three four five';
const PROVIDERS = ENDPOINTS;
const askedForStream = ({ body, path }: LlmRequest) => body.stream === true || path.includes('streamGenerateContent');

function inOnePiece(settings: ModelSettings): ModelSettings {
  return { ...settings, accounts: settings.accounts.map((account) => ({ ...account, stream: false })) };
}

describe.each(PROVIDERS)('%s', (provider) => {
  const settings = () => settingsAt(provider, server.url);

  it('an account as it is: asks for a stream, and the tokens are counted by the provider', async () => {
    server.script({ text: TEXT, usage: { input: 30, output: 6 } });
    const { text, usage, finish } = await portFor(settings()).generate(request());
    expect({ text, usage, finish }).toEqual({
      text: TEXT,
      usage: { inputTokens: 30, outputTokens: 6 },
      finish: 'stop',
    });
    expect(server.requests.map(askedForStream)).toEqual([true]);
  });

  it('an account with streaming off: asks for one piece, also where somebody listens', async () => {
    server.script({ text: TEXT, usage: { input: 30, output: 6 } });
    const pieces: string[] = [];
    const { text, usage } = await portFor(inOnePiece(settings())).generate(
      request({ onText: (piece) => pieces.push(piece) }),
    );
    expect({ text, usage, pieces }).toEqual({ text: TEXT, usage: { inputTokens: 30, outputTokens: 6 }, pieces: [] });
    expect(server.requests.map(askedForStream)).toEqual([false]);
  });

  it('a server that answers in one piece although a stream was asked for: is read, with one request', async () => {
    server.script({ text: TEXT, usage: { input: 30, output: 6 }, neverStream: true });
    const { text, usage } = await portFor(settings()).generate(request());
    expect({ text, usage }).toEqual({ text: TEXT, usage: { inputTokens: 30, outputTokens: 6 } });
    expect(server.requests).toHaveLength(1);
  });

  it('such a server breaks off in the middle: network', async () => {
    server.script({ text: TEXT, neverStream: true, cutAfter: 30 });
    await expect(portFor(settings()).generate(request())).rejects.toMatchObject({ code: 'network' });
  });

  it.each([
    ['its connection is cut', { cutAfter: 3 }],
    ['it ends as if it were complete', { endAfter: 3 }],
  ])('a stream of which half has come when %s: network, never half an answer', async (_name, fault) => {
    server.script({ text: TEXT, ...fault });
    await expect(portFor(settings()).generate(request())).rejects.toMatchObject({ code: 'network' });
  });
});

// Google's package takes any object for an answer; there it is one that cannot be read.
it.each(['openai', 'openai-responses', 'openai-compatible', 'anthropic'] as const)(
  '%s: an error in one piece with status 200 is that error, not a stream without an end',
  async (provider) => {
    server.script({ raw: '{"error": {"code": 429, "message": "Slow down", "type": "rate_limit_error"}}' });
    await expect(portFor(settingsAt(provider, server.url)).generate(request())).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(server.requests).toHaveLength(1);
  },
);

it('a server that sends the stream slowly: each piece is handed on as it comes, not all at the end', async () => {
  server.script({ text: TEXT, overMs: 400 });
  const open: number[] = [];
  await portFor(settingsAt('openai-compatible', server.url)).generate(
    request({ onText: () => open.push(server.open().now) }),
  );
  expect(open).toHaveLength(5);
  expect(open[0]).toBe(1);
});
