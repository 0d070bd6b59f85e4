import type { Random } from '../ports/clock.ts';
import type { BackgroundBrowser } from './browser-api.ts';

const KEY = 'tabloom.session';

/**
 * A mark of this life of the browser: kept in `storage.session`, which outlives the worker but not the browser. Tab ids mean something only
 * together with it.
 */
export async function browserSession(
  browser: Pick<BackgroundBrowser, 'storage'>,
  random: Pick<Random, 'id'>,
): Promise<string> {
  const kept = (await browser.storage.session.get(KEY))[KEY];
  if (typeof kept === 'string' && kept !== '') return kept;
  const made = random.id();
  await browser.storage.session.set({ [KEY]: made });
  return made;
}
