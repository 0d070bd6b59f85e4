import { TabloomError } from '../../model/errors.ts';
import type { Acting, Driver } from './acting.ts';
import { asError, makeRequest, noticeReply } from './ask.ts';
import type { BrowserTab } from './browser-api.ts';
import { checkAnswer, checkedTab, isRead, watchLoading } from './navigation.ts';
import { untilLeftAlone } from './person.ts';

/** How long the browser may take to begin to go back, milliseconds; past it there was nothing to go back to. */
const BEGIN = 3000;
const PAUSE = 50;

/** What tells one entry of a tab's history from another. */
interface Spot {
  mark: string | undefined;
  entry: string | undefined;
}

/**
 * Goes back one entry in the history of the action's tab, be it within the page, to a page that the browser has kept, or to one that loads
 * anew, and waits until its document is read.
 * @returns the tab then, checked by the gate
 * @throws TabloomError `operation_failed` with `acted: false` where there is nothing to go back to; with `acted: true` what the gate says
 * of the page that it led to, and `navigation_failed`
 */
export async function goBack(driver: Driver, acting: Acting): Promise<BrowserTab> {
  const { call, tab, time } = acting;
  const { url } = await before(checkedTab(driver, acting));
  await before(untilLeftAlone(driver, acting, tab.browserTabId));
  const from = await spotOf(driver, acting);
  const leaving = driver.dialogs.leave(tab.browserTabId, acting.answer, url as string, time.signal);
  if (await before(leaving)) {
    throw new TabloomError(
      'operation_failed',
      'Let the step accept dialogs, or finish what the page is at: it asks not to be left, and the answer was to stay.',
      { details: { reason: 'beforeunload' }, acted: false },
    );
  }
  const watch = watchLoading(driver, tab.browserTabId);
  try {
    await send(driver, acting);
    if (await comes(driver, acting, from, watch)) return await settled(driver, acting);
  } catch (error) {
    throw afterwards(error);
  } finally {
    watch.stop();
    await driver.dialogs.arrived(tab.browserTabId);
  }
  await driver.host.look(call, tab.tab).catch(() => undefined);
  throw nothing();
}

export function nothing(message = 'Open the page by its address instead: there is nothing in this tab to go back to.') {
  return new TabloomError('operation_failed', message, { details: { reason: 'no_history' }, acted: false });
}

/** What comes before the act has done nothing. */
async function before<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!TabloomError.is(error)) throw error;
    const { code, message, ...more } = error.info;
    throw new TabloomError(code, message, { ...more, acted: false });
  }
}

function afterwards(error: unknown): unknown {
  if (!TabloomError.is(error)) return error;
  const { code, message, acted, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: acted ?? true });
}

/** Has the page go back, once nobody is at it. */
async function send(driver: Driver, acting: Acting): Promise<void> {
  const { call, tab, time } = acting;
  const first = driver.host.beganEmpty(tab);
  for (;;) {
    const found = await before(checkedTab(driver, acting));
    const { origin } = new URL(found.url as string);
    const place = { tabId: tab.browserTabId, frameId: 0 };
    const token = `${call.idempotencyKey}#${call.attempt}`;
    const request = { ...makeRequest('go_back', { first }, 0, origin, token), sites: acting.rules.sites };
    time.check();
    call.acting?.();
    const asked = await driver.scripts.ask(place, request, time);
    if (asked.gone === 'lost') return;
    if (!asked.gone) {
      noticeReply(acting, asked.reply);
      if (asked.reply.ok) return;
      if (!asked.reply.wait || time.over) throw notDone(asError(asked.reply.error));
    }
    if (time.over) throw notDone(new TabloomError('timeout', 'Try again: the page kept changing its address.'));
    call.looking?.();
    await time.sleep(PAUSE);
  }
}

function notDone(error: TabloomError): TabloomError {
  const { code, message, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: false });
}

async function spotOf(driver: Driver, { tab, time }: Acting): Promise<Spot> {
  const mark = await driver.scripts.documentMark(tab.browserTabId, time);
  return { mark, entry: await driver.scripts.historyEntry(tab.browserTabId, time) };
}

/** Waits until another entry is there. False where none comes, or only the page of our own with which the tab began. */
async function comes(
  driver: Driver,
  acting: Acting,
  from: Spot,
  watch: { readonly begun: boolean; readonly done: boolean },
): Promise<boolean> {
  const { call, tab, time } = acting;
  const begin = time.within(BEGIN);
  for (;;) {
    const found = await driver.host.look(call, tab.tab);
    if (driver.host.isEmpty(found)) {
      await forward(driver, acting);
      return false;
    }
    // A page that may not be scripted has a mark of its own.
    const { mark, entry } = await spotOf(driver, acting);
    if (mark !== undefined && (mark !== from.mark || entry !== from.entry)) return true;
    // It was an entry of a frame in the page.
    if (watch.done) return true;
    const loads = watch.begun || found.status === 'loading' || Boolean(found.pendingUrl);
    if (!loads && begin.over) return false;
    if (time.over) throw slow();
    await time.sleep(PAUSE);
  }
}

/** Back to the page that was left for the empty one. */
async function forward(driver: Driver, { call, tab, time }: Acting): Promise<void> {
  await driver.browser.tabs.goForward?.(tab.browserTabId).catch(() => undefined);
  while (!time.over && driver.host.isEmpty(await driver.host.look(call, tab.tab))) await time.sleep(PAUSE);
}

function slow(): TabloomError {
  return new TabloomError(
    'navigation_failed',
    'Look at the tab, and raise the timeout: the page before did not come in time.',
  );
}

async function settled(driver: Driver, acting: Acting): Promise<BrowserTab> {
  const { call, tab, time } = acting;
  // What was approved is to leave the page, whatever is before it; sites and grants are asked of that.
  const there: Acting = { ...acting, rules: { sites: acting.rules.sites } };
  for (;;) {
    const found = await checkedTab(driver, there);
    await checkAnswer(driver, there, found.url as string);
    if (found.status === 'complete' || (await isRead(driver, there, found))) return driver.host.look(call, tab.tab);
    if (time.over) throw slow();
    await time.sleep(PAUSE);
  }
}
