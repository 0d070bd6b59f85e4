import { TabloomError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Acting, Driver } from './acting.ts';
import { askPage } from './ask.ts';

const PAUSE = 100;

/**
 * Waits until everything that is named holds. @returns milliseconds that it took.
 * @throws TabloomError `timeout` when it never does; as the gate.
 */
export async function waitUntil(driver: Driver, acting: Acting, args: JsonObject): Promise<number> {
  const { clock } = driver;
  const start = clock.now();
  const { url, timeout: _, ...inPage } = args;
  for (;;) {
    if (typeof url === 'string') await untilAddress(driver, acting, url);
    if (args.target === undefined && args.text === undefined) break;
    await askPage(driver, acting, 'wait', inPage);
    if (typeof url !== 'string' || (await isAt(driver, acting, url))) break;
  }
  return clock.now() - start;
}

async function untilAddress(driver: Driver, acting: Acting, url: string): Promise<void> {
  while (!(await isAt(driver, acting, url))) {
    if (acting.time.over)
      throw new TabloomError('timeout', `Look at the tab: the wait for the address ${url} took too long.`);
    await acting.time.sleep(PAUSE);
  }
}

async function isAt(driver: Driver, acting: Acting, wanted: string): Promise<boolean> {
  const found = await driver.host.look(acting.call, acting.tab.tab);
  return found.url !== undefined && addressFits(found.url, wanted);
}

/** With `*` the whole address must fit the pattern, else the text must be a part of it. */
export function addressFits(url: string, wanted: string): boolean {
  if (!wanted.includes('*')) return url.includes(wanted);
  const parts = wanted.split('*');
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  if (!url.startsWith(first) || url.length < first.length + last.length || !url.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = url.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= url.length - last.length;
}
