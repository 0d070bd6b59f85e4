import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json.ts';
import type { ModelSettings } from '../../../src/model/model-settings.ts';
import type { ModelMessage, ToolCall, ToolDefinition } from '../../../src/ports/model.ts';
import { type LlmServer, startLlmServer } from '../../support/llm-server.ts';
import { ENDPOINTS, type Endpoint, portFor, request, settingsAt } from '../../support/providers.ts';

/** Tools in the providers' own formats: what is offered, what is asked for, and what came of it. */

let server: LlmServer;
beforeEach(async () => {
  server = await startLlmServer();
});
afterEach(() => server.close());

const PROVIDERS = ENDPOINTS;
const TOOLS: ToolDefinition[] = [
  {
    name: 'browser_click',
    description: 'Clicks an element.',
    inputSchema: { type: 'object', required: ['target'], properties: { target: { type: 'object', properties: {} } } },
  },
  { name: 'mcp__crm__find', description: '', inputSchema: { type: 'object', properties: {} } },
];
const CALLS: { id: string; name: string; arguments: JsonObject }[] = [
  { id: 'call_1', name: 'browser_click', arguments: { target: { text: 'Größe “L” \\ "x"' } } },
  { id: 'call_2', name: 'mcp__crm__find', arguments: {} },
];
const WISHES: ToolCall[] = CALLS.map(({ id, name, arguments: args }) => ({ id, tool: name, arguments: args }));
const TALK: ModelMessage[] = [
  { role: 'user', content: 'Click it.' },
  { role: 'assistant', content: 'I click.', toolCalls: WISHES },
  {
    role: 'tool',
    answers: [
      { id: 'call_1', tool: 'browser_click', text: '<data from="browser_click">\n{}\n</data>' },
      { id: 'call_2', tool: 'mcp__crm__find', text: 'network: gone', isError: true },
    ],
  },
];

function settings(provider: Endpoint, stream: boolean): ModelSettings {
  const whole = settingsAt(provider, server.url);
  return stream ? whole : { ...whole, accounts: whole.accounts.map((account) => ({ ...account, stream: false })) };
}

const sent = () => JSON.stringify(server.requests[0]?.body ?? {});

describe.each(PROVIDERS)('%s', (provider) => {
  describe.each([
    ['streamed', true],
    ['in one piece', false],
  ])('%s', (_name, stream) => {
    it('several calls beside a text: are all there, whole and in order', async () => {
      server.script({ text: 'I click.', toolCalls: CALLS, usage: { input: 30, output: 6 } });
      const reply = await portFor(settings(provider, stream)).generate(request({ tools: TOOLS }));
      expect(reply).toMatchObject({
        text: 'I click.',
        finish: 'tool_calls',
        usage: { inputTokens: 30, outputTokens: 6 },
        toolCalls: WISHES,
      });
    });

    it('a call and no text', async () => {
      server.script({ text: '', toolCalls: CALLS.slice(1) });
      const reply = await portFor(settings(provider, stream)).generate(request({ tools: TOOLS }));
      expect(reply).toMatchObject({ text: '', toolCalls: WISHES.slice(1) });
    });

    it('no call: the reply has none', async () => {
      server.script({ text: 'Done.' });
      const reply = await portFor(settings(provider, stream)).generate(request({ tools: TOOLS }));
      expect(reply.toolCalls).toBeUndefined();
      expect(reply.finish).toBe('stop');
    });
  });

  it('the tools are offered by name, description and schema', async () => {
    await portFor(settings(provider, true)).generate(request({ tools: TOOLS }));
    for (const part of ['browser_click', 'Clicks an element.', 'mcp__crm__find', 'target'])
      expect(sent()).toContain(part);
  });

  it('a talk with calls and answers: goes out in the order in which it was, each answer under its call', async () => {
    await portFor(settings(provider, true)).generate(request({ messages: TALK, tools: TOOLS }));
    const body = sent();
    const places = ['Click it.', 'I click.', 'Größe', 'network: gone'].map((text) => body.indexOf(text));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
    const ids = provider === 'google' ? ['browser_click'] : ['call_1', 'call_2'];
    for (const id of ids) expect(body.split(id).length - 1).toBeGreaterThanOrEqual(2);
  });

  it('no tools: none are mentioned', async () => {
    await portFor(settings(provider, true)).generate(request());
    expect(server.requests[0]?.body.tools).toBeUndefined();
  });

  it('a server that breaks off in the middle of a call: network', async () => {
    server.script({ text: 'I click.', toolCalls: CALLS, cutAfter: 4 });
    await expect(portFor(settings(provider, true)).generate(request({ tools: TOOLS }))).rejects.toMatchObject({
      code: 'network',
    });
  });
});

it.each(['openai', 'openai-responses', 'openai-compatible'] as const)(
  '%s: arguments that are no JSON stay a text',
  async (provider) => {
    server.script({ text: '', toolCalls: [{ id: 'c', name: 'browser_click', arguments: '{"target": {' }] });
    const reply = await portFor(settings(provider, false)).generate(request({ tools: TOOLS }));
    expect(reply.toolCalls).toEqual([{ id: 'c', tool: 'browser_click', arguments: '{"target": {' }]);
    const talk: ModelMessage[] = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '', toolCalls: reply.toolCalls ?? [] },
      { role: 'tool', answers: [{ id: 'c', tool: 'browser_click', text: 'no JSON', isError: true }] },
    ];
    await expect(
      portFor(settings(provider, false)).generate(request({ messages: talk, tools: TOOLS })),
    ).resolves.toBeDefined();
  },
);

it('google: the signature of a thought goes back with its call', async () => {
  server.script({
    text: '',
    toolCalls: [{ id: 'call_1', name: 'browser_click', arguments: {}, signature: 'c2lnbmF0dXJl' }],
  });
  const port = portFor(settings('google', true));
  const { toolCalls = [] } = await port.generate(request({ tools: TOOLS }));
  expect(JSON.stringify(toolCalls)).toContain('c2lnbmF0dXJl');
  server.requests.length = 0;
  const answers = toolCalls.map(({ id, tool }) => ({ id, tool, text: 'ok' }));
  await port.generate(
    request({
      tools: TOOLS,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: '', toolCalls },
        { role: 'tool', answers },
      ],
    }),
  );
  expect(sent()).toContain('c2lnbmF0dXJl');
});
