import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage, type PageAnswer } from './ask.ts';
import { clickElement } from './click.ts';

/** Pages read when `maxPages` is not given. */
const MAX_PAGES = 50;
/** How long a next page may take to show, milliseconds. */
const TURN = 10_000;
/** How long to look for the way to the next page before there is taken to be none, milliseconds. */
const LOOK = 500;
const PAUSE = 100;

/**
 * Reads a table or items page by page: reads, goes on by `next`, waits until what it reads has changed, and so on until there is no usable
 * `next`, nothing changes any more, or `maxPages` are read.
 */
export async function extractPages(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
): Promise<{ output: Json; matched: number | undefined }> {
  const { next, maxPages, ...once } = args;
  const part = args.as === 'table' ? 'rows' : 'items';
  const first = await askPage(driver, acting, 'extract', once);
  const output = { ...(first.value as JsonObject) };
  const all = [...(output[part] as Json[])];
  let seen = JSON.stringify(output[part]);
  let pages = 1;
  const most = next === undefined ? 1 : typeof maxPages === 'number' ? maxPages : MAX_PAGES;
  while (pages < most && (await turn(driver, acting, next as Json, pages))) {
    const page = await changed(driver, acting, once, part, seen);
    if (!page) break;
    const rows = (page.value as JsonObject)[part] as Json[];
    all.push(...rows);
    seen = JSON.stringify(rows);
    pages += 1;
  }
  return { output: { ...output, [part]: all, pages }, matched: first.matched };
}

/** Goes to the next page. False when there is no way to it: not there, hidden, or disabled. */
async function turn(driver: Driver, acting: Acting, next: Json, page: number): Promise<boolean> {
  const time = acting.time.within(LOOK);
  try {
    await clickElement(
      driver,
      { ...acting, time },
      { target: next, button: 'left', count: 1, modifiers: [] },
      `${acting.call.idempotencyKey}/page${page}#${acting.call.attempt}`,
    );
    return true;
  } catch (error) {
    const ended = TabloomError.is(error) && !error.info.acted && /^element_not_(found|actionable)$/.test(error.code);
    if (ended && !acting.time.over) return false;
    throw error;
  }
}

/**
 * The next page: a reading that is not empty, differs from the page before, and is the same when read again, so that a page half drawn is
 * not taken for a whole one. `undefined` when nothing changes.
 */
async function changed(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  part: string,
  seen: string,
): Promise<PageAnswer | undefined> {
  const time = acting.time.within(TURN);
  let last = seen;
  while (!time.over) {
    try {
      const page = await askPage(driver, { ...acting, time }, 'extract', args);
      const now = JSON.stringify((page.value as JsonObject)[part]);
      if (now !== seen && now !== '[]' && now === last) return page;
      last = now;
    } catch (error) {
      // Between two pages there may be none of it for a while.
      if (!TabloomError.is(error) || error.code !== 'element_not_found') throw error;
    }
    await acting.time.sleep(PAUSE);
  }
  if (acting.time.over)
    throw new TabloomError('timeout', 'Raise the timeout, or lower maxPages: there was no time to read all pages.');
  return undefined;
}
