import type { FromExtension, FromHub } from '../../model/link.ts';
import type { FromFront, FromHubToFront } from '../front-wire.ts';

type Call = Extract<FromFront, { t: 'call' }>;

interface Held {
  call: Call;
  /** Whose it is; ids are the front end's own, so they are not enough. */
  front: number;
  /** Handed over to the browser. */
  sent: boolean;
  late?: NodeJS.Timeout;
}

export interface CallOptions {
  /** @returns false when that browser is not linked */
  send(instance: string, message: FromHub): boolean;
  known(instance: string): boolean;
  answer(front: number, message: FromHubToFront): void;
}

/**
 * Calls on their way between front ends and browsers. Each gets an id of the hub's own, so that no answer can reach another front end.
 * A call for a browser that is not linked waits for it as long as its front end says. One that was handed over when the link broke is
 * told as `lost`: only its front end knows whether it may be sent again.
 */
export class Calls {
  readonly #options: CallOptions;
  readonly #held = new Map<string, Held>();
  #next = 1;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#held.size;
  }

  begin(front: number, call: Call): void {
    if (!this.#options.known(call.instance)) {
      this.#fail(front, call.id, 'browser_unknown', 'Name a browser that is paired: see browsers_list.');
      return;
    }
    const id = `h${this.#next++}`;
    const held: Held = { call, front, sent: false };
    this.#held.set(id, held);
    if (this.#send(id, held)) return;
    held.late = setTimeout(() => {
      this.#held.delete(id);
      this.#fail(
        front,
        call.id,
        'browser_away',
        'Start the browser, or look in its Tabloom settings under MCP clients: it is paired, but not linked now.',
      );
    }, call.patience);
  }

  cancel(front: number, id: string): void {
    for (const [own, held] of this.#held) {
      if (held.front !== front || held.call.id !== id) continue;
      if (held.sent) this.#options.send(held.call.instance, { t: 'cancel', id: own });
      else this.#done(own);
    }
  }

  /** The front end has gone: nobody waits for its calls. What it asked for is not undone. */
  forget(front: number): void {
    for (const [own, held] of this.#held) {
      if (held.front !== front) continue;
      if (held.sent) this.#options.send(held.call.instance, { t: 'cancel', id: own });
      this.#done(own);
    }
  }

  answered(instance: string, message: Extract<FromExtension, { t: 'result' | 'failed' | 'progress' }>): void {
    const held = this.#held.get(message.id);
    // An answer of a browser that was not asked, or to what nobody waits for any more.
    if (!held?.sent || held.call.instance !== instance) return;
    this.#options.answer(held.front, { ...message, id: held.call.id });
    if (message.t !== 'progress') this.#done(message.id);
  }

  linked(instance: string): void {
    for (const [id, held] of this.#held) if (!held.sent && held.call.instance === instance) this.#send(id, held);
  }

  lost(instance: string): void {
    for (const [id, held] of this.#held) {
      if (!held.sent || held.call.instance !== instance) continue;
      this.#done(id);
      const error = { code: 'link_lost', message: 'The link to the browser broke before it answered.' };
      this.#options.answer(held.front, { t: 'failed', id: held.call.id, error, lost: true });
    }
  }

  close(): void {
    for (const id of [...this.#held.keys()]) this.#done(id);
  }

  #send(id: string, held: Held): boolean {
    const { key, caller, method, params, instance } = held.call;
    if (!this.#options.send(instance, { t: 'call', id, key, caller, method, params })) return false;
    held.sent = true;
    clearTimeout(held.late);
    return true;
  }

  #done(id: string): void {
    clearTimeout(this.#held.get(id)?.late);
    this.#held.delete(id);
  }

  #fail(front: number, id: string, code: string, message: string): void {
    this.#options.answer(front, { t: 'failed', id, error: { code, message } });
  }
}
