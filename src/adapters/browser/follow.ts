import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { RunTab } from '../../model/run.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import { addressed, followNavigation, watchLoading } from './navigation.ts';
import { actOnce, type OnceOp, type OnceResult } from './once.ts';
import { hasPage } from './run-tabs.ts';

/** How long a navigation or a new tab may take to begin after an act, milliseconds. */
const GRACE = 150;
/** The same for a tab that was asked for for sure, milliseconds. */
const TAB_GRACE = 2000;
const PAUSE = 20;

export interface OnceOutcome {
  value: Json;
  matched: number | undefined;
  /** Where the tab is now. */
  url: string | null;
  /** The run's id of the first tab that came of it. */
  openedTab: string | null;
  /** Where a tab was to be opened that did not come. */
  blocked?: string;
}

/**
 * Acts once (clicks, types, drags), follows where it leads, and makes the tabs that it opened the run's.
 * @throws TabloomError as {@link actOnce}
 */
export async function actAndFollow(
  driver: Driver,
  acting: Acting,
  op: OnceOp,
  args: JsonObject,
  token: string,
): Promise<OnceOutcome> {
  const { result, after, openedTab } = await following(driver, acting, () => actOnce(driver, acting, op, args, token));
  const { value, matched } = result;
  const wanted = openedTab === undefined ? newTabOf(result) : undefined;
  const outcome = { value, matched, url: after?.url ?? null, openedTab: openedTab ?? null };
  return wanted === undefined ? outcome : { ...outcome, blocked: wanted.address };
}

/** A new tab that the page said the browser was asked for; `kept` where the browser was kept from opening it, since it would block it. */
function newTabOf({ value }: OnceResult): { address: string; kept: boolean } | undefined {
  if (!isObject(value) || typeof value.opens !== 'string') return undefined;
  return { address: value.opens, kept: value.kept === true };
}

/** Does something once, follows where it leads, and makes the tabs that it opens the run's. @throws TabloomError as the act */
export async function following<T extends OnceResult>(
  driver: Driver,
  acting: Acting,
  act: () => Promise<T>,
): Promise<{ result: T; after: BrowserTab | undefined; openedTab: string | undefined }> {
  const opened: BrowserTab[] = [];
  const watch = watchLoading(driver, acting.tab.browserTabId);
  const expected = new Set<number>();
  const onCreated = (created: BrowserTab): void => {
    if (created.openerTabId !== acting.tab.browserTabId) return;
    opened.push(created);
    if (created.id === undefined) return;
    expected.add(created.id);
    driver.dialogs.expect(created.id);
  };
  driver.browser.tabs.onCreated.addListener(onCreated);
  try {
    const result = await act();
    const look = (): Promise<BrowserTab | undefined> => addressed(driver, acting).catch(() => undefined);
    const wanted = newTabOf(result);
    let after = isStill(result) && !wanted ? await look() : undefined;
    if (after?.status !== 'complete' || after.pendingUrl || watch.begun || opened.length > 0) {
      await followNavigation(driver, acting, watch, result.before, GRACE).catch(() => undefined);
      const comes = wanted && (!wanted.kept || (await openKept(driver, acting, wanted.address)));
      const coming = acting.time.within(TAB_GRACE);
      while (comes && opened.length === 0 && !coming.over && !coming.signal.aborted)
        await coming.sleep(PAUSE).catch(() => undefined);
      after = await look();
    }
    const adopted = opened
      .map((tab) => driver.host.adopt(acting.call, tab, wanted?.address))
      .filter((tab) => tab !== undefined);
    for (const tab of adopted) await untilThere(driver, acting, tab);
    return { result, after, openedTab: adopted[0]?.tab };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
    if (expected.size > 0) driver.dialogs.expected(expected);
  }
}

/** Waits a while for the first page of a tab, so that its address is known when the browser dies; a slow one is waited for by what comes next. */
async function untilThere(driver: Driver, { call, time }: Acting, { tab }: RunTab): Promise<void> {
  const coming = time.within(TAB_GRACE);
  for (;;) {
    const found = await driver.host.look(call, tab).catch(() => undefined);
    if (!found || hasPage(found) || coming.over || coming.signal.aborted) return;
    await coming.sleep(PAUSE).catch(() => undefined);
  }
}

/**
 * Opens a tab that the browser was kept from opening, as a click of the person would.
 * @returns false where it leads to where the run may not go, or the browser opens none
 */
async function openKept(driver: Driver, { call, tab, time }: Acting, url: string): Promise<boolean> {
  try {
    time.check();
    await driver.gate.check(url, { sites: call.sites });
    const { windowId } = await driver.host.look(call, tab.tab);
    await driver.browser.tabs.create({ url, windowId, active: true, openerTabId: tab.browserTabId });
    return true;
  } catch {
    return false;
  }
}

/** Whether the page itself has seen that nothing is on its way which may still lead elsewhere. */
function isStill({ value }: OnceResult): boolean {
  return isObject(value) && value.still === true;
}
