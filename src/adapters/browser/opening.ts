import { clip } from '../../actions/page/text.ts';
import { siteAllows } from '../../engine/values/sites.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { RunTab } from '../../model/run.ts';
import type { PageCall } from '../../ports/pages.ts';
import type { Acting, Driver } from './acting.ts';
import type { BrowserTab } from './browser-api.ts';
import type { DialogAnswer } from './dialogs/channel.ts';
import { goTo, untilOpened } from './navigation.ts';
import type { Allowance } from './time.ts';

/** Opens a tab, or takes the one that an earlier attempt opened, and has it load again if it came to nothing there. */
export async function openTab(
  driver: Driver,
  call: PageCall,
  url: string,
  active: boolean,
  time: Allowance,
  answer: DialogAnswer | undefined,
): Promise<{ tab: RunTab; found: BrowserTab }> {
  const { host } = driver;
  const before = host.openedBefore(call);
  const tab = before ?? (await host.open(call, url, { current: active, active, answer }));
  const acting: Acting = { call, tab, rules: { sites: call.sites }, time, read: false, answer };
  if (!before) return { tab, found: await untilOpened(driver, acting, url, 'load') };
  if (active) host.change(call, { ...host.tabs(call), current: tab.tab });
  try {
    return { tab, found: await untilOpened(driver, acting, url, 'load') };
  } catch (error) {
    if (!TabloomError.is(error) || error.code !== 'navigation_failed' || time.over) throw error;
    return { tab, found: await goTo(driver, acting, url, 'load') };
  }
}

/** The address to open, checked. For an approved act either the page it starts from or the one it opens is what was approved. */
export async function openable(driver: Driver, call: PageCall, url: Json | undefined): Promise<string> {
  const text = String(url);
  if (!URL.canParse(text))
    throw new TabloomError('input_invalid', `Correct the address "${clip(text, 100)}": it is none.`, {
      field: 'url',
    });
  const origin = await driver.gate.check(text, { sites: call.sites });
  if (call.approvedOrigin !== undefined && call.approvedOrigin !== origin) {
    const from = call.tab ?? driver.host.tabs(call).current;
    const found = from === undefined ? undefined : await driver.host.look(call, from).catch(() => undefined);
    if (!found?.url || !URL.canParse(found.url) || new URL(found.url).origin !== call.approvedOrigin) {
      throw new TabloomError(
        'approval_mismatch',
        `Approve again: it was approved for ${call.approvedOrigin}, not for ${origin}.`,
        {
          details: { approved: call.approvedOrigin, origin },
        },
      );
    }
  }
  return new URL(text).href;
}

/** A title is a page's own words: of one that is none of the run's sites, nothing is told but where it is. */
export function titleFor({ sites }: Pick<PageCall, 'sites'>, url: string, title: string): string {
  return siteAllows(sites, url) ? title : '';
}

/** The run's open tabs, as they are now. */
export async function listTabs(driver: Driver, call: PageCall): Promise<Json[]> {
  const { host } = driver;
  const tabs = host.tabs(call);
  for (const tab of tabs.list) {
    if (!tab.closed && tab.session === host.session) await host.look(call, tab.tab).catch(() => undefined);
  }
  const now = host.tabs(call);
  return now.list
    .filter((tab) => !tab.closed)
    .map(({ tab, url, title }) => ({ tab, url, title: titleFor(call, url, title), active: tab === now.current }));
}
