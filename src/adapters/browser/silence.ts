import { TabloomError } from '../../model/errors.ts';
import type { PageCall } from '../../ports/pages.ts';
import type { Driver } from './acting.ts';
import { loseFilled } from './filled.ts';
import { isMasked, pickTab } from './run-tabs.ts';
import { withTimeout } from './time.ts';

/** How long the page may take to go away, milliseconds. */
const LEAVE = 5000;
const PAUSE = 100;

/**
 * What to do about an action's error where the tab gave no answer. One that stays silent has a dialog open that came past the guard (it was
 * there before the run, or the page came from where it could not be told), or a script that does not end: it is freed by loading its page
 * again, since nothing else can reach it, not even a person where its window is not seen.
 * @returns the error to give on; with `details.freed` when the page was loaded again
 */
export async function freeSilentTab(driver: Driver, call: PageCall, error: unknown): Promise<unknown> {
  if (!isSilence(error) || call.signal.aborted) return error;
  const { browser, host, dialogs, gate, clock } = driver;
  try {
    const tab = pickTab(host.tabs(call), call.tab);
    if (await dialogs.answers(tab.browserTabId)) return error;
    const url = tab.url.replace(/#.*$/, '');
    if (isMasked(url)) return error;
    await gate.check(url, { sites: call.sites });
    await browser.tabs.update(tab.browserTabId, { url });
    host.change(call, loseFilled(host.tabs(call), tab.tab));
    const end = clock.now() + LEAVE;
    while (!(await dialogs.answers(tab.browserTabId)) && clock.now() < end) {
      await withTimeout(clock, PAUSE, new Promise<never>(() => undefined), undefined, call.signal);
    }
    const { code, acted, details } = error.info;
    return new TabloomError(
      code,
      `Look at the page: a dialog that nobody could answer, or a script without end, held tab ${tab.tab}; the page was loaded again.`,
      {
        details: { ...(details as object), freed: true, tab: tab.tab },
        ...(acted === undefined ? {} : { acted }),
      },
    );
  } catch {
    return error;
  }
}

function isSilence(error: unknown): error is TabloomError {
  if (!TabloomError.is(error)) return false;
  const { details } = error.info;
  return typeof details === 'object' && details !== null && 'reason' in details && details.reason === 'tab_silent';
}
