import { bytesToHex } from '@noble/hashes/utils.js';
import { systemClock, systemRandom } from '../adapters/clock.ts';
import { createDexieInspector, createDexieStore, TabloomDatabase } from '../adapters/dexie/index.ts';
import type { LinkSocket } from '../adapters/link/connect.ts';
import { createSecretVault } from '../adapters/secrets/index.ts';
import type { BackgroundBrowser } from './browser-api.ts';
import { Runtime } from './runtime.ts';

/**
 * The background of the extension, on IndexedDB, the machine's clock and Web Locks. Opens nothing yet.
 * @param production whether it was built for people
 */
export function createBackground(browser: BackgroundBrowser, production = true): Runtime {
  const database = new TabloomDatabase();
  const vault = createSecretVault(database);
  return new Runtime({
    browser,
    store: createDexieStore({ database }),
    vault,
    inspector: createDexieInspector(database, vault, navigator.storage),
    production,
    clock: systemClock,
    random: systemRandom,
    locks: navigator.locks,
    link: {
      open: (url) => new WebSocket(url) as unknown as LinkSocket,
      nonce: () => bytesToHex(crypto.getRandomValues(new Uint8Array(32))),
      uuid: () => crypto.randomUUID(),
    },
    began: performance.timeOrigin,
    log: (message) => console.warn(message),
  });
}
