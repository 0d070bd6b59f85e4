import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import { addressed, followNavigation, watchLoading } from './navigation.ts';
import { actOnce, type OnceOp, type OnceResult } from './once.ts';

/** How long a navigation or a new tab may take to begin after an act, milliseconds. */
const GRACE = 150;
/** The same for a tab of which the page says that a link leads there, milliseconds. */
const NEW_TAB = 3000;

export interface OnceOutcome {
  value: Json;
  matched: number | undefined;
  /** Where the tab is now. */
  url: string | null;
  /** The run's id of the first tab that came of it. */
  openedTab: string | null;
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
  return { value, matched, url: after?.url ?? null, openedTab: openedTab ?? null };
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
    await followNavigation(driver, acting, watch, result.before, GRACE).catch(() => undefined);
    await newTab(driver, acting, result.value, () => opened.length > 0);
    const adopted = opened.map((tab) => driver.host.adopt(acting.call, tab)).filter((tab) => tab !== undefined);
    const after = await addressed(driver, acting).catch(() => undefined);
    return { result, after, openedTab: adopted[0]?.tab };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
    if (expected.size > 0) driver.dialogs.expected(expected);
  }
}

/**
 * The tab into which a click has followed a link. The browser may be slow with it; where it would block it as a pop-up, it is opened here, if
 * it leads to where the run may go.
 */
async function newTab(driver: Driver, acting: Acting, value: Json, isThere: () => boolean): Promise<void> {
  const opens = isObject(value) && isObject(value.opens) ? value.opens : undefined;
  if (!opens) return;
  const { call, tab, time } = acting;
  if (opens.kept === true) {
    const url = String(opens.href);
    try {
      await driver.gate.check(url, { sites: call.sites });
    } catch {
      return;
    }
    const { windowId } = await driver.host.look(call, tab.tab);
    await driver.browser.tabs.create({ url, windowId, active: true, openerTabId: tab.browserTabId });
  }
  const limit = time.within(NEW_TAB);
  while (!isThere() && !limit.over) await time.sleep(20);
}
