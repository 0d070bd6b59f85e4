import { TabloomError } from '../../model/errors.ts';
import { isObject } from '../../model/json.ts';
import type { PageCall } from '../../ports/pages.ts';
import type { Driver } from './acting.ts';
import type { GateRules } from './gate.ts';
import { pickTab } from './run-tabs.ts';

/**
 * The browser's refusal of an act names no site. What it was about is looked up here: a grant that was taken away between the check and
 * the act, for which the run can wait, or a page to which the tab went meanwhile. Any other error is given back as it is.
 */
export async function namedGrant(driver: Driver, call: PageCall, error: unknown): Promise<unknown> {
  if (!TabloomError.is(error) || error.code !== 'permission_denied') return error;
  const { code: _, message: __, details, ...more } = error.info;
  if (isObject(details) && typeof details.origin === 'string') return error;
  try {
    const { tab, url } = pickTab(driver.host.tabs(call), call.tab);
    const now = (await driver.host.look(call, tab)).url;
    const named = await refusal(driver, now, url, { sites: call.sites });
    return named ? new TabloomError(named.code, named.message, { ...more, details: named.info.details }) : error;
  } catch {
    return error;
  }
}

/** @param now the address, which the browser hides where it is not granted. */
async function refusal(
  driver: Driver,
  now: string | undefined,
  last: string,
  rules: GateRules,
): Promise<TabloomError | undefined> {
  if (!now) return driver.gate.hidden(last, rules);
  try {
    await driver.gate.check(now, rules);
  } catch (error) {
    return TabloomError.is(error) ? error : undefined;
  }
  return undefined;
}
