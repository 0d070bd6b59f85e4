import type { ErrorInfo } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';

/** What the page script needs beside the DOM; given once by the entry point, since it differs between browsers and in tests. */
export interface PageEnv {
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Lets the page do what is due at once: a further task, as between two inputs of a person. Costs next to nothing. */
  turn(): Promise<void>;
  /** The next animation frame, or a short while where none comes (a hidden tab). @returns whether one was drawn */
  frame(): Promise<boolean>;
  /** Shadow root of an element, closed ones too. */
  shadowRoot(element: HTMLElement): ShadowRoot | null;
  /** The browser's own number of a frame, by its window or the element that holds it; undefined where it does not say. */
  frameNumber(frame: Window | Element): number | undefined;
  /** Whether the page has begun anything since the act that may go on by itself (a request, a timer); undefined where that is not known. */
  stirred(): boolean | undefined;
  /** Tells the background to look at this page again. @returns whether it has done so */
  hint(): Promise<boolean>;
  /** What an address of the page's own data (`blob:`, `data:`) holds. */
  read(url: string): Promise<Blob>;
  /** What is dragged and dropped, or pasted: the page's own, so that the page can read what is put into it here. */
  transfer(files?: readonly File[]): DataTransfer;
  /** An event of the clipboard to dispatch, with texts by their media type; the page can read and change them as in `transfer`. */
  clipboardEvent(type: 'copy' | 'cut' | 'paste', data?: ReadonlyMap<string, string>): ClipboardEvent;
  /** Uniform in [0, 1). */
  random(): number;
  readonly browser: BrowserWays;
}

/** What browsers do each in their own way. */
export interface BrowserWays {
  /** `pointerId` of the mouse, by which a page's `setPointerCapture` finds it. */
  mouseId: number;
  /** `button` of mouse events that tell of no press or release. */
  noButton: number;
  /** `pointermove` comes before `mouseover`, not behind `mouseenter`. */
  pointerMovesFirst: boolean;
  /** `document.execCommand` of an extension asks the page by `beforeinput` itself. */
  commandAsks: boolean;
  /** A link that a click of a script follows into a tab of its own is blocked as a pop-up. */
  blocksNewTabs: boolean;
  /** `Selection.modify` moves the caret of a field that has the focus. */
  selectionMovesInFields: boolean;
}

let current: PageEnv | undefined;

/** Sets the environment; called once, before anything else of the page script. */
export function setEnv(env: PageEnv): void {
  current = env;
}

/** @throws Error before {@link setEnv}. */
export function env(): PageEnv {
  if (!current) throw new Error('the page script has not been started');
  return current;
}

/** An error inside the page. `wait` says that looking again later may help. */
export class PageError extends Error {
  readonly info: ErrorInfo;
  readonly wait: boolean;
  constructor(code: ErrorInfo['code'], message: string, more: { wait?: boolean; details?: Json } = {}) {
    super(message);
    this.info = more.details === undefined ? { code, message } : { code, message, details: more.details };
    this.wait = more.wait ?? false;
  }
}

const PAUSE = 50;

/**
 * Tries until it succeeds, fails for good, or `waitMs` are over; the last error is thrown then.
 * @throws PageError `cancelled` once `stopped` says so.
 */
export async function poll<T>(waitMs: number, stopped: () => boolean, attempt: () => Promise<T> | T): Promise<T> {
  const end = env().now() + waitMs;
  for (;;) {
    if (stopped()) throw new PageError('cancelled', 'The action was called off.');
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PageError) || !error.wait || env().now() >= end) throw error;
    }
    await env().sleep(PAUSE);
  }
}
