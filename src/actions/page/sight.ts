import type { Json } from '../../model/json.ts';
import type { PageSight } from '../protocol.ts';
import { env } from './env.ts';
import { findAll } from './find/resolve.ts';

/** How often the page looks at itself beside each change of its tree: a style sheet may show an element as well. Milliseconds. */
const PACE = 1000;
/** After many changes in a row it looks at most this often, milliseconds. */
const REST = 100;
/** How long after an answer the background is told again: it may have died over it. Milliseconds. */
const AGAIN = 5000;
/** How long nobody looks before the page asks whether anybody still wants to know, milliseconds. */
const RENEW = 600_000;

/** What this document is watched for: by selector, each with what ends its watch. */
const watches = new Map<string, () => void>();

/**
 * Looks whether the document is there, and an element that matches, visible; and goes on looking from inside the page. Once it has come the
 * page hints at it, again and again until the background has looked and does not ask any more.
 * @throws PageError `input_invalid` for a selector that cannot be read
 */
export function takeSight({ selector }: { selector?: string }): Json {
  const key = selector ?? '';
  watches.get(key)?.();
  const sight: PageSight = { url: location.href, title: document.title.slice(0, 1000), seen: holds(selector) };
  watches.set(key, watch(selector, key));
  return { ...sight };
}

function holds(selector: string | undefined): boolean {
  if (selector !== undefined && findAll({ css: selector }).length === 0) return false;
  // Before that the page has no title yet, and may still be replaced as a whole.
  return document.readyState !== 'loading';
}

function watch(selector: string | undefined, key: string): () => void {
  const begun = env().now();
  const before = holds(selector);
  let looked = begun;
  let asking = false;
  const look = (): void => {
    const now = env().now();
    if (asking) return;
    const due = now - begun >= RENEW || (now - looked >= REST && holds(selector));
    looked = now;
    // What was there when the background looked is told only where nothing has come of it.
    if (!due || (before && now - begun < AGAIN)) return;
    asking = true;
    void env()
      .hint()
      .catch(() => false)
      .then((heard) => {
        // Where it is still wanted the background has begun another watch by now.
        if (heard) stop();
        else setTimeout(() => (asking = false), AGAIN);
      });
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  const timer = setInterval(look, PACE);
  let ended = false;
  const stop = (): void => {
    if (ended) return;
    ended = true;
    observer.disconnect();
    clearInterval(timer);
    if (watches.get(key) === stop) watches.delete(key);
  };
  return stop;
}
