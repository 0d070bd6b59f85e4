import type { Clock } from '../ports/clock.ts';
import type { Port } from './browser-api.ts';
import type { UpdateMessage } from './protocol.ts';

/** Updates of one burst are gathered for this long, milliseconds. The first one of a quiet time goes out at once. */
const BURST = 50;

type What = UpdateMessage['what'][number];

/** Tells the open surfaces that something was committed. They then ask for what they show; nothing else goes over the port. */
export class Updates {
  readonly #clock: Clock;
  readonly #ports = new Set<Port>();
  /** What changed by run; the empty key stands for what belongs to none. */
  #changed = new Map<string, Set<What>>();
  readonly #listeners = new Set<(message: UpdateMessage) => void>();
  #gathering = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of surfaces that listen now. */
  get listeners(): number {
    return this.#ports.size;
  }

  add(port: Port): void {
    this.#ports.add(port);
    port.onDisconnect.addListener(() => this.#ports.delete(port));
  }

  /** For those that wait inside the background. Returns what ends it. */
  listen(listener: (message: UpdateMessage) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  push(what: readonly What[], runId = ''): void {
    const known = this.#changed.get(runId) ?? new Set();
    for (const one of what) known.add(one);
    this.#changed.set(runId, known);
    if (this.#gathering) return;
    this.#gathering = true;
    // Commits of one moment come as one micro-task after another: all of them are in.
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const changed = this.#changed;
    this.#changed = new Map();
    if (changed.size === 0) {
      this.#gathering = false;
      return;
    }
    for (const [runId, what] of changed) {
      const update: UpdateMessage = { type: 'changed', what: [...what], ...(runId === '' ? {} : { runId }) };
      for (const port of this.#ports) this.#post(port, update);
      for (const listener of [...this.#listeners]) listener(update);
    }
    this.#clock.setTimer(BURST, () => this.#flush());
  }

  #post(port: Port, update: UpdateMessage): void {
    try {
      port.postMessage(update);
    } catch {
      // Its page is gone and the event that says so is still on its way.
      this.#ports.delete(port);
    }
  }
}
