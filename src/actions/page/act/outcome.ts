import { env } from '../env.ts';
import { linkOf } from './links.ts';

/** What is heard of a navigation; not all browsers have it. */
type Navigation = EventTarget | undefined;

/**
 * Watches what becomes of a click, from before it.
 * @returns to be called after it: waits until the page has drawn what came of it, or leads elsewhere. True where nothing is on its way which
 * may still lead to another page or tab, for sure; false says nothing.
 */
export function watchOutcome(): () => Promise<boolean> {
  const { navigation } = globalThis as unknown as { navigation?: Navigation };
  const seen: [event: Event, target: EventTarget | undefined][] = [];
  // What a frame asks of the page that it is in cannot be heard here.
  let leads = navigation === undefined || window !== top;
  let tell: (() => void) | undefined;
  const lead = (): void => {
    leads = true;
    tell?.();
  };
  // After the event its path is gone.
  const see = (event: Event): void => void seen.push([event, event.composedPath()[0]]);
  const capture = { capture: true };
  navigation?.addEventListener('navigate', lead);
  // The answer to the request must be out before the document is put aside: nothing is heard of it from then on.
  addEventListener('pagehide', lead, capture);
  for (const type of CLICKS) addEventListener(type, see, capture);
  return async () => {
    const drawn = new Promise<void>((resolve) => {
      tell = resolve;
      leads ||= seen.some(([event, target]) => leadsOn(event, target));
      if (leads) resolve();
      else void drawOnce().then(resolve);
    });
    await drawn;
    navigation?.removeEventListener('navigate', lead);
    removeEventListener('pagehide', lead, capture);
    for (const type of CLICKS) removeEventListener(type, see, capture);
    return !leads && env().stirred() === false;
  };
}

const CLICKS = ['click', 'auxclick', 'submit'] as const;

/** Whether what the browser does on an event, once the page has let it, may open a page. */
function leadsOn(event: Event, target: EventTarget | undefined): boolean {
  if (event.defaultPrevented) return false;
  return event.type === 'submit' || (target instanceof Element && linkOf(target) !== undefined);
}

/** A frame, and what a page does right after it: much is put off until then. */
async function drawOnce(): Promise<void> {
  await env().frame();
  await env().turn();
}
