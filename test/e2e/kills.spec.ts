import { expect, test } from '@playwright/test';
import { emptyTally } from '../support/kills/matrix.ts';
import { missingIn, reportOf } from '../support/kills/report.ts';
import { killAll } from '../support/kills/run.ts';

/** A sample of `npm run kills`, seeded: `TABLOOM_KILL_SEED` and `TABLOOM_KILLS` choose another. */
const KILLS = Number(process.env.TABLOOM_KILLS ?? 36);
const SEED = Number(process.env.TABLOOM_KILL_SEED ?? 1);

test('the worker is killed at any moment, again and again: each run ends right by the log of the server', async () => {
  test.setTimeout(900_000);
  const say = (text: string) => console.log(text.replace(/^/gm, 'kills: '));
  say(`TABLOOM_KILL_SEED=${SEED}`);
  const tally = emptyTally();
  await killAll({ kills: KILLS, seed: SEED, whole: false, log: say }, tally).finally(() => say(reportOf(tally)));
  expect(missingIn(tally, KILLS)).toEqual([]);
});
