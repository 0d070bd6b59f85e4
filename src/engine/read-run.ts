import type { JournalEvent } from '../model/events.ts';
import type { JsonObject } from '../model/json.ts';
import type { Store } from '../ports/store.ts';
import { planKey } from './entries/link.ts';
import { applyEntry, createState } from './fold.ts';
import { deriveRow, type Head, readEntries } from './journal.ts';
import { createMachine, type Machine } from './machine.ts';
import type { Plan } from './plan.ts';
import type { Plans } from './plans.ts';

/** Entries that say which revision a run goes on under. */
const RUNS_UNDER = new Set(['run.created', 'run.retried']);

/** A run as its journal says it, or undefined when there is none. @throws Error when it cannot be read */
export async function readRun(
  store: Store,
  runId: string,
  plans: Plans,
): Promise<{ machine: Machine; head: Head } | undefined> {
  const events = await store.events(runId);
  const [first, ...rest] = await readEntries(store, events);
  if (!first) {
    if (await store.run(runId)) throw new Error('its journal is empty');
    return undefined;
  }
  const under = new Map<string, Plan>();
  for (const { data, type } of [first, ...rest]) {
    if (!RUNS_UNDER.has(type) || typeof data.revision !== 'string') continue;
    const plan = await plans.named(data.revision, pinsOf(data), store);
    under.set(plan.key, plan);
  }
  const begun = under.get(planKey(String(first.data.revision), pinsOf(first.data)));
  const state = createState(begun as Plan, runId, first, under);
  for (const entry of rest) applyEntry(state, entry);
  const { seq, hash } = events.at(-1) as JournalEvent;
  const head: Head = { seq, hash };
  deriveRow(state, head);
  return { machine: createMachine(state), head };
}

function pinsOf({ pins }: JsonObject): Record<string, string> {
  return (pins ?? {}) as Record<string, string>;
}
