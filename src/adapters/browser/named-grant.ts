import { TabloomError } from '../../model/errors.ts';
import { isObject } from '../../model/json.ts';
import type { PageCall } from '../../ports/pages.ts';
import type { Driver } from './acting.ts';
import { pickTab } from './run-tabs.ts';

/**
 * A grant that was taken away between two steps of an act shows as a refusal of the browser, which names no site. With the site's name
 * the run can wait for it. Any other error is given back as it is.
 */
export async function namedGrant(driver: Driver, call: PageCall, error: unknown): Promise<unknown> {
  if (!TabloomError.is(error) || error.code !== 'permission_denied') return error;
  const { code: _, message: __, details, ...more } = error.info;
  if (isObject(details) && typeof details.origin === 'string') return error;
  try {
    const { url } = pickTab(driver.host.tabs(call), call.tab);
    const named = await driver.gate.hidden(url, { sites: call.sites });
    if (named.code !== 'permission_denied') return error;
    return new TabloomError(named.code, named.message, { ...more, details: named.info.details });
  } catch {
    return error;
  }
}
