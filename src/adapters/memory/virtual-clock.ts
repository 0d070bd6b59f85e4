import type { Clock } from '../../ports/index.ts';

/** A clock that stands still until it is told to move: hours pass in no time, and always in the same order. */
export interface VirtualClock extends Clock {
  /**
   * Moves to the epoch millisecond `ms`, firing the timers due on the way, each at its own time and those set for one time in the order
   * they were set. Timers that a callback sets fire too, if they are due by then. A time already past moves nothing.
   */
  advanceTo(ms: number): void;
  /** When the next timer is due, epoch milliseconds; `undefined` when none is set. */
  next(): number | undefined;
}

interface Timer {
  due: number;
  /** Order of setting, for timers due at the same time. */
  order: number;
  callback: (() => void) | undefined;
}

/** Makes a clock that shows `start` (epoch milliseconds). */
export function createVirtualClock(start = 0): VirtualClock {
  let now = start;
  let count = 0;
  let cancelled = 0;
  let heap: Timer[] = [];

  function peek(): Timer | undefined {
    while (heap[0] && !heap[0].callback) {
      pop(heap);
      cancelled -= 1;
    }
    return heap[0];
  }

  /** Most timers are timeouts that are taken back long before they are due; without this they would all stay until then. */
  function sweep(): void {
    if (cancelled < 64 || cancelled * 2 < heap.length) return;
    heap = heap.filter((timer) => timer.callback).sort((a, b) => (isBefore(a, b) ? -1 : 1));
    cancelled = 0;
  }

  return {
    now: () => now,
    setTimer(ms, callback) {
      const timer: Timer = { due: now + Math.max(ms, 0), order: count++, callback };
      push(heap, timer);
      return () => {
        if (!timer.callback) return;
        timer.callback = undefined;
        cancelled += 1;
        sweep();
      };
    },
    advanceTo(ms) {
      for (let timer = peek(); timer && timer.due <= ms; timer = peek()) {
        pop(heap);
        now = Math.max(now, timer.due);
        const { callback } = timer;
        timer.callback = undefined;
        callback?.();
      }
      now = Math.max(now, ms);
    },
    next: () => peek()?.due,
  };
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function push(heap: Timer[], timer: Timer): void {
  let index = heap.push(timer) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] as Timer;
    if (!isBefore(timer, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    const right = heap[child + 1];
    if (right && isBefore(right, heap[child] as Timer)) child += 1;
    const below = heap[child] as Timer;
    if (!isBefore(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
}
