import { TabloomError } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** The time an action has, and whether it is still wanted. */
export class Allowance {
  readonly signal: AbortSignal;
  readonly end: number;
  readonly #clock: Clock;

  constructor(clock: Clock, ms: number, signal: AbortSignal) {
    this.#clock = clock;
    this.end = clock.now() + ms;
    this.signal = signal;
  }

  /** A shorter one within this one. */
  within(ms: number): Allowance {
    return new Allowance(this.#clock, Math.min(ms, this.left), this.signal);
  }

  get left(): number {
    return Math.max(0, this.end - this.#clock.now());
  }

  get over(): boolean {
    return this.left <= 0;
  }

  /** @throws TabloomError `cancelled` once the attempt was called off. */
  check(): void {
    if (this.signal.aborted) throw new TabloomError('cancelled', 'The step was called off.');
  }

  /** Calls back when the time is over. @returns calls that off */
  at(over: () => void): () => void {
    return this.#clock.setTimer(this.left, over);
  }

  /** Waits, at most until the end. @throws TabloomError `cancelled` */
  async sleep(ms: number): Promise<void> {
    this.check();
    await new Promise<void>((resolve) => {
      const stop = this.#clock.setTimer(Math.min(ms, Math.max(this.left, 1)), done);
      const { signal } = this;
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        stop();
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
    this.check();
  }
}

/** Settles as the promise does, or with `late` after `ms`; a late result is dropped. */
export function withTimeout<T, L>(
  clock: Clock,
  ms: number,
  promise: Promise<T>,
  late: L,
  signal?: AbortSignal,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const finish = (): void => {
      stop();
      signal?.removeEventListener('abort', giveUp);
    };
    const giveUp = (): void => {
      finish();
      resolve(late);
    };
    const stop = clock.setTimer(ms, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    promise.then(
      (value) => {
        finish();
        resolve(value);
      },
      (error: unknown) => {
        finish();
        reject(error);
      },
    );
  });
}

/** Waits for all of them, also where one fails. @throws what the first of them that failed has thrown, in their order */
export async function inParallel<const T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(work);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}
