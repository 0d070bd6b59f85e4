import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** What happens on Ctrl+C and on a request to end. */
export interface Stop {
  /** Aborted at the first signal. */
  readonly signal: AbortSignal;
  /** Names the run that is to be cancelled. */
  watch(runId: string): void;
  dispose(): void;
}

/**
 * The first Ctrl+C cancels the run, which is then followed to its end as always; a second one, or one before there is a run,
 * ends the browser at once, which ends the command.
 */
export function onStopSignals(session: Session, io: Io): Stop {
  const controller = new AbortController();
  let runId: string | undefined;
  const onSignal = () => {
    if (controller.signal.aborted || runId === undefined) {
      controller.abort();
      void session.browser.kill();
      return;
    }
    io.complain('Cancelling the run (once more to end at once).');
    controller.abort();
    session.background
      .command({ type: 'cancel', runId, reason: 'cancelled at the terminal' })
      .then((result) => {
        if (!result.ok && result.code !== 'run_finished') io.complain(`It could not be cancelled: ${result.message}`);
      })
      .catch(() => undefined); // The browser is gone: the command ends by itself.
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    watch: (id) => {
      runId = id;
    },
    dispose: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}
