import { TabloomError } from '../../../model/errors.ts';
import type { Acting, Driver } from '../acting.ts';
import type { BrowserTab } from '../browser-api.ts';
import { fromBase64 } from '../files/page-files.ts';
import { ALL_PAGES } from '../granted.ts';
import { checkedTab } from '../navigation.ts';
import { withTimeout } from '../time.ts';

/** Browsers allow about two pictures a second; how long to wait when it was one too many, milliseconds. */
const QUOTA_PAUSE = 550;
/** How long the browser may take for one, milliseconds. */
const SILENCE = 8000;
/** A tab that has just come forward is not drawn yet: so often, and so far apart, it is tried again. */
const TRIES = 6;
const PAUSE = 250;

/**
 * A picture of what the window shows of the action's tab, at device pixels. Nothing of another tab gets into it.
 * @throws TabloomError `permission_denied` with `details: {origin: '<all_urls>'}`, `tab_not_visible`, as the gate
 */
export async function capture(driver: Driver, acting: Acting): Promise<ImageBitmap> {
  const { time } = acting;
  let tries = 0;
  for (;;) {
    time.check();
    const picture = await captureOnce(driver, acting);
    if (typeof picture !== 'string') return picture;
    if (picture !== 'quota') tries += 1;
    if (time.over || tries >= TRIES) throw notVisible(acting);
    await time.sleep(picture === 'quota' ? QUOTA_PAUSE : PAUSE);
  }
}

async function captureOnce(driver: Driver, acting: Acting): Promise<ImageBitmap | 'quota' | 'again'> {
  const { tabs } = driver.browser;
  const { time } = acting;
  const found = await shown(driver, acting);
  let changed = false;
  const onActivated = ({ windowId }: { windowId: number }): void => {
    if (windowId === found.windowId) changed = true;
  };
  tabs.onActivated?.addListener(onActivated);
  let url: string | undefined;
  try {
    const call = tabs.captureVisibleTab?.(found.windowId as number, { format: 'png' });
    url = call && (await withTimeout(driver.clock, SILENCE, call, undefined, time.signal));
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (/MAX_CAPTURE|quota/i.test(text)) return 'quota';
    if (/permission/i.test(text)) throw denied();
    return 'again';
  } finally {
    tabs.onActivated?.removeListener(onActivated);
  }
  time.check();
  const after = await shown(driver, acting);
  if (!url || changed || after.windowId !== found.windowId) return 'again';
  const bytes = fromBase64(url.replace(/^[^,]*,/, ''));
  return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
}

/** The tab, which must be the one that its window shows. In a window of the run's own it is brought forward. */
export async function shown(driver: Driver, acting: Acting): Promise<BrowserTab> {
  const found = await checkedTab(driver, acting);
  if (found.active !== false) return found;
  await driver.host.bringForward(acting.call, acting.tab, found, false);
  return { ...found, active: true };
}

function notVisible({ tab }: Acting): TabloomError {
  return new TabloomError(
    'tab_not_visible',
    `Restore the window of tab ${tab.tab}, and let it show the tab: the browser gives no picture of what it does not draw.`,
    { details: { tab: tab.tab } },
  );
}

function denied(): TabloomError {
  return new TabloomError(
    'permission_denied',
    "Allow Tabloom to work on all sites, or click its icon in the tab and retry: for a picture of a page the browser asks for that, and one site's grant is not enough.",
    { details: { origin: ALL_PAGES } },
  );
}
