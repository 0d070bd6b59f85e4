/**
 * Browser specs that `npm test` leaves out for now, and why: each has shown something that is not understood yet, or has not been seen to
 * pass often enough. `npm test` prints this list; `npm run test:held` runs them, but for the lifetime tests, which have a command of their
 * own. It is to become empty.
 */
export const HELD_BACK: Readonly<Record<string, string>> = {
  'firefox-demo.spec.ts': 'two of its five tests depend on when Firefox ends the event page',
  'lifetime (npm run test:lifetime)': 'seen to pass alone, not yet beside the other browser tests',
};
