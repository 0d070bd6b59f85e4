import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { systemClock, systemRandom } from '../../../src/adapters/clock.ts';
import { createVirtualClock, seededRandom } from '../../../src/adapters/memory/index.ts';

test('timers due on the way: fired each at its own time, those of one time in the order they were set', () => {
  const clock = createVirtualClock(1000);
  const fired: [string, number][] = [];
  const note = (name: string) => () => void fired.push([name, clock.now()]);
  clock.setTimer(50, note('late'));
  clock.setTimer(10, note('first'));
  clock.setTimer(10, note('second'));
  clock.setTimer(-5, note('overdue'));
  expect(clock.next()).toBe(1000);
  clock.advanceTo(1049);
  expect(fired).toEqual([
    ['overdue', 1000],
    ['first', 1010],
    ['second', 1010],
  ]);
  expect(clock.now()).toBe(1049);
  expect(clock.next()).toBe(1050);
});

test('a timer set by a callback: fires in the same move when it is due by then', () => {
  const clock = createVirtualClock();
  const fired: number[] = [];
  const again = (): void => {
    fired.push(clock.now());
    if (fired.length < 5) clock.setTimer(10, again);
  };
  clock.setTimer(10, again);
  clock.advanceTo(35);
  expect(fired).toEqual([10, 20, 30]);
  expect(clock.next()).toBe(40);
});

test('a timer that is taken back: never fires, and is not the next one', () => {
  const clock = createVirtualClock();
  const fired: string[] = [];
  const cancel = clock.setTimer(5, () => fired.push('no'));
  clock.setTimer(7, () => fired.push('yes'));
  cancel();
  cancel();
  expect(clock.next()).toBe(7);
  clock.advanceTo(100);
  expect(fired).toEqual(['yes']);
  expect(clock.next()).toBeUndefined();
});

test('a time that has passed: nothing moves', () => {
  const clock = createVirtualClock(100);
  clock.advanceTo(50);
  expect(clock.now()).toBe(100);
});

test('any timers, any of them taken back: the rest fire sorted by due time, then by order of setting', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ ms: fc.nat(50), cancel: fc.boolean() }), { maxLength: 300 }), (timers) => {
      const clock = createVirtualClock();
      const fired: number[] = [];
      const cancels = timers.map(({ ms }, index) => clock.setTimer(ms, () => fired.push(index)));
      for (const [index, { cancel }] of timers.entries()) if (cancel) cancels[index]?.();
      clock.advanceTo(50);
      const left = timers.map((timer, index) => ({ ...timer, index })).filter(({ cancel }) => !cancel);
      expect(fired).toEqual(left.sort((a, b) => a.ms - b.ms || a.index - b.index).map(({ index }) => index));
    }),
  );
});

test('one seed: the same numbers and ids each time, another seed others', () => {
  const draw = (seed: number | string): unknown[] => {
    const random = seededRandom(seed);
    return [random.next(), random.id(), random.next(), random.id()];
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw('case a')).toEqual(draw('case a'));
  expect(draw(1)).not.toEqual(draw(2));
});

test.each([
  ['seeded', seededRandom(7)],
  ['system', systemRandom],
])('%s random: spread over [0, 1), ids unlike and safe in a URL', (_name, random) => {
  const buckets = new Array<number>(10).fill(0);
  for (let i = 0; i < 10_000; i++) {
    const value = random.next();
    expect(value >= 0 && value < 1).toBe(true);
    const bucket = Math.floor(value * 10);
    buckets[bucket] = (buckets[bucket] ?? 0) + 1;
  }
  expect(Math.min(...buckets)).toBeGreaterThan(800);
  const ids = Array.from({ length: 1000 }, () => random.id());
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/);
});

test('a system timer of 60 days: waited for in parts, fires once at its time', () => {
  vi.useFakeTimers();
  try {
    const day = 86_400_000;
    let fired = 0;
    systemClock.setTimer(60 * day, () => (fired += 1));
    const cancel = systemClock.setTimer(60 * day, () => (fired += 100));
    vi.advanceTimersByTime(59 * day);
    expect(fired).toBe(0);
    cancel();
    vi.advanceTimersByTime(2 * day);
    expect(fired).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});
