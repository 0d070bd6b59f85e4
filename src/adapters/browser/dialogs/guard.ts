import { watchUnload } from './beforeunload.ts';
import {
  ACTIVE,
  ANSWER_MARK,
  type DialogAnswer,
  type DialogType,
  GUARD_HELLO,
  MESSAGE_MOST,
  NOTES_MOST,
  RELAY_HELLO,
  STANDING_MARK,
  type ToGuard,
} from './channel.ts';
import { answerMark, DIALOG_FUNCTIONS, hasLeaseMark, isAddressless, isGuarded, isParentGuarded } from './lease-mark.ts';
import { watchStirring } from './stirring.ts';

type DialogFunction = (typeof DIALOG_FUNCTIONS)[number];

/** The same dialog so often in a row is a loop that waits for another answer, and would not end. */
const SAME_MOST = 50;
/** How long after an act a page's wish not to be left is taken to be about that act, milliseconds. */
const ACT_WINDOW = 10_000;

/**
 * Stands in for the browser's dialogs, in the page's own world. An open dialog would stop everything in its tab, so each is answered at once:
 * by the step's answer, else the tab's, else alerts and leaving are accepted and everything else is dismissed.
 *
 * Registered for all pages of an origin, it does nothing at all, and leaves nothing behind, unless the document says that its tab is driven.
 * @param forced the driver has put it here itself, for a document that cannot say so
 */
export function startDialogGuard(forced: boolean): void {
  if (!forced && !hasLeaseMark() && !(isAddressless() && isParentGuarded())) return;
  // The driver may have been faster. What it puts here itself may stand over the guard of a version that is no more.
  if (!forced && isGuarded(window)) return;
  new Guard(forced);
}

// Pages change what is built in, also out of carelessness: what is used later is taken now.
const { apply } = Reflect;
const { stringify, parse } = JSON;
const { dispatchEvent, addEventListener, removeEventListener } = EventTarget.prototype;
const { slice } = String.prototype;
const { toString: functionText } = Function.prototype;
const timing = performance;
const { now } = timing;
const MessageEvent_ = CustomEvent;
const URL_ = URL;
const readDetail = Object.getOwnPropertyDescriptor(CustomEvent.prototype, 'detail')?.get as (this: Event) => unknown;

interface Kept {
  n: number;
  /** JSON text: a `toJSON` of the page does not get between. */
  json: string;
}

class Guard {
  #channel: string | undefined;
  #notes: Kept[] = [];
  #count = 0;
  #act: DialogAnswer | undefined = answerMark(ANSWER_MARK);
  #standing: DialogAnswer | undefined = answerMark(STANDING_MARK);
  #actedAt = apply(now, timing, []) as number;
  #last = '';
  #same = 0;
  /** Whether the page has begun anything since the act; undefined where that is not known. */
  #stirred: boolean | undefined;
  readonly #undo: (() => void)[] = [];

  constructor(forced: boolean) {
    for (const name of DIALOG_FUNCTIONS) this.#replace(name, (_, args) => this.#answer(name, args));
    this.#replace('open', (open, args) => this.#watchOpened(open(), args));
    this.#listen(window, 'pagehide', (event) => {
      // It may come back from the cache of pages when the tab is driven no more; the driver puts a guard into it if it is.
      if ((event as PageTransitionEvent).persisted) this.#end();
    });
    this.#undo.push(watchUnload((message) => this.#leave(message)));
    // One that comes late has missed what the page's scripts have kept of the browser's functions.
    if (!forced) this.#watch();
    this.#listen(document, RELAY_HELLO, this.#meet);
    this.#send(GUARD_HELLO, '');
  }

  #watch(): void {
    const end = watchStirring(() => {
      this.#stirred = true;
    });
    if (!end) return;
    this.#stirred = true;
    this.#undo.push(end);
  }

  readonly #meet = (event: Event): void => {
    const name = apply(readDetail, event, []);
    if (typeof name !== 'string' || name === '' || this.#channel !== undefined) return;
    this.#channel = name;
    apply(removeEventListener, document, [RELAY_HELLO, this.#meet, true]);
    this.#listen(document, name, this.#hear);
    this.#tell(this.#notes);
  };

  readonly #hear = (event: Event): void => {
    const text = apply(readDetail, event, []);
    if (typeof text !== 'string') return;
    const message = parse(text) as ToGuard;
    if (message.to !== 'guard') return;
    if (message.taken !== undefined) {
      const left: Kept[] = [];
      for (const note of this.#notes) if (note.n > message.taken) left[left.length] = note;
      this.#notes = left;
    }
    if (message.standing !== undefined) this.#standing = message.standing ?? undefined;
    let objects = false;
    if (message.act !== undefined) {
      this.#act = message.act ?? undefined;
      this.#actedAt = apply(now, timing, []) as number;
      this.#same = 0;
      if (this.#stirred !== undefined) this.#stirred = false;
      if (message.leaving && message.act?.accept === false) objects = this.#objects();
    }
    this.#tell(this.#notes, objects);
    if (message.end) this.#end();
  };

  /** Whether the page asks not to be left. Its listeners run as they would when a person stays. */
  #objects(): boolean {
    const before = this.#count;
    const event = document.createEvent('BeforeUnloadEvent');
    event.initEvent('beforeunload', false, true);
    apply(dispatchEvent, window, [event]);
    return this.#count > before;
  }

  /** @returns whether the page's wish is to be kept from the browser */
  #leave(message: string): boolean {
    // Nobody acts: what leaves the page is the person, who wants to be asked.
    if ((apply(now, timing, []) as number) - this.#actedAt > ACT_WINDOW) return false;
    const answer = this.#act ?? this.#standing;
    this.#note('beforeunload', message, answer?.accept ?? true);
    return true;
  }

  /** @param stand what is called in place of the browser's function; `native` calls that */
  #replace(name: DialogFunction | 'open', instead: (native: () => unknown, args: unknown[]) => unknown): void {
    const before = Object.getOwnPropertyDescriptor(window, name);
    const native = window[name] as (...args: unknown[]) => unknown;
    if (!before?.configurable || typeof native !== 'function') return;
    const text = apply(Function.prototype.bind, functionText, [native]) as () => string;
    let active = true;
    const stand = new Proxy(native, {
      apply: (target, self, args: unknown[]) =>
        active ? instead(() => apply(target, self, args), args) : (apply(target, self, args) as unknown),
      get: (target, key) => {
        if (key === 'toString') return text;
        if (key === ACTIVE) return active;
        return Reflect.get(target, key) as unknown;
      },
    });
    Object.defineProperty(window, name, { ...before, value: stand });
    this.#undo.push(() => {
      // Whoever has kept the function gets the browser's own dialogs from now on.
      active = false;
      if (window[name] === (stand as unknown)) Object.defineProperty(window, name, before);
    });
  }

  /** A window that was not opened is told; one that is to know nothing of its opener looks the same from here. */
  #watchOpened(opened: unknown, [address]: unknown[]): unknown {
    const acting = (apply(now, timing, []) as number) - this.#actedAt <= ACT_WINDOW;
    if (this.#stirred === false) this.#stirred = true;
    if (opened === null && acting) this.#note('window', addressOf(address), false);
    return opened;
  }

  /** What the browser's function would give back. */
  #answer(name: DialogFunction, args: unknown[]): unknown {
    const [first, second] = args;
    const given = name === 'alert' ? args.length > 0 : first !== undefined && name !== 'print';
    // As the browser does: what has no text throws.
    const message = given ? `${first as string}` : '';
    const answer = this.#act ?? this.#standing;
    switch (name) {
      case 'alert':
        this.#note('alert', message, answer?.accept ?? true);
        return undefined;
      case 'confirm':
        this.#note('confirm', message, answer?.accept ?? false);
        return answer?.accept ?? false;
      case 'prompt': {
        const offered = second === undefined ? '' : `${second as string}`;
        const text = answer?.accept ? (answer.text ?? offered) : undefined;
        this.#note('prompt', message, text !== undefined, text);
        return text ?? null;
      }
      default:
        // Accepting would open the browser's own dialog.
        this.#note('print', '', false);
        return undefined;
    }
  }

  #note(type: DialogType, message: string, accepted: boolean, text?: string): void {
    this.#count += 1;
    const given = text === undefined ? '' : `,"text":${stringify(cut(text))}`;
    const what = `"type":"${type}","message":${stringify(cut(message))},"accepted":${accepted}${given}`;
    this.#same = what === this.#last ? this.#same + 1 : 1;
    this.#last = what;
    if (this.#same > SAME_MOST && type !== 'window') throw new Error(`${type} was called too often`);
    if (this.#notes.length >= NOTES_MOST) return;
    const note = { n: this.#count, json: `{"n":${this.#count},${what}}` };
    this.#notes[this.#notes.length] = note;
    this.#tell([note]);
  }

  #tell(notes: readonly { json: string }[], objects = false): void {
    if (this.#channel === undefined) return;
    const stirred = this.#stirred === undefined ? '' : `,"stirred":${this.#stirred}`;
    let list = '';
    for (const { json } of notes) list += list === '' ? json : `,${json}`;
    this.#send(this.#channel, `{"to":"relay","objects":${objects}${stirred},"notes":[${list}]}`);
  }

  #send(name: string, detail: string): void {
    apply(dispatchEvent, document, [new MessageEvent_(name, { detail })]);
  }

  #listen(on: EventTarget, type: string, listener: (event: Event) => void): void {
    apply(addEventListener, on, [type, listener, true]);
    this.#undo.push(() => apply(removeEventListener, on, [type, listener, true]) as undefined);
  }

  #end(): void {
    for (const undo of this.#undo) undo();
    this.#undo.length = 0;
  }
}

/** Where a window was to be opened at. */
function addressOf(address: unknown): string {
  try {
    return new URL_(`${address === undefined ? '' : (address as string)}`, document.baseURI).href;
  } catch {
    return '';
  }
}

function cut(text: string): string {
  return text.length > MESSAGE_MOST ? `${apply(slice, text, [0, MESSAGE_MOST - 1]) as string}…` : text;
}
