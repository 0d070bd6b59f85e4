import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

const KEY = 'presence';
/** A sign of life is stored no more often than this, milliseconds. */
const PACE = 60_000;

/**
 * When the browser was last known to be there, kept in the store. While it is, its alarms wake a worker for what falls due, so that a worker
 * that sleeps misses nothing; the first worker of the browser's next life finds here since when nobody could be woken.
 */
export class Presence {
  readonly #store: Pick<Store, 'setting' | 'setSetting'>;
  readonly #clock: Clock;
  readonly #session: string;
  /** When the last sign was stored; until the runs are recovered none is, so that a recovery that is cut off is told again. */
  #at = Number.POSITIVE_INFINITY;
  #kept = Number.NEGATIVE_INFINITY;

  /** @param session mark of this life of the browser */
  constructor(store: Pick<Store, 'setting' | 'setSetting'>, clock: Clock, session: string) {
    this.#store = store;
    this.#clock = clock;
    this.#session = session;
  }

  /**
   * Last sign of life of the browser before this one, epoch milliseconds; `undefined` where this one has left signs already, or none is known.
   * @throws Error of the store
   */
  async goneSince(): Promise<number | undefined> {
    const kept = await this.#store.setting(KEY);
    if (typeof kept?.at !== 'number') return undefined;
    if (kept.session !== this.#session) return kept.at;
    this.#kept = kept.at;
    return undefined;
  }

  /** All runs are recovered. */
  start(): void {
    this.#at = this.#kept;
    this.seen();
  }

  /** The browser is there. Never fails: where this cannot be stored, an earlier sign stands, and more time counts as gone. */
  seen(): void {
    const at = this.#clock.now();
    if (at - this.#at < PACE) return;
    this.#at = at;
    this.#store.setSetting(KEY, { at, session: this.#session }).catch(() => undefined);
  }
}
