import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { Tally } from '../support/sim/coverage.ts';
import { answers, deeds, steadyAnswers, steadyDeeds } from '../support/sim/script.ts';
import { type Came, simulate } from '../support/sim/simulate.ts';
import { families, untimed } from '../support/sim/workflows.ts';

/** `TABLOOM_SIM_RUNS` asks for more runs, `TABLOOM_SIM_SEED` for others. */
const runs = Number(process.env.TABLOOM_SIM_RUNS ?? 2000);
const seed = Number(process.env.TABLOOM_SIM_SEED ?? 20_260_105);
/** Of so many one is steady: it is run twice, once without anything going wrong. */
const STEADY = 5;
const tally = new Tally();
const ends = new Map<string, number>();

const retries = fc.constantFrom(0, 0, 1, 2);
const rerun = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(30) });

it(
  `random workflows under random faults, ${runs - runs / STEADY} runs of seed ${seed}: the replay law and at-most-once hold, every run ends`,
  async () => {
    await fc.assert(
      fc.asyncProperty(families, answers, deeds, retries, rerun, async (family, replies, script, times, from) => {
        const more = { answers: replies, deeds: script, retries: times, rerun: from };
        const { status, coverage } = await simulate({ ...family, ...more });
        ends.set(status, (ends.get(status) ?? 0) + 1);
        tally.add(coverage);
      }),
      { numRuns: Math.ceil(runs - runs / STEADY), seed, unbiased: true, endOnFailure: false },
    );
    // The generator must reach more than one kind of end, or the property says little.
    expect([...ends.keys()].sort()).toEqual(expect.arrayContaining(['completed', 'failed']));
  },
  600_000 + runs * 200,
);

it(
  `random workflows with and without crashes, ${runs / STEADY} runs of seed ${seed}: what comes out is the same`,
  async () => {
    await fc.assert(
      fc.asyncProperty(families, steadyAnswers, steadyDeeds, async ({ definition, called }, replies, script) => {
        const family = {
          definition: untimed(definition as unknown as Json) as unknown as typeof definition,
          called: called.map((one) => untimed(one as unknown as Json) as unknown as typeof one),
        };
        const steady = { ...family, answers: replies, retries: 0 };
        const want = await simulate({ ...steady, deeds: [] }, true);
        const { status, outcome, coverage } = await simulate({ ...steady, deeds: script }, true);
        tally.add(coverage);
        expect(status).toBe(want.status);
        // Which of two steps is cut off by a failure beside them depends on which is faster.
        const cut = [outcome, want.outcome].flatMap(Object.values<Came>).some((one) => one.status === 'cancelled');
        if (!cut && !isDeepStrictEqual(outcome, want.outcome)) expect(outcome).toEqual(want.outcome);
      }),
      { numRuns: Math.ceil(runs / STEADY), seed, unbiased: true, endOnFailure: false },
    );
  },
  600_000 + runs * 200,
);

it('the sample has been to everything that the generator is for, and has crashed there', () => {
  console.log(`${String(tally)}\n${(process.cpuUsage().user / 1e6).toFixed(0)} s`);
  if (tally.runs >= 2000) expect(tally.missed).toEqual([]);
});
