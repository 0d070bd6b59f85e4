import type { Clock } from '../../ports/clock.ts';
import type { BackgroundBrowser } from '../browser-api.ts';

const KEY = 'tabloom.life';
/** A fault's sentence is ours, or the browser's; it is cut all the same. */
const MAX_MESSAGE = 500;

interface Kept {
  lives: number;
  lastFault?: { at: number; message: string };
}

/**
 * What the background remembers of itself for the diagnostics: when this life began, how many there were since the browser was started,
 * and the last fault. Kept in `storage.session`, which outlives the worker but not the browser. Never rejects: without that storage the
 * rest goes on.
 */
export class Life {
  readonly startedAt: number;
  readonly #browser: Pick<BackgroundBrowser, 'storage'>;
  readonly #clock: Pick<Clock, 'now'>;
  #readyAt: number | undefined;
  #fault: Kept['lastFault'];
  #kept: Promise<Kept | undefined> | undefined;

  /** @param began when this life began, epoch milliseconds; where nobody says, now */
  constructor(browser: Pick<BackgroundBrowser, 'storage'>, clock: Pick<Clock, 'now'>, began?: number) {
    this.#browser = browser;
    this.#clock = clock;
    this.startedAt = began ?? clock.now();
  }

  /** Counts this life, once. */
  begin(): void {
    this.#kept ??= this.#count();
  }

  /** When everything that the life before had left was recovered. */
  get readyAt(): number | undefined {
    return this.#readyAt;
  }

  ready(): void {
    this.#readyAt ??= this.#clock.now();
  }

  /** @param message one sentence that holds nothing of a run but its id */
  fault(message: string): void {
    const fault = { at: this.#clock.now(), message: message.slice(0, MAX_MESSAGE) };
    this.#fault = fault;
    this.begin();
    void this.#kept?.then((kept) => kept && this.#keep({ ...kept, lastFault: fault }));
  }

  async facts(): Promise<{ startedAt: number; recoveredMs?: number; lives?: number; lastFault?: Kept['lastFault'] }> {
    this.begin();
    const kept = await this.#kept;
    const lastFault = this.#fault ?? kept?.lastFault;
    return {
      startedAt: this.startedAt,
      ...(this.#readyAt === undefined ? {} : { recoveredMs: this.#readyAt - this.startedAt }),
      ...(kept ? { lives: kept.lives } : {}),
      ...(lastFault ? { lastFault } : {}),
    };
  }

  async #count(): Promise<Kept | undefined> {
    try {
      const before = (await this.#browser.storage.session.get(KEY))[KEY] as Kept | undefined;
      const kept = { ...before, lives: (before?.lives ?? 0) + 1 };
      await this.#browser.storage.session.set({ [KEY]: kept });
      return kept;
    } catch {
      return undefined;
    }
  }

  async #keep(kept: Kept): Promise<void> {
    await this.#browser.storage.session.set({ [KEY]: kept }).catch(() => undefined);
  }
}
