import type { JournalEvent } from '../model/events.ts';
import type { Revision } from '../model/workflow.ts';
import type { Store } from '../ports/store.ts';
import { applyEntry, createState } from './fold.ts';
import { deriveRow, type Head, readEntries } from './journal.ts';
import { createMachine, type Machine } from './machine.ts';
import type { Plan } from './plan.ts';

/** A run as its journal says it, or undefined when there is none. @throws Error when it cannot be read */
export async function readRun(
  store: Store,
  runId: string,
  planOf: (revision: Revision) => Plan,
): Promise<{ machine: Machine; head: Head } | undefined> {
  const row = await store.run(runId);
  if (!row) return undefined;
  const revision = await store.revision(row.revision);
  if (!revision) throw new Error(`revision ${row.revision.slice(0, 12)} is missing`);
  const events = await store.events(runId);
  const [first, ...rest] = await readEntries(store, events);
  if (!first) throw new Error('its journal is empty');
  const state = createState(planOf(revision), runId, first);
  for (const entry of rest) applyEntry(state, entry);
  const { seq, hash } = events.at(-1) as JournalEvent;
  const head: Head = { seq, hash };
  deriveRow(state, head);
  return { machine: createMachine(state), head };
}
