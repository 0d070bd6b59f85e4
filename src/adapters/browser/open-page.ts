import { TabloomError } from '../../model/errors.ts';
import { isObject } from '../../model/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PageBrowser } from './browser-api.ts';
import { ARTICLE_SCRIPT_FILE, PageScripts } from './page-scripts.ts';
import { Allowance } from './time.ts';

/** How long one reading may take in all, milliseconds. */
const READING = 20_000;

let requests = 0;

/**
 * Reads the main text of a page that is open in the browser, whosever it is. The caller has checked that it may.
 * @param url where the tab is; a page of another origin that has come meanwhile is not read
 * @throws TabloomError why it could not be read
 */
export async function readOpenPage(
  browser: PageBrowser,
  clock: Clock,
  tabId: number,
  url: string,
): Promise<{ title: string; url: string; markdown: string }> {
  const scripts = new PageScripts(browser, clock);
  const time = new Allowance(clock, READING, new AbortController().signal);
  const { origin } = new URL(url);
  const place = { tabId, frameId: 0 };
  for (;;) {
    requests += 1;
    const request = { id: `reading${requests}`, op: 'article', args: {}, waitMs: 1000, origin } as const;
    const asked = await scripts.ask(place, request, time);
    if (!asked.gone && asked.reply.ok && isObject(asked.reply.value)) {
      const { title, markdown, url: address } = asked.reply.value;
      return { title: String(title), url: String(address), markdown: String(markdown) };
    }
    if (!asked.gone && !asked.reply.ok && !asked.reply.wait)
      throw new TabloomError(asked.reply.error.code, asked.reply.error.message);
    if (time.over) throw new TabloomError('timeout', 'Try again: the page did not answer in time.');
    // Most pages never need what reads articles; it is put there when the page says that it is missing.
    if (!asked.gone && asked.reply.ok) await scripts.add(place, ARTICLE_SCRIPT_FILE, time);
    else await time.sleep(100);
  }
}
