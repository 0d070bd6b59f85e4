import type { Clock } from '../ports/clock.ts';

/** One timer for the earliest of many due times. */
export class DueTimer {
  private readonly clock: Clock;
  private readonly ring: () => void;
  private readonly moved: ((at: number | undefined) => void) | undefined;
  private at: number | undefined;
  private stop: (() => void) | undefined;

  /** @param moved is told each time the earliest due time has changed */
  constructor(clock: Clock, ring: () => void, moved?: (at: number | undefined) => void) {
    this.clock = clock;
    this.ring = ring;
    this.moved = moved;
  }

  /** Rings at a moment, epoch milliseconds, or not at all; only one that differs from the one set is news. */
  set(at: number | undefined): void {
    if (at === this.at) return;
    this.clear();
    this.at = at;
    this.moved?.(at);
    if (at !== undefined) this.stop = this.clock.setTimer(Math.max(1, at - this.clock.now()), this.ring);
  }

  clear(): void {
    this.at = undefined;
    this.stop?.();
    this.stop = undefined;
  }
}
