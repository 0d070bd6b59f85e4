/**
 * Browser specs that `npm test` leaves out for now, and why: each has shown something that is not understood yet, or has not been seen to
 * pass often enough. `npm test` prints this list; `npm run test:held` runs them, but for the lifetime tests, which have a command of their
 * own. It is to become empty.
 */
export const HELD_BACK: Readonly<Record<string, string>> = {
  'kills.spec.ts':
    'a round of the demo ended as failed when most of its kills hit model calls; the cause is not found yet',
  'browser-kills.spec.ts': 'what failed in it is mended, but it has not been run since',
  'firefox-demo.spec.ts': 'two of its five tests depend on when Firefox ends the event page',
  'lifetime (npm run test:lifetime)': 'seen to pass alone, not yet beside the other browser tests',
};
