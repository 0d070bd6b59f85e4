/** Name of the Web Lock that the one engine at work holds. */
export const ENGINE_LOCK = 'tabloom-engine';

/**
 * Waits until no other background instance is at work (during an update the old one may live on for a while), and keeps others passive
 * from then on: the lock is held until this process ends. Where there are no Web Locks the journal's fence has to do.
 * @param lost is called when another instance has taken the lock away by force: this one must stop at once, and may ask for it again
 */
export function holdLock(
  locks: Pick<LockManager, 'request'> | undefined,
  name = ENGINE_LOCK,
  lost: () => void = () => undefined,
): Promise<void> {
  if (!locks) return Promise.resolve();
  let held = false;
  return new Promise((resolve, reject) => {
    locks
      .request(name, () => {
        held = true;
        resolve();
        return new Promise<never>(() => undefined);
      })
      .catch((error: unknown) => (held ? lost() : reject(error)));
  });
}
