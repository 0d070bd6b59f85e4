import { systemClock, systemRandom } from '../adapters/clock.ts';
import { createDexieStore, TabloomDatabase } from '../adapters/dexie/index.ts';
import { createSecretVault } from '../adapters/secrets/index.ts';
import type { BackgroundBrowser } from './browser-api.ts';
import { Runtime } from './runtime.ts';

/** The background of the extension, on IndexedDB, the machine's clock and Web Locks. Opens nothing yet. */
export function createBackground(browser: BackgroundBrowser): Runtime {
  const database = new TabloomDatabase();
  return new Runtime({
    browser,
    store: createDexieStore({ database }),
    vault: createSecretVault(database),
    clock: systemClock,
    random: systemRandom,
    locks: navigator.locks,
    began: performance.timeOrigin,
    log: (message) => console.warn(message),
  });
}
