import { CdpError } from '../browser/cdp.ts';
import { RunFailure } from './failure.ts';
import { leftWaiting, type Need, needWords, resumeCommand } from './needs.ts';
import type { RunOptions } from './options.ts';
import { EXIT } from './result.ts';

/** A run that the command leaves before its end, and the profile that it stays in. */
export interface LeftRun {
  runId: string;
  profileDir: string;
  /** Set where the run cannot be gone on with: what to do instead. */
  again: RunOptions['again'];
}

/** What is said of a run that is left waiting for something that cannot be given here. */
export function waitingText(need: Need, { runId, profileDir, again }: LeftRun): string {
  return again === undefined ? leftWaiting(need, runId, profileDir) : `The run waits for ${needWords(need)}. ${again}`;
}

/**
 * What is thrown instead of an error that came while a run was followed: that the run stays, and how to go on. A browser that was closed
 * by hand is said as such, not as a broken connection. Of an error that is none of ours only the advice is said, so that it stays whole.
 * @param left absent as long as there is no run
 * @param closed whether the browser is gone
 */
export function leftBehind(
  error: unknown,
  left: LeftRun | undefined,
  closed: boolean,
  say: (text: string) => void,
): unknown {
  const gone = error instanceof CdpError && closed;
  if (!left) return gone ? new RunFailure('The browser was closed before the run began. Run it again.') : error;
  const advice =
    left.again ?? `The run stays; go on with ${resumeCommand(left.runId, left.profileDir)} where you left it.`;
  if (gone) return new RunFailure(`The browser was closed before the run ended. ${advice}`, EXIT.waiting);
  if (error instanceof RunFailure) return new RunFailure(`${error.message} ${advice}`, EXIT.waiting);
  say(advice);
  return error;
}
