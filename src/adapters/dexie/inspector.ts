import { TabloomError } from '../../model/errors.ts';
import type { DatabaseInspector, SecretVault } from '../../ports/index.ts';
import type { TabloomDatabase } from './database.ts';
import { storeError } from './errors.ts';
import { newestVersion, SCHEMA } from './schema.ts';

/** Key of the row that the probe writes. No setting can have it: ours are words. */
const PROBE = '\u0000doctor';

/**
 * Looks at a database for the diagnostics.
 * @param storage `navigator.storage`, where the browser has it
 */
export function createDexieInspector(
  db: TabloomDatabase,
  vault: SecretVault,
  storage?: Pick<StorageManager, 'estimate' | 'persisted'>,
): DatabaseInspector {
  async function ask<T>(work: () => PromiseLike<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw db.gone ?? storeError(error);
    }
  }

  /** One after another: two at the same moment would read each other's row. */
  let probing: Promise<void> = Promise.resolve();
  const probe = (): Promise<void> =>
    ask(async () => {
      const value = { mark: crypto.randomUUID() };
      await db.settings.put({ key: PROBE, value });
      const read = await db.settings.get(PROBE);
      await db.settings.delete(PROBE);
      if (read?.value.mark !== value.mark || (await db.settings.get(PROBE)) !== undefined)
        throw new TabloomError(
          'internal',
          'The database does not give back what was written to it; restart the browser, and check the disk.',
        );
    });

  return {
    look: () =>
      ask(async () => {
        const { version } = await db.backend();
        const [runs, events, artifacts, workflows, secrets] = await Promise.all(
          [db.runs, db.events, db.artifacts, db.workflows, db.secrets].map((table) => table.count()),
        );
        const space = await storage?.estimate().catch(() => undefined);
        const persisted = await storage?.persisted().catch(() => undefined);
        return {
          // Dexie multiplies versions by ten.
          schema: Math.floor(version / 10),
          newest: newestVersion(SCHEMA),
          counts: {
            runs: runs ?? 0,
            events: events ?? 0,
            artifacts: artifacts ?? 0,
            workflows: workflows ?? 0,
            secrets: secrets ?? 0,
          },
          unreadableSecrets: await unreadable(vault),
          ...(space?.usage === undefined ? {} : { usage: space.usage }),
          ...(space?.quota === undefined ? {} : { quota: space.quota }),
          ...(persisted === undefined ? {} : { persisted }),
        };
      }),
    probe() {
      probing = probing.then(probe, probe);
      return probing;
    },
  };
}

/** How many stored values do not open. The values themselves are dropped at once. */
async function unreadable(vault: SecretVault): Promise<number> {
  let count = 0;
  for (const name of await vault.names()) {
    try {
      await vault.reveal(name);
    } catch {
      count += 1;
    }
  }
  return count;
}
