import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answers, deeds, simulate } from '../support/sim/simulate.ts';
import { workflowsWithAgents } from '../support/sim/workflows.ts';

/** `TABLOOM_SIM_RUNS` asks for more runs, `TABLOOM_SIM_SEED` for others. */
const numRuns = Number(process.env.TABLOOM_SIM_RUNS ?? 2000);
const seed = Number(process.env.TABLOOM_SIM_SEED ?? 20_260_105);

it(
  `random workflows under random faults, ${numRuns} runs of seed ${seed}: the replay law and at-most-once hold, every run ends`,
  async () => {
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(workflowsWithAgents, answers, deeds, async (definition, replies, script) => {
        const { status } = await simulate({ definition, answers: replies, deeds: script });
        ends.set(status, (ends.get(status) ?? 0) + 1);
      }),
      { numRuns, seed, endOnFailure: false },
    );
    // The generator must reach more than one kind of end, or the property says little.
    expect([...ends.keys()].sort()).toEqual(expect.arrayContaining(['completed', 'failed']));
  },
  600_000 + numRuns * 200,
);
