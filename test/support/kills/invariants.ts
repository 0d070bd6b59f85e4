import type { ErrorInfo } from '../../../src/model/errors.ts';
import { type JournalEvent, verifyChain } from '../../../src/model/events.ts';

/** Errors that the servers of the workloads cause, and the one that a kill does. Any other would be a false fact of a dying worker. */
const CAUSED = new Set(['rate_limited', 'provider_unavailable', 'navigation_failed', 'interrupted']);

/**
 * What must hold of every journal, whatever was killed when.
 * @throws Error that names the first event which breaks it
 */
export function checkJournal(journal: readonly JournalEvent[]): void {
  const broken = verifyChain(journal);
  if (broken) throw new Error(`Event ${broken.seq}: ${broken.reason}.`);
  const completed = new Set<string>();
  /** *once* steps whose attempt was cut, until a person has answered. */
  const open = new Set<string>();
  const once = new Set<string>();
  for (const event of journal) {
    const { type, path, data } = event;
    if (path === undefined) continue;
    const fail = (what: string): never => {
      throw new Error(
        `Event ${event.seq} of ${event.runId}, ${type} ${path}: ${what}. ${JSON.stringify(data).slice(0, 500)}`,
      );
    };
    if (type === 'step.started') {
      if (data.effect === 'once') once.add(path);
      if (completed.has(path)) fail('it runs again after it was completed');
      if (open.has(path)) fail('it runs again, and nobody has said that it did not act');
    }
    if (type === 'step.completed') {
      if (completed.has(path)) fail('it is completed twice');
      completed.add(path);
      open.delete(path);
    }
    if (type === 'step.resumed' && data.known === true) open.delete(path);
    if (type === 'step.interrupted' && once.has(path)) {
      open.add(path);
      const next = journal.find(({ seq, path: other }) => seq > event.seq && other === path);
      const kind = next?.type === 'step.waiting' ? (next.data.wait as { kind?: string }).kind : undefined;
      if (kind !== 'recovery') fail('it was cut between intent and result, and no person is asked');
    }
    const error = data.error as ErrorInfo | undefined;
    if (
      (type === 'step.attempt' || type === 'step.interrupted') &&
      error &&
      !CAUSED.has(error.code) &&
      !isSilence(error)
    )
      fail('nothing has caused this error');
  }
}

/** On a busy machine a page may well not answer for two seconds. Of a dying worker it can't be: its timers do not go off any more. */
function isSilence({ details }: ErrorInfo): boolean {
  return (details as { reason?: string } | undefined)?.reason === 'tab_silent';
}
