import type { Target } from '../../actions/describe.ts';
import { clip } from '../../actions/page/text.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage } from './ask.ts';
import type { BrowserTab } from './browser-api.ts';
import type { Foreseen } from './gate.ts';
import { CLOSED_MARK } from './page-scripts.ts';
import { untilLeftAlone } from './person.ts';
import { hasPage } from './run-tabs.ts';

/** How long the browser may take to say that it has begun to load, milliseconds; within a page it says nothing. */
const BEGIN = 3000;
const BEGIN_WITHIN = 500;
/** The same for a new tab, whose empty page looks like one that is loaded. */
const BEGIN_FRESH = 5000;
const STEP = 50;

export type WaitFor = 'load' | 'domcontentloaded' | 'none' | Target;

/** Follows a tab's loading from before it begins. `stop` must be called. */
export function watchLoading(
  driver: Driver,
  tabId: number,
): { readonly begun: boolean; readonly done: boolean; stop(): void } {
  const seen = { begun: false, done: false };
  const listener = (id: number, change: { status?: string }): void => {
    if (id !== tabId) return;
    if (change.status === 'loading') Object.assign(seen, { begun: true, done: false });
    if (change.status === 'complete' && seen.begun) seen.done = true;
  };
  driver.browser.tabs.onUpdated.addListener(listener);
  return {
    get begun() {
      return seen.begun;
    },
    get done() {
      return seen.done;
    },
    stop: () => driver.browser.tabs.onUpdated.removeListener(listener),
  };
}

/**
 * Opens an address in the action's tab and waits as asked. The page it ends on is checked too, since it may have redirected.
 * @throws TabloomError `navigation_failed`, as the gate; of a target, as looking for it.
 */
export async function goTo(driver: Driver, acting: Acting, url: string, waitFor: WaitFor): Promise<BrowserTab> {
  const { tab, time } = acting;
  let before = await driver.scripts.documentMark(tab.browserTabId, time);
  // A page that does not answer has nobody who could use it. They may have left it for another one.
  if (before !== undefined && (await untilLeftAlone(driver, acting, tab.browserTabId)))
    before = await driver.scripts.documentMark(tab.browserTabId, time);
  if (await driver.dialogs.leave(tab.browserTabId, acting.answer, url, time.signal)) {
    throw new TabloomError(
      'operation_failed',
      'Let the step accept dialogs, or finish what the page is at: it asks not to be left, and the answer was to stay.',
      { details: { reason: 'beforeunload' }, acted: false },
    );
  }
  const watch = watchLoading(driver, tab.browserTabId);
  try {
    await driver.browser.tabs.update(tab.browserTabId, { url }).catch((error: unknown) => {
      throw new TabloomError(
        'navigation_failed',
        `Check the address: the browser refuses ${clip(url, 200)} (${String(error)}).`,
      );
    });
    if (waitFor === 'none') return await driver.host.look(acting.call, tab.tab);
    await untilLoaded(driver, acting, watch, url, waitFor === 'load', { left: before, from: tab.url });
    return await arrived(driver, acting, url, before, waitFor);
  } finally {
    watch.stop();
    // Its document is still on its way otherwise.
    if (waitFor !== 'none') await driver.dialogs.arrived(tab.browserTabId);
  }
}

/** Waits for a tab that was opened at an address. */
export async function untilOpened(driver: Driver, acting: Acting, url: string, waitFor: WaitFor): Promise<BrowserTab> {
  if (waitFor === 'none') return driver.host.look(acting.call, acting.tab.tab);
  const watch = watchLoading(driver, acting.tab.browserTabId);
  try {
    const had = driver.host.isWoken(acting.tab) ? 'woken' : 'fresh';
    await untilLoaded(driver, acting, watch, url, waitFor === 'load', had);
    return await arrived(driver, acting, url, undefined, waitFor);
  } finally {
    watch.stop();
    await driver.dialogs.arrived(acting.tab.browserTabId);
  }
}

/** What a tab had before: nothing, nothing but an address, or a document with a mark at one. */
type Had = 'fresh' | 'woken' | { left: string | undefined; from: string };

/** Waits until the page is loaded, or with `whole` false until its document is read. */
async function untilLoaded(
  driver: Driver,
  acting: Acting,
  watch: { readonly begun: boolean; readonly done: boolean },
  url: string,
  whole: boolean,
  had: Had,
): Promise<void> {
  const { time, call, tab } = acting;
  const fresh = typeof had === 'string';
  const begin = time.within(typeof had === 'string' ? BEGIN_FRESH : sameDocument(had.from, url) ? BEGIN_WITHIN : BEGIN);
  let asked = false;
  let pending = false;
  for (;;) {
    const found = await driver.host.look(call, tab.tab);
    pending ||= !fresh && Boolean(found.pendingUrl);
    const settled = found.status === 'complete' && !found.pendingUrl;
    const empty = fresh && driver.host.isEmpty(found);
    const begun = watch.begun || pending || begin.over || (fresh && !empty && found.url !== undefined);
    if (empty && settled && begun) throw noPage(url);
    if (!empty && (watch.done || (settled && begun))) {
      if (had !== 'woken' || begin.over || (await isRead(driver, acting, found))) return;
    }
    const there = begun && !empty && !found.pendingUrl && sameDocument(found.url ?? '', url);
    if (there && !asked && !time.over) {
      // The viewer of a PDF takes its time to load, and would be waited for in vain.
      if (await isPdf(driver, acting)) throw noPage(url);
      asked = true;
    }
    // Firefox says that it loads before there is another document.
    if (!whole && !empty && !found.pendingUrl && begun && (await isAnother(driver, acting, url, had))) {
      if (await isRead(driver, acting, found)) return;
    }
    if (time.over) throw notLoaded(url, found);
    await time.sleep(STEP);
  }
}

/** Whether the document that a tab had before has made way for another one. */
async function isAnother({ scripts }: Driver, { tab, time }: Acting, url: string, had: Had): Promise<boolean> {
  // Within a page there is none to come.
  if (typeof had === 'string' || (had.from !== url && sameDocument(had.from, url))) return true;
  const mark = await scripts.documentMark(tab.browserTabId, time);
  return mark !== undefined && mark !== CLOSED_MARK && mark !== had.left;
}

const PDF = 'application/pdf';

/** What came instead of a page left the tab where it was. */
function noPage(url: string): TabloomError {
  const message = `Check the address: ${siteOf(url)} gives a file instead of a page (\`download\` keeps one), or nothing at all.`;
  return new TabloomError('navigation_failed', message, { details: { reason: 'no_page' } });
}

function notLoaded(url: string, found: BrowserTab): TabloomError {
  const here = found.url !== undefined && /^https?:/.test(found.url) && !found.pendingUrl;
  return new TabloomError(
    'navigation_failed',
    here
      ? 'Wait for an element instead, or raise the timeout: the page is there but did not finish loading.'
      : `Look whether ${siteOf(url)} can be reached, then retry: it gave no page in time (it is slow, or gives a file instead, which \`download\` keeps).`,
  );
}

/** The site of an address for a message; the rest of an address may hold what is nobody's business. */
function siteOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the address';
}

async function isPdf(driver: Driver, { tab, time }: Acting): Promise<boolean> {
  const { type } = await driver.scripts.answer(tab.browserTabId, time).catch(() => ({ type: undefined }));
  return type === PDF;
}

/** Whether a tab's document has been read to its end. */
export async function isRead(driver: Driver, { tab, time }: Acting, found: BrowserTab): Promise<boolean> {
  if (!found.url) return false;
  const state = await driver.scripts.readyState(tab.browserTabId, time).catch(() => undefined);
  return state === 'interactive' || state === 'complete';
}

async function arrived(
  driver: Driver,
  acting: Acting,
  url: string,
  before: string | undefined,
  waitFor: WaitFor,
): Promise<BrowserTab> {
  const { call, tab, time } = acting;
  const found = await checkedTab(driver, acting);
  await checkAnswer(driver, acting, url);
  const after = before === undefined ? undefined : await driver.scripts.documentMark(tab.browserTabId, time);
  if (before !== undefined && after === before && !sameDocument(found.url ?? '', url)) {
    throw noPage(url);
  }
  if (typeof waitFor !== 'string') {
    await askPage(driver, acting, 'wait', { target: waitFor as never, state: 'visible' });
    return driver.host.look(call, tab.tab);
  }
  return found;
}

/**
 * @throws TabloomError `navigation_failed` on the browser's error page, which has the address that was asked for, on one of the server's, and
 * where the browser shows a PDF, in which there is nothing to act on.
 */
export async function checkAnswer(driver: Driver, { tab, time }: Acting, url: string): Promise<void> {
  let answer: { status?: number; type?: string };
  try {
    answer = await driver.scripts.answer(tab.browserTabId, time);
  } catch (error) {
    if (!TabloomError.is(error) || error.code !== 'navigation_failed') throw error;
    const { code: _, message: __, ...more } = error.info;
    const message = `Check the address and the connection, then retry: the browser could not open ${siteOf(url)}.`;
    throw new TabloomError('navigation_failed', message, more);
  }
  const { status, type } = answer;
  if (type === PDF) throw noPage(url);
  if (status !== undefined && status >= 500) {
    const message = `Retry later: ${siteOf(url)} answered with an error of its own (HTTP ${status}).`;
    throw new TabloomError('navigation_failed', message, { details: { status } });
  }
}

/** Whether two addresses differ in the part after `#` at most. */
export function sameDocument(a: string, b: string): boolean {
  const bare = (url: string): string => (URL.canParse(url) ? new URL(url).href.replace(/#.*$/, '') : url);
  return bare(a) === bare(b);
}

/** How long the address of a page that loads may be hidden, milliseconds. */
const ADDRESS = 3000;

/**
 * The tab as the browser has it now. One that was opened a moment ago has no address before its first page is there, and Firefox hides it for a
 * moment while one document makes way for another.
 */
export async function addressed(driver: Driver, { call, tab, time }: Acting): Promise<BrowserTab> {
  const limit = time.within(ADDRESS);
  for (;;) {
    const found = await driver.host.look(call, tab.tab);
    const hidden = found.status === 'loading' && (driver.host.hidesAddresses || Boolean(found.pendingUrl));
    const comes = driver.host.awaitsFirstPage(tab) || (hidden && !found.url);
    if (!comes || limit.over) return found;
    await time.sleep(STEP);
  }
}

/**
 * The tab as the browser has it now, checked by the gate.
 * @param seen as it was found a moment ago, where it was
 * @throws TabloomError as the gate, `tab_closed`.
 */
export async function checkedTab(
  driver: Driver,
  acting: Acting,
  seen?: BrowserTab,
  foreseen?: Foreseen,
): Promise<BrowserTab> {
  const found = seen && hasPage(seen) ? seen : await addressed(driver, acting);
  if (!found.url) throw await driver.gate.hidden(acting.tab.url, acting.rules);
  await driver.gate.check(found.url, acting.rules, foreseen);
  return found;
}

/** What is known of a tab's document before an act. */
export interface Before {
  mark: string | undefined;
  /** Still loading then, so that loading says nothing about the act. */
  loading: boolean;
}

/**
 * After an act: waits a moment for a navigation to begin, and then until the new document is there. Does not wait for it to be loaded.
 * The event of loading comes with the new document only; that loading has begun shows on the tab.
 */
export async function followNavigation(
  driver: Driver,
  acting: Acting,
  watch: { readonly begun: boolean; readonly done: boolean },
  before: Before,
  grace: number,
): Promise<void> {
  const { call, tab, time } = acting;
  const start = time.within(grace);
  const loads = async (): Promise<boolean> => (await driver.host.look(call, tab.tab)).status === 'loading';
  while (!watch.begun && (before.loading || !(await loads()))) {
    if (start.over) return;
    await time.sleep(20);
  }
  const limit = time.within(10_000);
  while (!limit.over && !watch.done) {
    const mark = await driver.scripts.documentMark(tab.browserTabId, time);
    if (mark !== undefined && mark !== before.mark) return;
    if (!watch.begun && !(await loads())) return;
    await time.sleep(STEP);
  }
}
