import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Usage } from '../../src/model/run.ts';
import { endOf, limitOf, monthOf } from '../../src/model/spending.ts';
import type { ModelPort } from '../../src/ports/model.ts';
import { START, World, workflow } from '../support/engine.ts';

/** A model that takes what a test says, or what holds it. It costs 2 USD per million tokens of a prompt and 10 of a reply. */
function model(usages: Partial<Usage>[], hold?: () => Promise<void>): ModelPort {
  const left = [...usages];
  return {
    generate: async () => {
      const usage = { inputTokens: 0, outputTokens: 0, ...(left.shift() ?? {}) };
      await hold?.();
      return { text: 'hello', usage, model: 'm:m', finish: 'stop' as const };
    },
    configured: async () => true,
    price: () => ({ input: 2, output: 10 }),
  };
}

const ask = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'recipe',
  prompt: 'x',
  maxTokens: 500,
  ...more,
});
const rows = (world: World) =>
  world.memory.spending().then((all) => all.map(({ month, runId, usage, calls }) => [month, runId, usage.usd, calls]));

describe('what models have cost in a month', () => {
  it('is counted with the results themselves, by the month in which they came, and not again after a death', async () => {
    const world = new World({ modelPort: model([{ usd: 0.1 }, { usd: 0.2 }, { usd: 0.4 }]) });
    await world.start(
      workflow([ask('a'), ask('b'), { id: 'w', type: 'wait', for: '40d' }, ask('c')], { timeout: '24h' }),
    );
    await world.settle();
    const { runId } = world;
    expect(await rows(world)).toEqual([['2026-01', runId, expect.closeTo(0.3), 2]]);
    await world.crash();
    await world.runOut();
    expect(await world.run()).toMatchObject({ status: 'completed' });
    expect(await rows(world)).toEqual([
      ['2026-01', runId, expect.closeTo(0.3), 2],
      ['2026-02', runId, 0.4, 1],
    ]);
    // A run that is removed has cost what it has cost.
    await world.memory.removeRun(runId);
    expect(await rows(world)).toHaveLength(2);
  });

  it('counts what a failed answer has cost, tokens without a price apart, and each call of a called run once', async () => {
    const child = workflow([ask('inner')], { id: 'child', name: 'Child' });
    const usages = [{ usd: 1 }, { inputTokens: 30, outputTokens: 12 }];
    const world = new World({ modelPort: model(usages) });
    await world.save(child);
    await world.start(workflow([{ id: 'sub', type: 'subworkflow', workflow: 'child' }, ask('own')]));
    await world.runOut();
    const found = await world.memory.spending({ month: '2026-01' });
    expect(found.map(({ workflowId, usage, calls, unpriced }) => [workflowId, usage.usd, calls, unpriced])).toEqual([
      ['child', 1, 1, 0],
      ['w', undefined, 1, 42],
    ]);
    expect((await world.run()).usage).toMatchObject({ usd: 1, inputTokens: 30 });
  });
});

describe('a budget of the month', () => {
  it('holds for all runs together: the call that would break it waits, and goes on when it is raised', async () => {
    const world = new World({ modelPort: model([{ usd: 0.006 }, { usd: 0.001 }]) });
    await world.engine.months.set({ usd: 0.009 });
    await world.start(workflow([ask('a')], { id: 'first' }));
    await world.runOut();
    expect((await world.run()).status).toBe('completed');
    await world.start(workflow([ask('b')]));
    await world.settle();
    const { wait } = (await world.step('b')) ?? {};
    expect(wait).toMatchObject({ kind: 'budget', subject: 'month:2026-01', due: Date.parse('2026-02-01T00:00:00Z') });
    expect(wait?.reason).toContain('0.0060 USD of 0.0090 USD of the monthly budget are spent');
    // The run itself has no budget that could be raised.
    expect(await world.send({ type: 'raiseBudget', runId: world.runId, usd: 5 })).toMatchObject({ ok: false });
    await world.crash();
    await world.settle();
    expect((await world.run()).status).toBe('waiting');
    await world.engine.months.set({ usd: 0.009, raised: { month: '2025-12', usd: 9 } });
    await world.settle();
    expect((await world.run()).status).toBe('waiting');
    await world.engine.months.set({ usd: 0.009, raised: { month: '2026-01', usd: 9 } });
    await world.settle();
    expect(await world.run()).toMatchObject({ status: 'completed', usage: { usd: 0.001 } });
  });

  it('is another one when the next month begins: the run goes on by itself', async () => {
    const world = new World({ modelPort: model([{ usd: 0.009 }, { usd: 0.002 }]) });
    await world.engine.months.set({ usd: 0.009 });
    await world.start(workflow([ask('a'), ask('b')]));
    await world.settle();
    expect((await world.run()).status).toBe('waiting');
    world.clock.advanceTo(Date.parse('2026-01-31T23:59:59Z'));
    await world.settle();
    expect((await world.run()).status).toBe('waiting');
    world.clock.advanceTo(Date.parse('2026-02-01T00:00:00Z'));
    await world.settle();
    expect((await world.run()).status).toBe('completed');
    expect((await rows(world)).map(([month]) => month)).toEqual(['2026-01', '2026-02']);
  });

  it('counts what calls of other runs under way may still cost', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((done) => {
      letGo = done;
    });
    const world = new World({ modelPort: model([{ usd: 0.001 }, { usd: 0.001 }], () => held) });
    // One call may cost about half a cent.
    await world.engine.months.set({ usd: 0.008 });
    await world.start(workflow([ask('a')], { id: 'first' }));
    await world.settle();
    const first = world.runId;
    await world.start(workflow([ask('b')]));
    await world.settle();
    expect((await world.run()).status).toBe('waiting');
    letGo();
    await world.settle();
    expect((await world.memory.run(first))?.status).toBe('completed');
    // What was promised is free by then.
    expect((await world.run()).status).toBe('completed');
  });

  it('a run with a budget of its own is asked about that first', async () => {
    const world = new World({ modelPort: model([]) });
    await world.engine.months.set({ usd: 0.000_001 });
    await world.start(workflow([ask('a')], { budget: { usd: 0.000_001 } }));
    await world.settle();
    expect((await world.step('a'))?.wait).not.toHaveProperty('subject');
    expect(await world.send({ type: 'raiseBudget', runId: world.runId, usd: 5 })).toMatchObject({ ok: true });
    await world.settle();
    expect((await world.step('a'))?.wait).toMatchObject({ subject: 'month:2026-01' });
    await world.engine.months.set({});
    await world.settle();
    expect((await world.run()).status).toBe('completed');
  });
});

it('months are those of UTC, and a raised limit is of its month alone', () => {
  expect([START, START - 1].map(monthOf)).toEqual(['2026-01', '2025-12']);
  expect(endOf('2025-12')).toBe(START);
  expect(new Date(endOf('2026-01')).toISOString()).toBe('2026-02-01T00:00:00.000Z');
  const raised = { usd: 1, raised: { month: '2026-01', usd: 3 } };
  expect([limitOf({}, '2026-01'), limitOf(raised, '2026-01'), limitOf(raised, '2026-02')]).toEqual([undefined, 3, 1]);
});
