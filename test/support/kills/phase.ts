import type { RunDetail } from '../../../src/app/protocol.ts';
import type { StepRunRow } from '../../../src/model/run.ts';
import type { Aim } from './plan.ts';
import { asking } from './round.ts';

/** A step that is now in a state which a shot may wait for. */
export interface Sight {
  aim: Aim;
  runId: string;
  step: StepRunRow;
}

/** A backoff that is over in less is not aimed at, milliseconds. */
const SOON = 500;

/** Everything in some runs that can be aimed at now. */
export function sightsIn(details: readonly RunDetail[], now: number): Sight[] {
  return details.flatMap((detail) => {
    const { runId } = detail.run;
    const found: Sight[] = [];
    for (const step of detail.steps) {
      if (step.status !== 'running') continue;
      const last = step.attempts.at(-1);
      if (last && last.endedAt === undefined) {
        found.push({ aim: 'any', runId, step });
        if (step.effect === 'once') found.push({ aim: 'once', runId, step });
        if (step.type === 'recipe') found.push({ aim: 'model', runId, step });
      } else if (last?.endedAt !== undefined && last.endedAt + (last.delayMs ?? 0) > now + SOON) {
        found.push({ aim: 'backoff', runId, step });
      }
    }
    const waits = asking(detail);
    if (waits) {
      found.push({ aim: 'person', runId, step: waits });
      if (waits.wait?.kind === 'approval') found.push({ aim: 'decide', runId, step: waits });
    }
    return found;
  });
}
