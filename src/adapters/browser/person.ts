import { SOMEBODY_THERE } from '../../actions/page/person.ts';
import { TabloomError } from '../../model/errors.ts';
import type { Acting, Driver } from './acting.ts';

/** How often it is looked whether a person has let a page alone, milliseconds. */
const PAUSE = 100;

type Waiting = Pick<Acting, 'time' | 'noticed'>;

/** What an act fails with while somebody is at its page. Nothing was done. */
export function somebodyThere({ noticed }: Pick<Acting, 'noticed'>): TabloomError {
  if (noticed) noticed.yielded = true;
  return new TabloomError('element_not_actionable', SOMEBODY_THERE, { details: { reason: 'person' }, acted: false });
}

/**
 * Waits until nobody types or clicks in any frame of a tab, as far as frames are granted.
 * @returns whether somebody did
 * @throws TabloomError `element_not_actionable` with the reason `person` when they do not stop in time
 */
export async function untilLeftAlone(driver: Driver, waiting: Waiting, browserTabId: number): Promise<boolean> {
  const { time } = waiting;
  let waited = false;
  while (await driver.dialogs.isPersonAt(browserTabId, time.signal)) {
    const error = somebodyThere(waiting);
    if (time.over) throw error;
    waited = true;
    await time.sleep(PAUSE);
  }
  return waited;
}

/**
 * Before another tab comes to the front of the run's own window: waits until nobody is at the page that it shows now.
 * @throws TabloomError as {@link untilLeftAlone}
 */
export async function untilViewIsLeft(driver: Driver, runId: string, waiting: Waiting): Promise<void> {
  for (const id of driver.host.inOwnWindow(runId)) {
    const found = await driver.browser.tabs.get(id).catch(() => undefined);
    if (found?.active) await untilLeftAlone(driver, waiting, id);
  }
}
