import type { Clock } from '../../ports/clock.ts';

/** Says which run has changed; without one it may be any. */
export interface Changes {
  /** @returns what ends it */
  listen(listener: (change: { runId?: string }) => void): () => void;
}

/**
 * The next change of a run, or the end of a time, or that nobody waits any more. To be asked for before the run is looked at: what changes in
 * between would be waited for in vain.
 */
export function nextChange(
  { clock, changes }: { clock: Pick<Clock, 'setTimer'>; changes: Changes },
  runId: string,
  ms: number,
  signal: AbortSignal,
): { happened: Promise<void>; stop(): void } {
  const { promise: happened, resolve } = Promise.withResolvers<void>();
  const stop = () => {
    cancel();
    silence();
    signal.removeEventListener('abort', stop);
    resolve();
  };
  const cancel = clock.setTimer(ms, stop);
  const silence = changes.listen((change) => {
    if (change.runId === undefined || change.runId === runId) stop();
  });
  signal.addEventListener('abort', stop, { once: true });
  return { happened, stop };
}
