import type { Json, JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import { followNavigation, watchLoading } from './navigation.ts';
import { actOnce, type OnceOp } from './once.ts';

/** How long a navigation or a new tab may take to begin after an act, milliseconds. */
const GRACE = 150;

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
    const { value, matched, before } = await actOnce(driver, acting, op, args, token);
    await followNavigation(driver, acting, watch, before, GRACE).catch(() => undefined);
    const adopted = opened.map((tab) => driver.host.adopt(acting.call, tab)).filter((tab) => tab !== undefined);
    const after = await driver.host.look(acting.call, acting.tab.tab).catch(() => undefined);
    return { value, matched, url: after?.url ?? null, openedTab: adopted[0]?.tab ?? null };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
    if (expected.size > 0) driver.dialogs.expected(expected);
  }
}
