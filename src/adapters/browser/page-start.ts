import { type PageEnv, setEnv } from '../../actions/page/env.ts';
import { createPageScript } from '../../actions/page/serve.ts';
import { PAGE_GLOBAL, SIGHT_HINT } from '../../actions/protocol.ts';
import { RELAY_GLOBAL, type Relay } from './dialogs/channel.ts';

/** How long an animation frame may take before the page is taken for one that draws none, milliseconds: on a busy machine frames are late. */
const NO_FRAME = 400;
/** The same in a hidden tab, which gets none. */
const NO_FRAME_HIDDEN = 50;

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
    stirred: () => (Reflect.get(globalThis, RELAY_GLOBAL) as Relay | undefined)?.talk({})?.reply.stirred,
    hint: tellBackground,
    read: async (url) => (await fetch(url)).blob(),
    random: () => Math.random(),
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

/** Chromium has it in `chrome.dom`, Firefox on the element. */
function openOrClosedRoot(element: HTMLElement): ShadowRoot | null {
  if (typeof chrome !== 'undefined' && chrome.dom?.openOrClosedShadowRoot)
    return chrome.dom.openOrClosedShadowRoot(element);
  const firefox = element as HTMLElement & { openOrClosedShadowRoot?: ShadowRoot | null };
  return firefox.openOrClosedShadowRoot ?? element.shadowRoot;
}
