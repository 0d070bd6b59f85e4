import type { JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import { followNavigation, watchLoading } from './navigation.ts';
import { actOnce, type OnceResult } from './once.ts';

/** How long a navigation or a new tab may take to begin after a click, milliseconds. */
const GRACE = 150;

export interface ClickResult {
  output: JsonObject;
  matched: number | undefined;
}

/** Clicks once, follows where it leads, and makes the tabs that it opened the run's. @throws TabloomError as {@link actOnce} */
export async function clickElement(
  driver: Driver,
  acting: Acting,
  args: JsonObject,
  token: string,
): Promise<ClickResult> {
  const { result, after, openedTab } = await following(driver, acting, () =>
    actOnce(driver, acting, 'click', args, token),
  );
  const { matched } = result;
  return { output: { matched: matched ?? 0, url: after?.url ?? null, openedTab: openedTab ?? null }, matched };
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
    const adopted = opened.map((tab) => driver.host.adopt(acting.call, tab)).filter((tab) => tab !== undefined);
    const after = await driver.host.look(acting.call, acting.tab.tab).catch(() => undefined);
    return { result, after, openedTab: adopted[0]?.tab };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
    if (expected.size > 0) driver.dialogs.expected(expected);
  }
}
