import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Usage } from '../../src/model/run.ts';
import type { ModelPort } from '../../src/ports/model.ts';
import { World, workflow } from '../support/engine.ts';

/** A model that costs 2 USD per million tokens of a prompt and 10 of a reply, and takes what a test says. */
function model(usages: Partial<Usage>[], known = true): ModelPort {
  const left = [...usages];
  return {
    generate: async () => {
      const usage = { inputTokens: 0, outputTokens: 0, ...(left.shift() ?? {}) };
      return { text: 'hello', usage, model: 'm:m', finish: 'stop' as const };
    },
    configured: async () => true,
    price: () => (known ? { input: 2, output: 10 } : undefined),
  };
}

const ask = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'recipe',
  prompt: 'x',
  maxTokens: 500,
  ...more,
});

/** A run of some recipes under a budget, as far as it gets by itself. */
async function run(
  budget: JsonObject,
  steps: JsonObject[],
  usages: Partial<Usage>[] = [],
  known = true,
): Promise<World> {
  const world = new World({ modelPort: model(usages, known) });
  await world.start(workflow(steps, { budget }));
  await world.runOut();
  return world;
}

const raise = (world: World, limit: { usd?: number; tokens?: number }) =>
  world.send({ type: 'raiseBudget', runId: world.runId, ...limit });

describe('a budget in dollars', () => {
  it('stops before the call that would break it, says so in dollars, and goes on when it is raised', async () => {
    const world = await run({ usd: 0.009 }, [ask('a'), ask('b')], [{ usd: 0.006 }, { usd: 0.001 }]);
    expect((await world.run()).status).toBe('waiting');
    const { wait } = (await world.step('b')) ?? {};
    expect(wait?.reason).toMatch(
      /^0\.0060 of 0\.0090 USD are spent|^0\.0060 USD of 0\.0090 USD are spent, and this call may cost 0\.0\d+ USD$/,
    );
    expect(wait?.data).toMatchObject({ limit: { usd: 0.009 }, spent: { usd: 0.006 } });
    expect(await raise(world, { usd: 0.005 })).toMatchObject({ ok: false, code: 'form_invalid' });
    expect(await raise(world, { usd: 1 })).toMatchObject({ ok: true });
    await world.runOut();
    expect(await world.run()).toMatchObject({ status: 'completed', usage: { usd: 0.007 } });
  });

  it('fails where it says so, with larger sums in cents', async () => {
    const world = await run({ usd: 0.5, onExceeded: 'fail' }, [ask('a'), ask('b')], [{ usd: 0.499 }]);
    expect((await world.run()).error).toMatchObject({
      code: 'budget_exceeded',
      message: expect.stringContaining('0.50 USD'),
    });
  });

  it('counts tokens alone for a model whose price is not known', async () => {
    const free = await run({ usd: 0.001 }, [ask('a')], [], false);
    expect((await free.run()).status).toBe('completed');
    const both = await run({ usd: 5, tokens: 100 }, [ask('a')], [], false);
    expect((await both.step('a'))?.wait?.data).toMatchObject({ limit: { tokens: 100, usd: 5 } });
  });
});

describe('what is spent', () => {
  it('is summed with all that is known of it', async () => {
    const usages = [
      { inputTokens: 3, cachedTokens: 2 },
      { outputTokens: 4, usd: 0.25, estimated: true },
      { inputTokens: 1, cachedTokens: 1, usd: 0.5 },
    ];
    const world = await run({ tokens: 10_000 }, [ask('a'), ask('b'), ask('c')], usages);
    expect((await world.run()).usage).toEqual({
      inputTokens: 4,
      outputTokens: 4,
      cachedTokens: 3,
      usd: 0.75,
      estimated: true,
    });
  });

  it('holds back a call beside one that is still to answer', async () => {
    const world = new World({ modelPort: { ...model([]), generate: ({ signal }) => world.hang(signal) } });
    await world.start(
      workflow([ask('a', { dependsOn: [] }), ask('b', { dependsOn: [] })], { budget: { usd: 0.009, tokens: 100_000 } }),
    );
    expect([await world.status('a'), await world.status('b')]).toEqual(['running', 'waiting']);
    await world.do('cancel');
    await world.runOut();
  });
});

describe('a call whose cost cannot be told', () => {
  it.each([
    ['of a step', ask('a', { maxTokens: '{{"many"}}' })],
    ['of a recipe whose input does not fit', { id: 'a', type: 'recipe', recipe: 'r', input: { x: 1 } }],
  ])('%s: is the step’s error', async (_, step) => {
    const world = new World({ modelPort: model([]) });
    const recipes = { r: { prompt: '{{input.x}}', inputSchema: { type: 'object', required: ['y'] } } };
    await world.start(workflow([step], { budget: { tokens: 1000 }, recipes }));
    await world.runOut();
    expect((await world.run()).error?.code).toBe('input_invalid');
  });
});
