import { canonicalJson, sha256Hex } from './canonical.ts';
import type { Json, JsonObject } from './json.ts';
import { z } from './zod.ts';

/**
 * One event of a run's journal. Events are the truth; rows are projections of them. `[runId, seq]` is added, never put, so a clash of
 * `seq` fences off a second engine. `hash` chains over `prev`, so a changed, dropped or reordered event shows.
 */
export interface JournalEvent {
  runId: string;
  /** From 1, without gaps. */
  seq: number;
  /** Epoch milliseconds. */
  at: number;
  type: string;
  /** Step path where the event is about a step. */
  path?: string;
  data: JsonObject;
  /** Hash of the event before; 64 zeros for the first. */
  prev: string;
  hash: string;
}

export const GENESIS = '0'.repeat(64);

/**
 * Hash of an event: SHA-256 over the canonical JSON of everything but `hash` itself.
 * @param textOf canonical JSON of a member of its data, where that is known already
 */
export function eventHash(event: Omit<JournalEvent, 'hash'>, textOf: (value: Json) => string = canonicalJson): string {
  const { runId, seq, at, type, path, data, prev } = event;
  const members = Object.keys(data)
    .sort()
    .flatMap((key) => (data[key] === undefined ? [] : `${canonicalJson(key)}:${textOf(data[key])}`));
  const about = path === undefined ? '' : `"path":${canonicalJson(path)},`;
  const chained = `"prev":${canonicalJson(prev)},"runId":${canonicalJson(runId)},"seq":${canonicalJson(seq)}`;
  const kind = canonicalJson(type);
  return sha256Hex(`{"at":${canonicalJson(at)},"data":{${members.join()}},${about}${chained},"type":${kind}}`);
}

/**
 * Checks a run's chain. Returns the `seq` of the first broken event and why, or `undefined` when the chain holds.
 */
export function verifyChain(events: readonly JournalEvent[]): { seq: number; reason: string } | undefined {
  let prev = GENESIS;
  let seq = 1;
  for (const event of events) {
    if (event.seq !== seq) return { seq: event.seq, reason: `expected event ${seq}, found ${event.seq}` };
    if (event.prev !== prev) return { seq, reason: 'it does not follow the event before it' };
    if (eventHash(event) !== event.hash) return { seq, reason: 'its content does not match its hash' };
    prev = event.hash;
    seq += 1;
  }
  return undefined;
}

export const journalEventSchema = z.object({
  runId: z.string(),
  seq: z.number().int().positive(),
  at: z.number(),
  type: z.string(),
  path: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
  prev: z.string(),
  hash: z.string(),
});
