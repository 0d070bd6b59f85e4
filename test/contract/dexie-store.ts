import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import type { StoreUnderTest } from './store.suite.ts';

/** An implementation of IndexedDB: the browser's, or the simulated one. */
export interface Idb {
  indexedDB: IDBFactory;
  IDBKeyRange: typeof IDBKeyRange;
  IDBDatabase: typeof IDBDatabase;
}

let count = 0;

/** Makes a Dexie store on an empty database of its own. */
export async function makeDexieStore(idb: Idb): Promise<StoreUnderTest> {
  const options = { name: `contract-${count++}`, indexedDB: idb.indexedDB, IDBKeyRange: idb.IDBKeyRange };
  let store = createDexieStore(options);
  return {
    store,
    abortNext: () => void abortNextWrite(idb),
    async reopen() {
      await store.close();
      store = createDexieStore(options);
      return store;
    },
    async dispose() {
      await store.close();
      await deleteDatabase(idb, options.name);
    },
  };
}

/**
 * Aborts the next transaction of a commit from outside, once its writes are under way: what a browser does when it runs out of disk or is
 * torn down. Gives a function that tells how many were aborted; with `times`, several in a row.
 */
export function abortNextWrite(idb: Idb, times = 1): () => number {
  const { prototype } = idb.IDBDatabase;
  const original = prototype.transaction;
  let aborted = 0;
  prototype.transaction = function (this: IDBDatabase, stores, mode, options) {
    const transaction = original.call(this, stores, mode, options);
    if (mode !== 'readwrite' || !transaction.objectStoreNames.contains('runs')) return transaction;
    aborted += 1;
    if (aborted === times) prototype.transaction = original;
    const first = [...transaction.objectStoreNames][0] as string;
    // A transaction that was told to commit can be aborted by the browser, but not by a script.
    transaction.commit = () => undefined;
    transaction.objectStore(first).count().onsuccess = () => transaction.abort();
    return transaction;
  };
  return () => aborted;
}

/** Deletes a database, once its connections are closed; a browser takes a moment to close one, so being blocked is no failure yet. */
export function deleteDatabase(idb: Idb, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = idb.indexedDB.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
  });
}
