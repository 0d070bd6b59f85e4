import type { PageBrowser } from './browser-api.ts';

/** What a look at a page has found. */
export interface PageLook {
  url: string;
  title: string;
  /** The element that was looked for is there, or none was looked for. */
  found: boolean;
  /** Text of the element, cut. */
  matched?: string;
  /** When the document began, epoch milliseconds: marks it, over changes of its address. */
  document: number;
  /** The selector cannot be read. */
  invalid?: true;
}

/**
 * Looks at the top frame of a tab, and waits for an element where one is asked for and not there yet.
 * @param waitMs how long, milliseconds; the page's own clock
 * @returns `undefined` where the page cannot be reached: no grant, or gone
 */
export async function lookAtPage(
  browser: Pick<PageBrowser, 'scripting'>,
  tabId: number,
  selector: string | undefined,
  waitMs: number,
): Promise<PageLook | undefined> {
  try {
    const [answer] = await browser.scripting.executeScript({
      target: { tabId },
      injectImmediately: false,
      func: look as (...args: never[]) => unknown,
      args: [selector ?? null, waitMs],
    });
    return answer?.result ? (answer.result as PageLook) : undefined;
  } catch {
    return undefined;
  }
}

/** Runs in the page, in the extension's own world: holds nothing but what is inside it. */
function look(selector: string | null, waitMs: number): Promise<PageLook> {
  const seen = (): PageLook => {
    const page = { url: location.href, title: document.title, document: performance.timeOrigin };
    if (selector === null) return { ...page, found: true };
    try {
      const element = document.querySelector(selector);
      if (!element) return { ...page, found: false };
      return { ...page, found: true, matched: (element.textContent ?? '').trim().slice(0, 20_000) };
    } catch {
      return { ...page, found: false, invalid: true };
    }
  };
  const first = seen();
  if (first.found || first.invalid || waitMs <= 0) return Promise.resolve(first);
  return new Promise((resolve) => {
    const done = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(seen());
    };
    const observer = new MutationObserver(() => {
      if (seen().found) done();
    });
    const timer = setTimeout(done, waitMs);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
  });
}
