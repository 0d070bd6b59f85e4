import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outputOf, parseReply } from '../../../src/steps/recipe-reply.ts';
import { INVALID_JSON, VALID_JSON } from '../../support/json-shapes.ts';
import { type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { ENDPOINTS, type Endpoint, portFor, request, settingsAt } from '../../support/providers.ts';

/** Every shape of JSON, and of what only looks like it: as a model's reply, as a server's answer, and as the arguments of a tool call. */

const valid = Object.values(VALID_JSON).flat();
const invalid = Object.values(INVALID_JSON).flat();
const reply = (text: string) => ({
  text,
  usage: { inputTokens: 1, outputTokens: 1 },
  model: 'm:m',
  finish: 'stop' as const,
});
const KEPT = { usage: { inputTokens: 1, outputTokens: 1 }, meta: {} };

let server: LlmServer;
beforeAll(async () => {
  server = await startLlmServer();
});
afterAll(() => server.close());

const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
  return 'accepted';
};

it('the lists are whole', () => {
  expect(new Set(valid).size).toBe(95);
  expect(new Set(invalid).size).toBeGreaterThanOrEqual(188);
});

describe('as a reply', () => {
  it.each(Object.keys(VALID_JSON))('valid, %s: is the value that it says', (kind) => {
    for (const text of VALID_JSON[kind] ?? []) {
      expect(parseReply(text), text.slice(0, 60)).toEqual(JSON.parse(text));
      expect(outputOf(reply(text), {}, KEPT), text.slice(0, 60)).toEqual(JSON.parse(text));
      expect(parseReply(`Here it is:\n\`\`\`json\n${text}\n\`\`\`\nAs you wished.`)).toEqual(JSON.parse(text));
    }
  });

  it.each(Object.keys(INVALID_JSON))('invalid, %s: output_invalid, which tells the model so', (kind) => {
    for (const text of INVALID_JSON[kind] ?? []) {
      expect(parseReply(text), text.slice(0, 60)).toBeUndefined();
      expect(
        codeOf(() => outputOf(reply(text), {}, KEPT)),
        text.slice(0, 60),
      ).toBe('output_invalid');
    }
  });

  it('names that an object has by birth are data like any other', () => {
    const value = parseReply('{"__proto__": {"score": 1}, "constructor": 2}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect('score' in value).toBe(false);
    const schema = { type: 'object', required: ['score'] };
    expect(codeOf(() => outputOf(reply('{"__proto__": {"score": 1}}'), schema, KEPT))).toBe('output_invalid');
  });

  it('a value nested deeper than any stack: output_invalid like what is no JSON', () => {
    for (const depth of [1000, 10_000, 1_000_000]) {
      const deep = '['.repeat(depth) + ']'.repeat(depth);
      expect(codeOf(() => outputOf(reply(deep), { type: 'array' }, KEPT))).toBe('output_invalid');
    }
  });
});

/** What the port makes of an answer of the server. */
async function answered(endpoint: Endpoint, stream: boolean, raw: string, contentType: string): Promise<string> {
  server.script({ raw, contentType });
  const port = portFor(settingsAt(endpoint, server.url, stream ? {} : { stream }));
  return port.generate(request()).then(
    ({ text }) => `accepted ${text}`,
    (error: { code?: string }) => error.code ?? String(error),
  );
}

/** Two wire formats meet all of them, the others those that differ as a whole. */
const met = (endpoint: Endpoint) =>
  endpoint === 'openai-compatible' || endpoint === 'google'
    ? [...invalid, ...valid]
    : ['structure', 'literal', 'alone', 'object'].flatMap((kind) => [
        ...(INVALID_JSON[kind] ?? []),
        ...(VALID_JSON[kind] ?? []),
      ]);

describe.each(ENDPOINTS)('as an answer of %s', (endpoint) => {
  it('in one piece: none of them is an answer, and each is said to be unreadable', async () => {
    for (const text of met(endpoint))
      expect(await answered(endpoint, false, text, 'application/json'), text.slice(0, 60)).toBe('provider_unavailable');
  });
});

// All of them read events by the same code.
it.each(['openai-compatible', 'google'] as const)(
  'as an event of a stream of %s: never an answer, and never an error without a code',
  async (endpoint) => {
    for (const text of met(endpoint).filter((one) => !/[\r\n]/.test(one))) {
      const code = await answered(endpoint, true, `data: ${text}\n\n`, 'text/event-stream');
      expect(['network', 'provider_unavailable'], `${text.slice(0, 60)}: ${code}`).toContain(code);
    }
  },
);

it.each([true, false])(
  'as a body or a call nested deeper than any stack: an answer that cannot be used (streamed: %s)',
  async (stream) => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    for (const endpoint of ENDPOINTS) {
      const raw = stream ? `data: ${deep}\n\n` : deep;
      const code = await answered(endpoint, stream, raw, stream ? 'text/event-stream' : 'application/json');
      expect(['network', 'provider_unavailable'], `${endpoint}: ${code}`).toContain(code);
    }
    server.script({ text: '', toolCalls: [{ id: 'c', name: 'look', arguments: `{"a":${deep}}` }] });
    const tools = [{ name: 'look', description: '', inputSchema: { type: 'object', properties: {} } }];
    const port = portFor(settingsAt('openai-compatible', server.url, stream ? {} : { stream }));
    const { toolCalls } = await port.generate(request({ tools }));
    expect(typeof toolCalls?.[0]?.arguments).toBe('string');
  },
);

it('as the arguments of a tool call: what is no JSON stays the text that it is', async () => {
  const port = portFor(settingsAt('openai-compatible', server.url, { stream: false }));
  const tools = [{ name: 'look', description: '', inputSchema: { type: 'object', properties: {} } }];
  for (const text of invalid) {
    server.script({ text: '', toolCalls: [{ id: 'c', name: 'look', arguments: text }] });
    const { toolCalls } = await port.generate(request({ tools }));
    expect(toolCalls?.[0]?.arguments, text.slice(0, 60)).toEqual(text.trim() === '' ? {} : text);
  }
});
