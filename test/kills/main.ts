/**
 * `npm run kills`: the whole matrix of worker kills, against the built extension in a real Chromium. `TABLOOM_KILLS` says how many (200),
 * `TABLOOM_KILL_SEED` which; the seed is printed, and the same one shoots the same way as far as timing allows. `TABLOOM_KILL_LANES` says in
 * how many browsers at once (1). Ends with 1 when a run has
 * not ended right, or too few kills have landed where they must.
 */

import { emptyTally } from '../support/kills/matrix.ts';
import { missingIn, reportOf } from '../support/kills/report.ts';
import { killAll } from '../support/kills/run.ts';

const kills = Number(process.env.TABLOOM_KILLS ?? 200);
const seed = Number(process.env.TABLOOM_KILL_SEED ?? Math.floor(Math.random() * 1e9));
console.log(`Killing the worker about ${kills} times, TABLOOM_KILL_SEED=${seed}`);
const lanes = Number(process.env.TABLOOM_KILL_LANES ?? 1);
const start = performance.now();
const tally = emptyTally();
try {
  await killAll({ kills, seed, whole: true, lanes, log: (line) => console.log(line) }, tally);
} finally {
  console.log(`\n${reportOf(tally)}\n\nseed ${seed}, ${Math.round((performance.now() - start) / 1000)} s`);
}
for (const missing of missingIn(tally, kills)) {
  console.error(missing);
  process.exitCode = 1;
}
