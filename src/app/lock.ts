/** Name of the Web Lock that the one engine at work holds. */
export const ENGINE_LOCK = 'tabloom-engine';

/**
 * Waits until no other background instance is at work (during an update the old one may live on for a while), and keeps others passive
 * from then on: the lock is held until this process ends. Where there are no Web Locks the journal's fence has to do.
 */
export function holdLock(locks: Pick<LockManager, 'request'> | undefined, name = ENGINE_LOCK): Promise<void> {
  if (!locks) return Promise.resolve();
  return new Promise((resolve, reject) => {
    locks
      .request(name, () => {
        resolve();
        return new Promise<never>(() => undefined);
      })
      .catch(reject);
  });
}
