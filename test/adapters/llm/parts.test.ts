import { describe, expect, it } from 'vitest';
import { scrub } from '../../../src/adapters/llm/errors.ts';
import { createLimiter } from '../../../src/adapters/llm/index.ts';
import { formatOptions, isStrict } from '../../../src/adapters/llm/response-format.ts';
import { chooseModel } from '../../../src/model/model-choice.ts';
import { MODEL_LISTS } from '../../../src/model/model-list.ts';
import { priceOf, unpriced } from '../../../src/model/model-prices.ts';
import type { ModelSettings } from '../../../src/model/model-settings.ts';

const settings: ModelSettings = {
  accounts: [
    { id: 'work', provider: 'openai', hasKey: true },
    { id: 'home', provider: 'openai-compatible', baseUrl: 'http://localhost:11434/v1', hasKey: false },
  ],
  names: { fast: 'home:llama3.2:3b', best: 'work:gpt-5' },
  default: 'fast',
};

describe('names', () => {
  it.each([
    ['a name of the settings', 'best', 'work', 'gpt-5'],
    ['no name', undefined, 'home', 'llama3.2:3b'],
    ['account:model', 'work:gpt-4.1', 'work', 'gpt-4.1'],
    ['provider:model', 'openai:gpt-4.1', 'work', 'gpt-4.1'],
    ['a model with a colon of its own', 'home:qwen3:8b', 'home', 'qwen3:8b'],
  ])('%s: is found', (_what, name, account, modelId) => {
    expect(chooseModel(settings, name)).toMatchObject({ account: { id: account }, modelId });
  });

  it.each(['gpt-5', 'nobody:gpt-5', 'work:', ':x', 'constructor', ''])('%j: is not found', (name) => {
    expect(chooseModel(settings, name)).toBeUndefined();
  });
});

describe('prices', () => {
  const price = (name: string, more: Partial<ModelSettings> = {}) => {
    const all = { ...settings, ...more };
    const choice = chooseModel(all, name);
    return choice && priceOf(all, choice);
  };

  it('a listed model, with or without its date: the list price', () => {
    expect(price('work:gpt-4.1-mini')).toEqual({ input: 0.4, cached: 0.1, output: 1.6 });
    expect(price('work:gpt-4.1-mini-2025-04-14')).toEqual({ input: 0.4, cached: 0.1, output: 1.6 });
  });

  it('a model nobody listed, and a listed one at another address: no price', () => {
    expect(price('work:gpt-99')).toBeUndefined();
    expect(price('home:gpt-5')).toBeUndefined();
  });

  it('models of the settings without a price are named, each once, wherever they are named', () => {
    expect(unpriced(settings)).toEqual(['home:llama3.2:3b']);
    expect(
      unpriced({ ...settings, default: 'work:gpt-99', prices: { 'llama3.2:3b': { input: 0, output: 0 } } }),
    ).toEqual(['work:gpt-99']);
    expect(unpriced({ accounts: [], names: { fast: 'gone:x' } })).toEqual([]);
  });

  it('each list says where it is from and of what day; no price in it is below what reading from a cache costs', () => {
    for (const { source, read, models } of Object.values(MODEL_LISTS)) {
      expect(source).toMatch(/^https:\/\//);
      expect(read).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      for (const [name, { price }] of Object.entries(models)) {
        expect(price.output, name).toBeGreaterThan(price.input);
        expect(price.cached ?? 0, name).toBeLessThan(price.input);
      }
    }
  });

  it("the user's own price: wins", () => {
    expect(price('work:gpt-5', { prices: { 'gpt-5': { input: 9, output: 9 } } })).toEqual({ input: 9, output: 9 });
  });
});

describe('places', () => {
  const never = new AbortController().signal;

  it("a run with many calls waiting: another run's call takes its turn after one of them", async () => {
    const limiter = createLimiter(1);
    const order: string[] = [];
    const first = await limiter.acquire('a', 'big', never);
    const take = (run: string, name: string) =>
      limiter.acquire('a', run, never).then((release) => {
        order.push(name);
        release();
      });
    const all = [take('big', 'big 1'), take('big', 'big 2'), take('big', 'big 3'), take('small', 'small 1')];
    first();
    await Promise.all(all);
    expect(order).toEqual(['big 1', 'small 1', 'big 2', 'big 3']);
  });

  it('accounts: do not share their places', async () => {
    const limiter = createLimiter(1);
    await limiter.acquire('a', 'r', never);
    await expect(limiter.acquire('b', 'r', never)).resolves.toBeTypeOf('function');
  });

  it('aborted while waiting: rejects, and the place goes to the next', async () => {
    const limiter = createLimiter(1);
    const first = await limiter.acquire('a', 'r', never);
    const stop = new AbortController();
    const given = limiter.acquire('a', 'r', stop.signal);
    const next = limiter.acquire('a', 'r', never);
    stop.abort(new Error('stopped'));
    await expect(given).rejects.toThrow('stopped');
    first();
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('a place handed back twice: counts once', async () => {
    const limiter = createLimiter(1);
    const first = await limiter.acquire('a', 'r', never);
    first();
    first();
    const second = await limiter.acquire('a', 'r', never);
    let got = false;
    const third = limiter.acquire('a', 'r', never).then(() => {
      got = true;
    });
    await Promise.resolve();
    expect(got).toBe(false);
    second();
    await third;
    expect(got).toBe(true);
  });
});

describe('the response format', () => {
  it("a schema that OpenAI's strict mode would refuse: is sent without it", () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } };
    expect(isStrict(open)).toBe(false);
    expect(formatOptions(open).providerOptions).toMatchObject({ openai: { strictJsonSchema: false } });
    expect(
      isStrict({
        type: 'object',
        properties: { a: { type: 'array', items: open } },
        required: ['a'],
        additionalProperties: false,
      }),
    ).toBe(false);
    expect(isStrict({ ...open, required: ['a'], additionalProperties: false })).toBe(true);
  });

  it('a schema of a list: is asked for in words, since no provider takes it', () => {
    const format = formatOptions({ type: 'array', items: { type: 'number' } });
    expect(format.responseFormat).toBeUndefined();
    expect(format.instruction).toContain('"array"');
  });
});

it('keys in texts: are taken out whole and in part', () => {
  expect(scrub('wrong key my-very-own-key.', 'my-very-own-key')).toBe('wrong key [key].');
  expect(scrub('Incorrect API key provided: sk-proj-abc***************wxyz.', undefined)).not.toContain('abc');
  expect(scrub('the model gpt-5 does not exist', undefined)).toBe('the model gpt-5 does not exist');
  expect(scrub('skip-this-one please, keyboard-layout too', undefined)).toBe(
    'skip-this-one please, keyboard-layout too',
  );
});
