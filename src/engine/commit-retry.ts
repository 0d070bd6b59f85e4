import { TabloomError, toErrorInfo } from '../model/errors.ts';
import { isObject } from '../model/json.ts';
import type { Clock } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';

/** How long is waited before a commit is tried again, milliseconds; twice as long each time. */
const FIRST_DELAY = 250;
const MAX_DELAY = 10_000;

/**
 * Writes commits of one run. One that holds a result of work is not given up when the store fails: the result is all that is known of what
 * happened outside, so it is kept in memory and the same commit is tried again for as long as this process lives. The numbers of its events
 * fence it as ever: it is written once or not at all.
 */
export class CommitRetry {
  readonly #store: Pick<Store, 'commit' | 'events'>;
  readonly #clock: Clock;
  #wake: ((goOn: boolean) => void) | undefined;

  constructor(store: Pick<Store, 'commit' | 'events'>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** True while a commit waits to be tried again. */
  get waiting(): boolean {
    return this.#wake !== undefined;
  }

  /** Tries a commit that waits again at once: there is reason to think that the store works. */
  nudge(): void {
    this.#wake?.(true);
  }

  /** Gives a commit that waits up: its `write` rejects with the store's last error. */
  abandon(): void {
    this.#wake?.(false);
  }

  /**
   * @param keep whether to go on trying
   * @param failed called at the first failure of a commit that is kept, before the first wait
   * @throws Error of the store: at once without `keep`, for a conflict, or where the store says that it will never work again
   */
  async write(commit: Commit, keep: boolean, failed: (error: Error) => void): Promise<void> {
    for (let delay = FIRST_DELAY, tries = 0; ; delay = Math.min(MAX_DELAY, delay * 2), tries++) {
      try {
        await this.#store.commit(commit);
        return;
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(toErrorInfo(thrown).message);
        // A store that had written before it failed refuses the same events.
        if (error.name === 'StoreConflict' && tries > 0 && (await this.#isWritten(commit))) return;
        if (!keep || error.name === 'StoreConflict' || isFinal(error)) throw error;
        if (tries === 0) failed(error);
        if (!(await this.#pause(delay))) throw error;
      }
    }
  }

  #pause(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = this.#clock.setTimer(ms, () => this.#wake?.(true));
      this.#wake = (goOn) => {
        stop();
        this.#wake = undefined;
        resolve(goOn);
      };
    });
  }

  async #isWritten({ runId, events }: Commit): Promise<boolean> {
    const first = events[0];
    if (!first) return false;
    try {
      const stored = await this.#store.events(runId, first.seq - 1);
      return events.every((event, index) => stored[index]?.hash === event.hash);
    } catch {
      return false;
    }
  }
}

/** The store has said that it will not work again in this process. */
function isFinal(error: Error): boolean {
  return TabloomError.is(error) && isObject(error.info.details) && error.info.details.final === true;
}
