import type { Clock, Random } from '../ports/index.ts';
import { idOfBytes } from './memory/id.ts';

/** `setTimeout` takes 31 bits; with more it fires at once. */
const LONGEST = 2 ** 31 - 1;

/** The machine's clock. Timers of any length: those over 24.8 days are waited for in parts. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, callback) {
    let handle: ReturnType<typeof setTimeout>;
    const wait = (left: number): void => {
      const part = Math.min(Math.max(left, 0), LONGEST);
      handle = setTimeout(() => (left > part ? wait(left - part) : callback()), part);
    };
    wait(Number.isNaN(ms) ? 0 : ms);
    return () => clearTimeout(handle);
  },
};

/** Randomness of the platform's generator, fit for ids and tokens. */
export const systemRandom: Random = {
  next() {
    const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
    return ((high >>> 5) * 67_108_864 + (low >>> 6)) / 9_007_199_254_740_992;
  },
  id: () => idOfBytes(crypto.getRandomValues(new Uint8Array(16))),
};
