import { eventHash } from '../model/events.ts';
import { FINAL_RUN, type RunRow } from '../model/run.ts';
import type { Commit, Store } from '../ports/store.ts';

/**
 * Ends a run whose journal cannot be read, as cancelled, so that it does not stand in a person's way for ever. Only its row is needed: the
 * number and hash of its last event.
 * @returns what was committed, or `undefined` when the run has ended or is not there
 */
export async function commitEndOfUnreadable(
  store: Store,
  runId: string,
  why: string,
  at: number,
): Promise<Commit | undefined> {
  const row = await store.run(runId);
  if (!row || FINAL_RUN.includes(row.status)) return undefined;
  const error = { code: 'internal', message: `Cancelled, since this run could not be read: ${why}` };
  const event = {
    runId,
    seq: row.seq + 1,
    at,
    type: 'run.ended',
    data: { status: 'cancelled', error },
    prev: row.head,
  };
  const hash = eventHash(event);
  const run: RunRow = {
    ...row,
    status: 'cancelled',
    waitingFor: [],
    endedAt: at,
    error,
    seq: event.seq,
    head: hash,
    nextDue: undefined,
    current: undefined,
  };
  const pending = await store.approvals({ runId, status: 'pending' });
  const commit: Commit = {
    runId,
    events: [{ ...event, hash }],
    run,
    steps: [],
    approvals: pending.map((approval) => ({ ...approval, status: 'cancelled' as const })),
    artifacts: [],
    blobs: [],
    inbox: [],
    strict: true,
  };
  await store.commit(commit);
  return commit;
}
