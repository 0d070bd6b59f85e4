import * as fake from 'fake-indexeddb';
import { test } from 'vitest';
import type { ContractCase } from './check.ts';
import type { Idb } from './dexie-store.ts';

/** Runs contract cases as vitest tests. */
export function asTests(cases: ContractCase[]): void {
  for (const { name, run } of cases) test(name, run);
}

/** A simulated IndexedDB of its own, with nothing in it. */
export function fakeIdb(): Idb {
  return { indexedDB: new fake.IDBFactory(), IDBKeyRange: fake.IDBKeyRange, IDBDatabase: fake.IDBDatabase };
}
