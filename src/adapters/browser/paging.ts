import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage, type PageAnswer } from './ask.ts';
import { clickElement } from './click.ts';
import { goTo } from './navigation.ts';
import type { Reading } from './readings.ts';

/** Pages read when `maxPages` is not given. */
const MAX_PAGES = 50;
/** How long a next page may take to show, milliseconds. */
const TURN = 10_000;
/** How long to look for the way to the next page before there is taken to be none, milliseconds. */
const LOOK = 1000;
const PAUSE = 100;

/**
 * Reads a table or items page by page: reads, goes on by `next`, waits until what it reads has changed, and so on until there is no usable
 * `next`, nothing changes any more, or `maxPages` are read. One that was cut off goes on where it was.
 */
export async function extractPages(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
): Promise<{ output: Json; matched: number | undefined }> {
  const { next, maxPages, ...once } = args;
  const part = args.as === 'table' ? 'rows' : 'items';
  const key = acting.call.idempotencyKey;
  const most = next === undefined ? 1 : typeof maxPages === 'number' ? maxPages : MAX_PAGES;
  if (most === 1) return resultOf(await begun(driver, acting, once, part), part);
  const reading = (await resumed(driver, acting, once, part)) ?? (await begun(driver, acting, once, part));
  while (!reading.done) {
    await driver.readings.keep(key, reading);
    const turned = reading.pages < most && (await turn(driver, acting, next as Json, reading.pages));
    const page = turned && (await changed(driver, acting, once, part, reading.seen));
    if (page) take(reading, page, part);
    else reading.done = true;
  }
  await driver.readings.keep(key, reading);
  return resultOf(reading, part);
}

function resultOf(
  { head, rows, pages, matched }: Reading,
  part: string,
): { output: Json; matched: number | undefined } {
  return { output: { ...head, [part]: rows, pages }, matched };
}

async function begun(driver: Driver, acting: Acting, once: JsonObject, part: string): Promise<Reading> {
  const { url } = await driver.host.look(acting.call, acting.tab.tab);
  const { value, matched } = await askPage(driver, acting, 'extract', once);
  const head = value as JsonObject;
  const rows = head[part] as Json[];
  const seen = JSON.stringify(rows);
  return { from: url ?? '', head, rows: [...rows], seen, pages: 1, ...(matched === undefined ? {} : { matched }) };
}

/**
 * What an attempt before this one has left. In the middle of a turn the next page may be there, on its way, or not asked for: it is waited
 * for, since to ask for it twice would leave one out. A whole one whose attempt was cut off before it could tell is what is asked for; one
 * that was refused is read again from where it began.
 */
async function resumed(driver: Driver, acting: Acting, once: JsonObject, part: string): Promise<Reading | undefined> {
  const reading = await driver.readings.find(acting.call.idempotencyKey);
  if (reading?.done) {
    if (acting.call.interrupted) return reading;
    await goTo(driver, acting, reading.from, 'load');
    return undefined;
  }
  const page = reading && (await changed(driver, acting, once, part, reading.seen));
  if (page) take(reading, page, part);
  return reading;
}

function take(reading: Reading, page: PageAnswer, part: string): void {
  const rows = (page.value as JsonObject)[part] as Json[];
  reading.rows.push(...rows);
  reading.seen = JSON.stringify(rows);
  reading.pages += 1;
}

/** Why an element cannot be used now and may be in a moment: what is more than that must not end a reading as if it were whole. */
const PASSING: ReadonlySet<unknown> = new Set(['person', 'busy', 'moving', 'covered', 'detached']);

/** Goes to the next page. False when there is no way to it: not there, hidden, or disabled. */
async function turn(driver: Driver, acting: Acting, next: Json, page: number): Promise<boolean> {
  for (;;) {
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
      const unmade = TabloomError.is(error) && !error.info.acted && /^element_not_(found|actionable)$/.test(error.code);
      if (!unmade || acting.time.over) throw error;
      if (!isObject(error.info.details) || !PASSING.has(error.info.details.reason)) return false;
    }
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
