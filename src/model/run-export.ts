import { sha256Hex } from './canonical.ts';
import { type JournalEvent, journalEventSchema, verifyChain } from './events.ts';
import { isObject } from './json.ts';
import { z } from './zod.ts';

/** A run's journal as a file. Values that are too large for an event stand apart, by the hash that the event names. */
export interface RunExport {
  format: 'tabloom-run/v1';
  runId: string;
  /** Number and hash of the last event: a file that was cut short shows. */
  head: { seq: number; hash: string };
  events: JournalEvent[];
  values: Record<string, string>;
}

const schema = z.strictObject({
  format: z.literal('tabloom-run/v1'),
  runId: z.string(),
  head: z.strictObject({ seq: z.number(), hash: z.string() }),
  events: z.array(journalEventSchema).min(1),
  values: z.record(z.string(), z.string()),
});

/**
 * Makes the export of a run. What the journal holds has had its secrets taken out before it was stored.
 * @param stored a stored value by its hash, `undefined` where it is gone
 */
export async function exportRun(
  runId: string,
  events: readonly JournalEvent[],
  stored: (hash: string) => Promise<string | undefined>,
): Promise<RunExport> {
  const values: Record<string, string> = {};
  for (const hash of new Set(events.flatMap(valuesOf))) {
    const text = await stored(hash);
    if (text !== undefined) values[hash] = text;
  }
  const { seq = 0, hash = '' } = events.at(-1) ?? {};
  return { format: 'tabloom-run/v1', runId, head: { seq, hash }, events: [...events], values };
}

/** What an exported run's file came to: how many events hold, or one sentence on what does not; `seq` is that of the first broken event. */
export type ExportVerdict = { runId: string; events: number } | { broken: string; seq?: number };

/** Checks an export: that its events are whole, unchanged and in order, and that the values beside them are the ones they name. */
export function verifyExport(file: unknown): ExportVerdict {
  const parsed = schema.safeParse(file);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    const where = path.length === 0 ? 'it' : path.join('.');
    return {
      broken: `This is no exported run (${where}: ${message}): export one from the run’s page, or by tabloom run --export.`,
    };
  }
  const { runId, head, values } = parsed.data;
  // As they stand in the file: the schema gives copies without what it does not know, and the hash is over all of it.
  const { events } = file as RunExport;
  const stranger = events.find((event) => event.runId !== runId);
  if (stranger) return broken(stranger.seq, 'it is of another run');
  const fault = verifyChain(events);
  if (fault) return broken(fault.seq, fault.reason);
  const last = events.at(-1) as JournalEvent;
  if (last.seq !== head.seq || last.hash !== head.hash)
    return broken(last.seq + 1, `the file ends after event ${last.seq}, the run had ${head.seq}`);
  for (const event of events) {
    for (const hash of valuesOf(event)) {
      const text = Object.hasOwn(values, hash) ? values[hash] : undefined;
      if (text === undefined) return broken(event.seq, 'a value that it names is not in the file');
      if (sha256Hex(text) !== hash) return broken(event.seq, 'a value that it names was changed');
    }
  }
  return { runId, events: events.length };
}

function broken(seq: number, why: string): ExportVerdict {
  return { seq, broken: `The chain is broken at event ${seq}: ${why}.` };
}

/** Hashes of the values that stand apart. */
function valuesOf({ data }: Pick<JournalEvent, 'data'>): string[] {
  if (!isObject(data.refs)) return [];
  return Object.values(data.refs).flatMap((ref) => (isObject(ref) && typeof ref.hash === 'string' ? [ref.hash] : []));
}
