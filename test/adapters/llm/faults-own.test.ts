import { afterEach, beforeEach, expect, it } from 'vitest';
import { type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { streamEvents, type WireAnswer } from '../../support/llm-wire.ts';
import { type Endpoint, portFor, request, settingsAt } from '../../support/providers.ts';

/** Faults that only one wire format has. */

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

const reply = (endpoint: Endpoint, stream = true) =>
  portFor(settingsAt(endpoint, server.url, stream ? {} : { stream })).generate(request());
const errorOf = (endpoint: Endpoint, stream = true) =>
  reply(endpoint, stream).then(
    () => undefined,
    (error: { code: string }) => error,
  );

const ANSWER: WireAnswer = { text: 'one two three', finish: 'stop', model: 'm', usage: { input: 3, output: 3 } };
/** A stream that goes wrong after its first three events. */
const wrongAfter = (dialect: Parameters<typeof streamEvents>[0], event: string) => ({
  raw: [...streamEvents(dialect, ANSWER).slice(0, 3), event].join(''),
  contentType: 'text/event-stream',
});
const data = (value: object, type?: string) =>
  `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(value)}\n\n`;

it.each([
  ['openai', 'openai', data({ error: { message: 'Overloaded', type: 'server_error', code: 'server_error' } })],
  [
    'openai-compatible',
    'openai',
    data({ error: { message: 'Overloaded', code: 503 }, choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }),
  ],
  [
    'anthropic',
    'anthropic',
    data({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'error'),
  ],
  ['google', 'google', data({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } })],
  [
    'openai-responses',
    'openai-responses',
    data({ type: 'error', sequence_number: 3, code: 'server_error', message: 'Overloaded', param: null }, 'error'),
  ],
  [
    'openai-responses',
    'openai-responses',
    data(
      {
        type: 'response.failed',
        sequence_number: 3,
        response: {
          id: 'resp_1',
          status: 'failed',
          error: { code: 'server_error', message: 'Overloaded' },
          output: [],
        },
      },
      'response.failed',
    ),
  ],
] as const)(
  '%s: an error after half of the answer is that error, never half an answer',
  async (endpoint, dialect, event) => {
    server.script(wrongAfter(dialect, event));
    expect(await errorOf(endpoint)).toMatchObject({
      code: 'provider_unavailable',
      message: expect.stringContaining('Overloaded'),
    });
  },
);

it.each([
  ['openai-responses', data({ type: 'error', sequence_number: 0, code: 'rate_limit_exceeded', message: 'Slow down' })],
  ['anthropic', data({ type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }, 'error')],
  ['openai', data({ error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } })],
] as const)('%s: a stream that begins with a rate limit', async (endpoint, raw) => {
  server.script({ raw, contentType: 'text/event-stream' });
  expect(await errorOf(endpoint)).toMatchObject({ code: 'rate_limited' });
});

it.each(['openai', 'openai-responses', 'openai-compatible'] as const)(
  '%s: a refusal ends as one, with its words',
  async (endpoint) => {
    for (const stream of [true, false]) {
      server.script({ text: '', refusal: 'I cannot help with that.' });
      expect(await reply(endpoint, stream)).toMatchObject({
        finish: 'content_filter',
        text: 'I cannot help with that.',
      });
    }
  },
);

it.each([true, false])(
  'google: a prompt that is blocked has no candidates, and is blocked (streamed: %s)',
  async (stream) => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 9 } };
    server.script(stream ? { raw: data(body), contentType: 'text/event-stream' } : { raw: JSON.stringify(body) });
    expect(await reply('google', stream)).toMatchObject({
      text: '',
      finish: 'content_filter',
      usage: { inputTokens: 9 },
    });
  },
);

it('anthropic: a talk longer than the model can read says that it was cut', async () => {
  const body = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'And so' }],
    stop_reason: 'model_context_window_exceeded',
    usage: { input_tokens: 3, output_tokens: 3 },
  };
  server.script({ raw: JSON.stringify(body) });
  expect(await reply('anthropic', false)).toMatchObject({ finish: 'length' });
});

it('openai-responses: no copy is kept at the provider', async () => {
  server.script({ text: 'ok' });
  await reply('openai-responses');
  expect(server.requests[0]?.body.store).toBe(false);
});

it('openai-responses: a call goes back under its own id, without ids of copies that were not kept', async () => {
  server.script({ text: '', toolCalls: [{ id: 'call_9', name: 'look', arguments: { at: 1 } }] });
  const port = portFor(settingsAt('openai-responses', server.url));
  const tools = [{ name: 'look', description: '', inputSchema: { type: 'object', properties: {} } }];
  const { toolCalls = [] } = await port.generate(request({ tools }));
  expect(toolCalls).toEqual([{ id: 'call_9', tool: 'look', arguments: { at: 1 } }]);
  await port.generate(
    request({
      tools,
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', answers: [{ id: 'call_9', tool: 'look', text: 'seen' }] },
      ],
    }),
  );
  const input = (server.requests[1]?.body.input ?? []) as object[];
  expect(input.slice(-2)).toMatchObject([
    { type: 'function_call', call_id: 'call_9', name: 'look' },
    { type: 'function_call_output', call_id: 'call_9', output: 'seen' },
  ]);
  expect(JSON.stringify(input)).not.toContain('fc_');
});
