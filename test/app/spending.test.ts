import { describe, expect, it } from 'vitest';
import { spendingOf } from '../../src/app/spending.ts';
import type { SpendingRow } from '../../src/model/spending.ts';
import { setUp } from './world.ts';

const row = (month: string, workflowId: string, runId: string, usd: number | undefined, tokens = 10): SpendingRow => ({
  month,
  runId,
  workflowId,
  workflowName: workflowId.toUpperCase(),
  usage: { inputTokens: tokens, outputTokens: 0, ...(usd === undefined ? {} : { usd }) },
  calls: 2,
  unpriced: usd === undefined ? tokens : 0,
});
const NOW = Date.parse('2026-12-05T10:00:00Z');

describe('what models have cost', () => {
  it('is summed by month and workflow, the dearest first, with the present month also when nothing was spent', () => {
    const rows = [
      row('2026-11', 'a', 'r1', 0.25),
      row('2026-11', 'b', 'r2', 2),
      row('2026-11', 'a', 'r3', 0.25),
      row('2026-11', 'c', 'r4', undefined, 400),
      row('2026-01', 'a', 'r0', 1),
    ];
    const spending = spendingOf(rows, { usd: 5, raised: { month: '2026-11', usd: 9 } }, NOW);
    expect(spending).toMatchObject({ month: '2026-12', usd: 5 });
    expect(spending).not.toHaveProperty('raised');
    expect(spending.months.map(({ month, usage, calls, unpriced }) => [month, usage.usd, calls, unpriced])).toEqual([
      ['2026-12', undefined, 0, 0],
      ['2026-11', 2.5, 8, 400],
      ['2026-01', 1, 2, 0],
    ]);
    expect(spending.months[1]?.workflows.map(({ name, usage }) => [name, usage.usd])).toEqual([
      ['B', 2],
      ['A', 0.5],
      ['C', undefined],
    ]);
  });

  it('a limit is kept over the worker, raised for the month alone, and taken away', async () => {
    const { ask, restart } = setUp();
    expect(await ask('spending.raise', { usd: 5 })).toMatchObject({ ok: false, code: 'not_waiting' });
    expect(await ask('spending.set', { usd: 2 })).toMatchObject({ usd: 2 });
    expect(await ask('spending.raise', { usd: 2 })).toMatchObject({ ok: false, code: 'form_invalid' });
    expect(await ask('spending.raise', { usd: 3 })).toEqual({ ok: true });
    const next = restart();
    expect(await next.ask('spending.get', {})).toMatchObject({ usd: 2, raised: 3, month: '1970-01' });
    expect(await next.ask('spending.set', { usd: null })).not.toHaveProperty('usd');
    await expect(next.ask('spending.set', { usd: -1 })).rejects.toThrow('bad_request');
  });
});
