import { describe, expect, it } from 'vitest';
import type { StepRunRow, Usage } from '../../src/model/run.ts';
import { forecastOf } from '../../src/view/forecast.ts';
import { runTree, type TreeNode } from '../../src/view/run-tree.ts';
import { stepRow } from '../support/rows.ts';

const usage = (tokens: number, usd?: number): Usage => ({
  inputTokens: tokens,
  outputTokens: 0,
  ...(usd === undefined ? {} : { usd }),
});
let order = 0;
const row = (path: string, over: Partial<StepRunRow> = {}) => {
  order += 1;
  return stepRow(path, { runId: 'r', order, ...over });
};
const loop = (total: number, over: Partial<StepRunRow> = {}) =>
  row('each', {
    type: 'loop',
    status: 'running',
    input: { over: Array.from({ length: total }, (_, n) => n) },
    ...over,
  });
const treeOf = (...rows: StepRunRow[]): TreeNode => runTree(rows)[0] as TreeNode;
/** Items that have ended, each at the same cost. */
const ended = (count: number, used?: Usage) =>
  Array.from({ length: count }, (_, n) => row(`each[${n}]/grade`, { type: 'recipe', usage: used }));

describe('what the rest of a loop will cost', () => {
  it('the mean of the ended items, times those that are left', () => {
    expect(forecastOf(treeOf(loop(40), ...ended(6, usage(100, 0.012))))).toEqual({
      remaining: 34,
      tokens: 3400,
      usd: expect.closeTo(0.408, 10),
    });
  });

  it('what an item under way has spent is not counted again, and an item counts with all below it', () => {
    const rows = [
      ...ended(3, usage(100, 0.01)),
      ...[0, 1, 2].map((n) => row(`each[${n}]/again`, { type: 'recipe', usage: usage(50, 0.02) })),
      row('each[3]/grade', { type: 'recipe', usage: usage(100, 0.01) }),
      row('each[3]/again', { type: 'recipe', status: 'running' }),
    ];
    expect(forecastOf(treeOf(loop(5), ...rows))).toEqual({ remaining: 2, tokens: 200, usd: expect.closeTo(0.05, 10) });
  });

  it('an agent counts once, although its calls have rows of their own', () => {
    const rows = [0, 1, 2].flatMap((n) => [
      row(`each[${n}]/find`, { type: 'agent', usage: usage(300, 0.03) }),
      row(`each[${n}]/find/act[0]/model`, { type: 'agent_turn', usage: usage(300, 0.03) }),
    ]);
    expect(forecastOf(treeOf(loop(4), ...rows))).toMatchObject({ remaining: 1, tokens: 300 });
  });

  it('without a price of any of it: tokens only; a call that took none needs no price', () => {
    const mixed = [...ended(3, usage(100, 0.01)), row('each[3]/other', { type: 'recipe', usage: usage(10) })];
    expect(forecastOf(treeOf(loop(8), ...mixed))).toEqual({ remaining: 4, tokens: 310 });
    const cached = [...ended(3, usage(100, 0.01)), row('each[3]/other', { type: 'recipe', usage: usage(0) })];
    expect(forecastOf(treeOf(loop(8), ...cached))).toMatchObject({ usd: expect.closeTo(0.03, 10) });
  });

  it('says nothing before three items have ended, when none is left, once the loop has ended, and of what costs nothing', () => {
    expect(forecastOf(treeOf(loop(40), ...ended(2, usage(100, 0.01))))).toBeUndefined();
    expect(forecastOf(treeOf(loop(3), ...ended(3, usage(100, 0.01))))).toBeUndefined();
    expect(forecastOf(treeOf(loop(40, { status: 'cancelled' }), ...ended(6, usage(100, 0.01))))).toBeUndefined();
    expect(forecastOf(treeOf(loop(40), ...ended(6)))).toBeUndefined();
    expect(
      forecastOf(treeOf(row('each', { type: 'agent', status: 'running' }), ...ended(6, usage(1)))),
    ).toBeUndefined();
  });
});
