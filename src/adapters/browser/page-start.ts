import { type BrowserWays, type PageEnv, setEnv } from '../../actions/page/env.ts';
import { createPageScript } from '../../actions/page/serve.ts';
import { PAGE_GLOBAL, SIGHT_HINT } from '../../actions/protocol.ts';
import { RELAY_GLOBAL, type Relay } from './dialogs/channel.ts';

/** How long an animation frame may take before the page is taken for one that draws none, milliseconds: on a busy machine frames are late. */
const NO_FRAME = 400;
/** The same in a hidden tab, which gets none. */
const NO_FRAME_HIDDEN = 50;

const CHROMIUM: BrowserWays = {
  mouseId: 1,
  noButton: -1,
  pointerMovesFirst: false,
  commandAsks: false,
  blocksNewTabs: false,
  selectionMovesInFields: true,
};
const FIREFOX: BrowserWays = {
  mouseId: 0,
  noButton: 0,
  pointerMovesFirst: true,
  commandAsks: true,
  blocksNewTabs: true,
  selectionMovesInFields: false,
};

/** Starts the page script in this frame's isolated world, once. */
export function startPageScript(): void {
  if (Reflect.has(globalThis, PAGE_GLOBAL)) return;
  setEnv(pageEnv());
  Reflect.set(globalThis, PAGE_GLOBAL, createPageScript());
}

function pageEnv(): PageEnv {
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    now: () => performance.now(),
    sleep,
    turn: nextTask,
    frame: () => {
      const drawn = new Promise<boolean>((resolve) => requestAnimationFrame(() => resolve(true)));
      const none = document.visibilityState === 'hidden' ? NO_FRAME_HIDDEN : NO_FRAME;
      return Promise.race([drawn, sleep(none).then(() => false)]);
    },
    shadowRoot: openOrClosedRoot,
    frameNumber,
    stirred: () => (Reflect.get(globalThis, RELAY_GLOBAL) as Relay | undefined)?.talk({})?.reply.stirred,
    hint: tellBackground,
    read: async (url) => (await fetch(url)).blob(),
    transfer: makeTransfer,
    clipboardEvent: makeClipboardEvent,
    random: () => Math.random(),
    browser: isFirefox() ? FIREFOX : CHROMIUM,
  };
}

/** By a message, since timers of 0 ms are held back to 4 ms once there are several in a row. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

interface Runtime {
  id?: string;
  sendMessage(message: typeof SIGHT_HINT): Promise<unknown>;
}

/** True also when this script is of an extension that was updated or removed meanwhile: nobody wants to know any more. */
async function tellBackground(): Promise<boolean> {
  const api = globalThis as unknown as { browser?: { runtime?: Runtime }; chrome?: { runtime?: Runtime } };
  const runtime = api.browser?.runtime ?? api.chrome?.runtime;
  if (!runtime?.id) return true;
  return (await runtime.sendMessage(SIGHT_HINT)) === true;
}

/** Firefox says it, and counts the frames of a window differently from inside and from another site's process. */
function frameNumber(frame: Window | Element): number | undefined {
  const { browser } = globalThis as unknown as {
    browser?: { runtime?: { getFrameId?(frame: Window | Element): number } };
  };
  try {
    const number = browser?.runtime?.getFrameId?.(frame) ?? -1;
    return number < 0 ? undefined : number;
  } catch {
    return undefined;
  }
}

/** What Firefox gives content scripts: the page's own view of its window, and copies that belong to the page. */
interface FirefoxWorld {
  wrappedJSObject?: { DataTransfer: typeof DataTransfer };
  cloneInto?<T>(value: T, into: object): T;
}

/** Firefox keeps from a page whatever somebody else has put into a transfer. */
function makeTransfer(files: readonly File[] = []): DataTransfer {
  // In another browser a page may have given a frame such a name.
  const { wrappedJSObject } = (isFirefox() ? window : {}) as FirefoxWorld;
  const { cloneInto } = globalThis as unknown as FirefoxWorld;
  const transfer = wrappedJSObject ? new wrappedJSObject.DataTransfer() : new DataTransfer();
  for (const file of files) transfer.items.add(wrappedJSObject && cloneInto ? cloneInto(file, window) : file);
  return transfer;
}

/** Firefox takes no `clipboardData`, but makes one of a first text that is the page's own; others are put into it as the page would. */
function makeClipboardEvent(type: string, data: ReadonlyMap<string, string> = new Map()): ClipboardEvent {
  const clipboardData = makeTransfer();
  for (const [kind, text] of data) clipboardData.setData(kind, text);
  const [[dataType, first] = ['', ''], ...others] = data;
  const init = { bubbles: true, cancelable: true, composed: true, clipboardData, dataType, data: first };
  const event = new ClipboardEvent(type, init);
  const { wrappedJSObject } = event as { wrappedJSObject?: ClipboardEvent };
  for (const [kind, text] of others) wrappedJSObject?.clipboardData?.setData(kind, text);
  return event;
}

/** Firefox alone has closed shadow roots on the element. */
function isFirefox(): boolean {
  return 'openOrClosedShadowRoot' in Element.prototype;
}

/** Chromium has it in `chrome.dom`, Firefox on the element. */
function openOrClosedRoot(element: HTMLElement): ShadowRoot | null {
  if (typeof chrome !== 'undefined' && chrome.dom?.openOrClosedShadowRoot)
    return chrome.dom.openOrClosedShadowRoot(element);
  const firefox = element as HTMLElement & { openOrClosedShadowRoot?: ShadowRoot | null };
  return firefox.openOrClosedShadowRoot ?? element.shadowRoot;
}
