import type { Clock } from '../ports/clock.ts';
import type { BackgroundBrowser } from './browser-api.ts';

/** Wakes a worker that died while a run was at work. */
export const WATCHDOG_ALARM = 'tabloom.watchdog';
/** Wakes a worker for the earliest due time of all waiting runs. */
export const DUE_ALARM = 'tabloom.due';

/** Store builds of Chromium fire no alarm earlier than this; unpacked ones do, so it is clamped here and tests see what users get. */
const SHORTEST_ALARM = 30_000;
/** The browser stops a worker after 30 s without events; a call of an extension API counts as one (measured), a timer or a fetch does not. */
const STAY_ALIVE = 20_000;
/** A due time that keeps moving (each attempt has one) is written at most this often, milliseconds. */
const ALARM_PACE = 1000;

export interface ScheduleParts {
  browser: Pick<BackgroundBrowser, 'alarms' | 'runtime'>;
  clock: Clock;
  /** Whether an attempt or backoff is under way in this worker. */
  running(): boolean;
}

/**
 * Keeps the worker alive while a run is at work, and sees to it that it is woken when not. Alarms are lost with the browser, so `boot`
 * writes them anew each time.
 */
export class Schedule {
  readonly #parts: ScheduleParts;
  #due: number | undefined;
  /** Earliest due time of each that has any. */
  readonly #dues = new Map<'runs' | 'triggers', number | undefined>();
  /** What the alarm is set to; `undefined` for none, `null` for not known. */
  #written: number | undefined | null = null;
  #pacing = false;
  #alive = false;
  #stopped = false;

  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /** For the diagnostics: what is due, whether a run is at work, and whether the worker is being kept alive for it. */
  get state(): { due: number | undefined; running: boolean; alive: boolean } {
    return { due: this.#due, running: this.#parts.running(), alive: this.#alive };
  }

  /** After recovery: whatever alarms an earlier worker has left are replaced by what is true now. */
  boot(): void {
    this.#written = null;
    this.#write();
    if (!this.#parts.running()) this.#clear(WATCHDOG_ALARM);
    this.check();
  }

  /** Another instance keeps the alarms from now on; this one touches them no more. */
  stop(): void {
    this.#stopped = true;
  }

  /** The earliest due time of the runs, or of the triggers, has changed; epoch milliseconds. */
  dueAt(at: number | undefined, of: 'runs' | 'triggers' = 'runs'): void {
    // No news, and no reason to write anew what the runs are about to change.
    if (of === 'triggers' && at === undefined && this.#dues.get(of) === undefined) return;
    this.#dues.set(of, at);
    const all = [...this.#dues.values()].filter((due) => due !== undefined);
    this.#due = all.length === 0 ? undefined : Math.min(...all);
    this.#paced();
  }

  #paced(): void {
    if (this.#pacing || this.#due === this.#written) return;
    this.#write();
    this.#pacing = true;
    this.#parts.clock.setTimer(ALARM_PACE, () => {
      this.#pacing = false;
      if (this.#due !== this.#written) this.#paced();
    });
  }

  /** An alarm went off. */
  fired(name: string): void {
    if (name === DUE_ALARM) this.#written = null;
  }

  /** Something was committed: a run may have begun to work. */
  check(): void {
    if (this.#alive || !this.#parts.running()) return;
    this.#alive = true;
    this.#quietly(() =>
      this.#parts.browser.alarms.create(WATCHDOG_ALARM, { periodInMinutes: SHORTEST_ALARM / 60_000 }),
    );
    this.#parts.clock.setTimer(STAY_ALIVE, () => this.#stayAlive());
  }

  #stayAlive(): void {
    if (!this.#parts.running()) {
      this.#alive = false;
      this.#clear(WATCHDOG_ALARM);
      return;
    }
    this.#quietly(() => this.#parts.browser.runtime.getPlatformInfo());
    this.#parts.clock.setTimer(STAY_ALIVE, () => this.#stayAlive());
  }

  #write(): void {
    const due = this.#due;
    if (due === this.#written) return;
    this.#written = due;
    if (due === undefined) {
      this.#clear(DUE_ALARM);
      return;
    }
    const when = Math.max(due, this.#parts.clock.now() + SHORTEST_ALARM);
    this.#quietly(() => this.#parts.browser.alarms.create(DUE_ALARM, { when }));
  }

  #clear(name: string): void {
    this.#quietly(() => this.#parts.browser.alarms.clear(name));
  }

  /** A browser that refuses an alarm takes away a safety net, not the run. */
  #quietly(work: () => unknown): void {
    if (this.#stopped) return;
    Promise.resolve()
      .then(work)
      .catch(() => undefined);
  }
}
