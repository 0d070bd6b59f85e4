import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPrompt } from '../../src/examples/stand-in/reading.ts';
import { amountOf, gradeLine } from '../../src/examples/stand-in/rules.ts';
import { STAND_IN_MODEL, type StandIn, startStandIn } from '../../src/examples/stand-in/server.ts';
import { portFor, request, settingsFor } from '../support/providers.ts';

const POLICY = [
  'Meals: up to 60 EUR.',
  'Hotel: up to 200 EUR per night.',
  'Equipment: up to 500 EUR.',
  'A receipt is needed above 25 EUR.',
  'Nothing on a weekend without a reason.',
  'The same expense must not be claimed twice.',
].join('\n');

const line = (more: object = {}) => ({
  ID: '1',
  Date: '2026-01-12',
  Employee: 'Mira Lindqvist',
  Category: 'Meals',
  Description: 'Lunch',
  Amount: '48.90 EUR',
  Receipt: 'yes',
  ...more,
});

describe('the rules', () => {
  it.each([
    ['within the limit', {}, false, /Within/],
    ['at the limit', { Amount: '60.00 EUR' }, false, /Within/],
    ['over the limit', { Amount: '60.01 EUR' }, true, /0\.01 EUR over/],
    [
      'over a limit with a thousands separator',
      { Category: 'Equipment', Amount: '1,240.50 EUR' },
      true,
      /740\.50 EUR over/,
    ],
    [
      'within the limit for two nights',
      { Category: 'Hotel', Description: 'Two nights', Amount: '400.00 EUR' },
      false,
      /Within/,
    ],
    [
      'over the limit for two nights',
      { Category: 'Hotel', Description: 'Two nights', Amount: '401.00 EUR' },
      true,
      /1\.00 EUR over/,
    ],
    ['without a receipt, above the amount', { Receipt: 'no' }, true, /receipt/],
    ['without a receipt, below the amount', { Receipt: 'no', Amount: '25.00 EUR' }, false, /Within/],
    ['on a Saturday', { Date: '2026-01-17' }, true, /Saturday/],
    ['of a category that the policy does not name', { Category: 'Gifts', Amount: '900.00 EUR' }, false, /Within/],
  ])('a line %s: suspicious is %s', (_name, change, suspicious, reason) => {
    const grade = gradeLine(line(change), POLICY);
    expect(grade.suspicious).toBe(suspicious);
    expect(grade.reason).toMatch(reason);
    expect(grade.message === '').toBe(!suspicious);
    expect(grade.score >= 0.5).toBe(suspicious);
    expect(grade.score).toBeLessThanOrEqual(1);
  });

  it('the same expense twice: only the second is suspicious, and names the first', () => {
    const both = [line(), line({ ID: '2' })];
    expect(gradeLine(line(), POLICY, both).suspicious).toBe(false);
    expect(gradeLine(line({ ID: '2' }), POLICY, both)).toMatchObject({
      suspicious: true,
      reason: expect.stringContaining('expense 1'),
    });
  });

  it('several rules broken: all are named, and the message greets the employee', () => {
    const grade = gradeLine(line({ Amount: '99.00 EUR', Receipt: 'no', Date: '2026-01-18' }), POLICY);
    expect(grade.reason).toMatch(/over the limit/);
    expect(grade.reason).toMatch(/receipt/);
    expect(grade.reason).toMatch(/Sunday/);
    expect(grade.message).toMatch(/^Hello Mira,/);
  });

  it('amounts: are read as people write them', () => {
    expect([amountOf('1,240.50 EUR'), amountOf(12), amountOf('7'), amountOf('')]).toEqual([1240.5, 12, 7, Number.NaN]);
  });
});

it('a prompt with text, a line and a list: both are found, brackets in text and quotes do not confuse', () => {
  const found = readPrompt(
    `Rules [see below] {not json}.\nLine: ${JSON.stringify(line({ Description: 'a } b ]"' }))}\nAll: ${JSON.stringify([line(), line({ ID: '2' })])}`,
  );
  expect(found.line).toMatchObject({ Description: 'a } b ]"' });
  expect(found.lines).toHaveLength(2);
});

describe('the server', () => {
  let standIn: StandIn;
  const log: string[] = [];
  beforeEach(async () => {
    log.length = 0;
    standIn = await startStandIn({ log: (text) => log.push(text) });
  });
  afterEach(() => standIn.close());

  const port = () => {
    const settings = settingsFor('openai-compatible', '');
    settings.accounts = [{ id: 'main', provider: 'openai-compatible', baseUrl: standIn.url, hasKey: false }];
    settings.names = { fast: `main:${STAND_IN_MODEL}` };
    return portFor(settings, { vault: { reveal: async () => undefined } });
  };
  const schema = {
    type: 'object',
    required: ['suspicious', 'score', 'reason', 'message'],
    properties: { suspicious: { type: 'boolean' } },
  };
  const messages = [{ role: 'user' as const, content: `Line: ${JSON.stringify(line({ Amount: '80.00 EUR' }))}` }];

  it('an expense line through the model port: the grade as JSON, with usage', async () => {
    const reply = await port().generate(request({ system: POLICY, messages, schema }));
    expect(JSON.parse(reply.text)).toMatchObject({ suspicious: true });
    expect(reply.model).toBe(`openai-compatible:${STAND_IN_MODEL}`);
    expect(reply.usage.estimated).toBeUndefined();
    expect(reply.usage.inputTokens).toBeGreaterThan(50);
    expect(standIn.requests).toHaveLength(1);
    expect(standIn.requests[0]?.schema).toBeDefined();
  });

  it('the same streamed: the same text', async () => {
    const whole = await port().generate(request({ system: POLICY, messages, schema }));
    let text = '';
    const streamed = await port().generate(
      request({
        system: POLICY,
        messages,
        schema,
        onText: (delta) => {
          text += delta;
        },
      }),
    );
    expect(text).toBe(whole.text);
    expect(streamed.usage).toEqual(whole.usage);
  });

  it('anything else: says that it is no model, also in the shape of a schema', async () => {
    expect((await port().generate(request())).text).toMatch(/not a language model/);
    const shaped = await port().generate(
      request({
        schema: {
          type: 'object',
          required: ['a', 'n'],
          properties: { a: { type: 'string' }, n: { type: 'integer', minimum: 3 } },
        },
      }),
    );
    expect(JSON.parse(shaped.text)).toMatchObject({ a: expect.stringMatching(/not a language model/), n: 3 });
    expect(log[0]).toMatch(/not a language model/);
  });

  it('the list of models: holds the one, whose name says what it is', async () => {
    const body = (await (await fetch(`${standIn.url}/models`)).json()) as { data: { id: string }[] };
    expect(body.data.map((one) => one.id)).toEqual(['stand-in-not-a-model']);
  });

  it('a page that asks across origins: is allowed', async () => {
    const response = await fetch(`${standIn.url}/chat/completions`, {
      method: 'OPTIONS',
      headers: { origin: 'chrome-extension://abc' },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([
    ['malformed JSON', '{', 400],
    ['no messages', '{"model":"stand-in-not-a-model"}', 400],
    ['an unknown model', '{"model":"gpt-5","messages":[{"role":"user","content":"x"}]}', 404],
  ])('%s: an error body as OpenAI writes it', async (_name, body, status) => {
    const response = await fetch(`${standIn.url}/chat/completions`, { method: 'POST', body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } });
    expect(standIn.requests).toHaveLength(0);
  });
});
