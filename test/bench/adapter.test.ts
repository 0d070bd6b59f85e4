import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge } from './goals.ts';
import { nextNumber } from './workbench.ts';

// A file of its own for other programs, so without types.
const { default: adapter, checkpoints } = (await import('./adapter.mjs' as string)) as {
  checkpoints: string[];
  default: (given: object) => Promise<Record<string, (n?: number) => Promise<() => Promise<number>>>>;
};
const shapes = { step: nextNumber, diamond: (n: number) => ({ n0: [], [`n${n - 1}`]: ['n0'] }) };

it.each(checkpoints)('%s: every workload does what it is measured for, again and again', async (cp) => {
  const dir = mkdtempSync(join(tmpdir(), 'tabloom-bench-'));
  const bench = await adapter({ cp, dir, shapes });
  for (const [work, n, count] of [
    ['chain', 4, 4],
    ['fan', 4, 5],
    ['loop', 4, 4],
    ['dag', 2, 2],
  ] as const) {
    const run = await bench[work]?.(n);
    expect(await run?.(), work).toBe(count);
    expect(await run?.(), work).toBe(count);
  }
  await bench.close?.();
  rmSync(dir, { recursive: true });
});

it('runs that wait: a second engine on the same log finishes each of them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'tabloom-bench-'));
  const half = async (phase: 'start' | 'resume'): Promise<unknown[]> => {
    const bench = (await adapter({ cp: 'log', dir, shapes })) as unknown as {
      approvals(): Record<typeof phase, (n: number) => Promise<unknown>>;
      close(): Promise<void>;
    };
    const done = [];
    for (const n of [0, 1, 2]) done.push(await bench.approvals()[phase](n));
    await bench.close();
    return done;
  };
  await half('start');
  expect(await half('resume')).toEqual([true, true, true]);
  rmSync(dir, { recursive: true });
});

it('the goals: said to be missed when they are', () => {
  const figures = (each: number) => ({
    cpu: () => each,
    wall: () => each,
    approvals: { wall: each, cpu: each },
    heapKept: each,
  });
  const unmet = (each: number) => judge(figures(each)).filter(({ met }) => !met).length;
  // Growth is a ratio of equal figures in both.
  expect(unmet(0.5)).toBe(0);
  expect(unmet(100_000)).toBe(6);
});
