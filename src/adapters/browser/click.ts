import type { JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import { followNavigation, watchLoading } from './navigation.ts';
import { actOnce } from './once.ts';

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
    const { matched, before } = await actOnce(driver, acting, 'click', args, token);
    await followNavigation(driver, acting, watch, before, GRACE).catch(() => undefined);
    const adopted = opened.map((tab) => driver.host.adopt(acting.call, tab)).filter((tab) => tab !== undefined);
    const after = await driver.host.look(acting.call, acting.tab.tab).catch(() => undefined);
    const output = { matched: matched ?? 0, url: after?.url ?? null, openedTab: adopted[0]?.tab ?? null };
    return { output, matched };
  } finally {
    watch.stop();
    driver.browser.tabs.onCreated.removeListener(onCreated);
    if (expected.size > 0) driver.dialogs.expected(expected);
  }
}
