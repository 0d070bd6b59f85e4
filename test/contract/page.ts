import { createDexieStore, TabloomDatabase } from '../../src/adapters/dexie/index.ts';
import { newestVersion, SCHEMA } from '../../src/adapters/dexie/schema.ts';
import { createSecretVault } from '../../src/adapters/secrets/index.ts';
import type { ContractCase } from './check.ts';
import { makeDexieStore } from './dexie-store.ts';
import { layoutOf, openUpgraded, seedOlder } from './older-database.ts';
import { commit, event, step } from './rows.ts';
import { storeContract } from './store.suite.ts';
import { vaultContract } from './vault.suite.ts';

/** What the page offers to the browser test: the contracts on the browser's own IndexedDB, and parts for cases over several pages. */
export const storePage = {
  /** Runs one named case; gives what was wrong, or nothing. */
  async runCase(name: string): Promise<string | undefined> {
    const found = cases().find((one) => one.name === name);
    if (!found) return `there is no case "${name}"`;
    try {
      await found.run();
      return undefined;
    } catch (error) {
      return String(error);
    }
  },

  /** Runs every case, one after the other, and gives those that failed with what was wrong. */
  async runAll(): Promise<string[]> {
    const failures: string[] = [];
    for (const { name } of cases()) {
      const failure = await storePage.runCase(name);
      if (failure) failures.push(`${name} => ${failure}`);
    }
    return failures;
  },

  setSecret: async (name: string, value: string) => {
    const db = new TabloomDatabase();
    await createSecretVault(db).set(name, value);
    db.shut();
  },
  /** What is on disk for a secret, as text, whether its key can be read out, and the value. */
  async readSecret(name: string) {
    const db = new TabloomDatabase();
    const [row, kept] = [await db.secrets.get(name), await db.keys.toCollection().first()];
    const stored = JSON.stringify([
      row?.name,
      [...(row?.iv ?? [])],
      [...new Uint8Array(row?.sealed ?? new ArrayBuffer())],
    ]);
    const value = await createSecretVault(db).reveal(name);
    db.shut();
    return { stored, value, extractable: kept?.key.extractable };
  },

  layoutOf: () => layoutOf({ indexedDB, IDBKeyRange }),
  seedOlder: () => seedOlder({ indexedDB, IDBKeyRange }),
  openUpgraded: (slow?: boolean) => openUpgraded({ indexedDB, IDBKeyRange }, { slow: slow ?? false }),

  held: undefined as ReturnType<typeof createDexieStore> | undefined,
  /** Opens the store `held` in this page, or uses it again; gives the message of the failure, if any. */
  async writeHeld(seq: number): Promise<string | undefined> {
    storePage.held ??= createDexieStore({ name: 'held' });
    try {
      await storePage.held.commit(commit('r1', { events: [event('r1', seq)] }));
      await storePage.held.runs();
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  },
  /** Opens `held` as a later version of the extension would. */
  async upgradeHeld(): Promise<void> {
    const db = new TabloomDatabase({
      name: 'held',
      versions: [...SCHEMA, { version: newestVersion(SCHEMA) + 1, stores: { later: 'id' } }],
    });
    await db.open();
  },

  /**
   * Writes four times so many steps, in sequence and fanned out. Gives the numbers of the events that the store then holds, and the
   * milliseconds a step took, which are printed and never asserted.
   */
  async measure(
    steps: number,
  ): Promise<{ written: number[]; cost: { chain: number; fan: number; strictChain: number } }> {
    const store = createDexieStore({ name: `measure-${steps}` });
    let seq = 0;
    const one = (strict: boolean): Promise<void> => {
      seq += 1;
      const path = `s${seq}`;
      return store.commit(
        commit('r1', {
          events: [event('r1', seq, { output: { v: seq, tag: 'ok' } })],
          steps: [step('r1', path, seq)],
          strict,
        }),
      );
    };
    const time = async (work: () => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      await work();
      return Math.round(((performance.now() - start) / steps) * 1000) / 1000;
    };
    const serial = (strict: boolean) => async () => {
      for (let i = 0; i < steps; i++) await one(strict);
    };
    await serial(false)();
    const chain = await time(serial(false));
    const strictChain = await time(serial(true));
    const fan = await time(() => Promise.all(Array.from({ length: steps }, () => one(false))));
    const written = (await store.events('r1')).map((each) => each.seq);
    await store.close();
    return { written, cost: { chain, strictChain, fan } };
  },
};

function cases(): ContractCase[] {
  const idb = { indexedDB, IDBKeyRange, IDBDatabase };
  const makeVault = async () => {
    const db = new TabloomDatabase({ name: `vault-${crypto.randomUUID()}` });
    return { vault: createSecretVault(db), dispose: () => db.delete() };
  };
  return [...storeContract('dexie', () => makeDexieStore(idb)), ...vaultContract('vault', makeVault)];
}
