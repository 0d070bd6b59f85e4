import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDetail } from '../../app/protocol.ts';
import { FINAL_RUN } from '../../model/run.ts';
import type { Background } from './background.ts';
import { RunFailure } from './failure.ts';
import { type Need, needsOf, standsStill } from './needs.ts';

/** How a run was left: ended, or waiting for something that cannot be given here. */
export interface Followed {
  detail: RunDetail;
  /** Set when the run is left waiting. */
  waitsFor?: Need;
}

export interface FollowOptions {
  /** Called with each new look. */
  onLook(detail: RunDetail): void | Promise<void>;
  /**
   * Gives what the run waits for, if it can.
   * @returns `given`: look again; `elsewhere`: somebody else gives it, go on looking; `no`: it cannot be given here.
   */
  give(need: Need): Promise<'given' | 'elsewhere' | 'no'>;
}

const LOOK_EVERY_MS = 300;

/**
 * Looks at a run until it has ended, or until it stands still for want of something that cannot be given here.
 * @throws RunFailure when there is no such run; CdpError when the browser is gone.
 */
export async function follow(background: Background, runId: string, options: FollowOptions): Promise<Followed> {
  for (;;) {
    const detail = await background.ask('run.get', { runId });
    if (!detail) throw new RunFailure(`There is no run ${runId} in this profile: look at the id, and at --profile.`);
    await options.onLook(detail);
    if (FINAL_RUN.includes(detail.run.status)) return { detail };
    const needs = needsOf(detail);
    const answers: string[] = [];
    for (const need of needs) {
      const answer = await options.give(need);
      answers.push(answer);
      // Anything given changes the rest: what else is waited for is seen at the next look.
      if (answer === 'given') break;
    }
    const first = needs[0];
    if (first && standsStill(detail) && answers.every((answer) => answer === 'no')) return { detail, waitsFor: first };
    await sleep(LOOK_EVERY_MS);
  }
}
