/** Bounds how many calls are under way at once. */
export interface Limiter {
  /**
   * Waits for a place among those of `account`; the promise gives the function that hands it back (calling it again does nothing).
   * Rejects with the signal's reason when aborted while waiting.
   */
  acquire(account: string, runId: string, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  grant(): void;
}

interface Lane {
  active: number;
  /** Waiting calls by run. The order of the keys is the order of turns: a run that got a place goes to the end. */
  waiting: Map<string, Waiter[]>;
}

/**
 * At most `places` calls at once per account (SPEC §6, *Limits*), first come first served within a run and turn by turn between runs,
 * so that a loop over a thousand items does not keep another run's single call waiting behind all of them.
 */
export function createLimiter(places: number): Limiter {
  const lanes = new Map<string, Lane>();

  function release(account: string, lane: Lane): void {
    const next = lane.waiting.entries().next().value;
    if (!next) {
      lane.active -= 1;
      if (lane.active === 0) lanes.delete(account);
      return;
    }
    const [runId, queue] = next;
    const waiter = queue.shift();
    lane.waiting.delete(runId);
    if (queue.length > 0) lane.waiting.set(runId, queue);
    // The place is handed over, not freed: nobody can slip in between.
    waiter?.grant();
  }

  function place(account: string, lane: Lane): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      release(account, lane);
    };
  }

  return {
    acquire(account, runId, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const lane: Lane = lanes.get(account) ?? { active: 0, waiting: new Map() };
      lanes.set(account, lane);
      if (lane.active < places) {
        lane.active += 1;
        return Promise.resolve(place(account, lane));
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          grant: () => {
            signal.removeEventListener('abort', leave);
            resolve(place(account, lane));
          },
        };
        const queue = lane.waiting.get(runId) ?? [];
        const leave = () => {
          const left = queue.filter((one) => one !== waiter);
          queue.splice(0, queue.length, ...left);
          if (queue.length === 0) lane.waiting.delete(runId);
          reject(signal.reason);
        };
        queue.push(waiter);
        lane.waiting.set(runId, queue);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
