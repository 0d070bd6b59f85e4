/**
 * Finds out whether a transaction that is told to commit right away is still aborted by a request that fails afterwards, as the standard
 * says. Chromium does so, and saves up to half of a small transaction's time; Firefox (153) writes the rest of it, which would let a second
 * engine through the fence of `[runId, seq]`. Asked of the browser itself, in a transaction that leaves nothing behind either way.
 * @returns false also when it could not be found out.
 */
export function abortsAfterCommit(db: IDBDatabase): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const transaction = db.transaction(['settings'], 'readwrite', { durability: 'relaxed' });
      const settings = transaction.objectStore('settings');
      const row = { key: '\u0000early-commit', value: {} };
      let refused = false;
      transaction.oncomplete = () => resolve(false);
      transaction.onabort = () => resolve(refused);
      settings.add(row);
      settings.add(row).onerror = (event) => {
        refused = (event.target as IDBRequest).error?.name === 'ConstraintError';
      };
      settings.delete(row.key);
      transaction.commit();
    } catch {
      resolve(false);
    }
  });
}
