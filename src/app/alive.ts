import type { Clock } from '../ports/clock.ts';
import type { BackgroundBrowser } from './browser-api.ts';

/** Before the browser is asked again, milliseconds. */
const AGAIN = 1000;

/**
 * Resolves as soon as the browser answers a question that has one answer only. While a worker is being ended its code still runs for a
 * moment, and may even write to the database, but every call of the browser is refused with whatever error is at hand ("No SW", "No tab
 * with id"…), and every request breaks off. A worker that is being ended never comes past this; one that lives does so in a millisecond.
 */
export async function untilAlive(browser: Pick<BackgroundBrowser, 'runtime'>, clock: Clock): Promise<void> {
  while (!(await answers(browser))) await new Promise<void>((resolve) => clock.setTimer(AGAIN, resolve));
}

function answers(browser: Pick<BackgroundBrowser, 'runtime'>): Promise<boolean> {
  return browser.runtime.getPlatformInfo().then(
    () => true,
    () => false,
  );
}
