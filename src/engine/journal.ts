import { sha256Hex } from '../model/canonical.ts';
import { eventHash, GENESIS, type JournalEvent } from '../model/events.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { type BlobRef, FINAL_RUN, type RunRow, type StepRunRow, type WaitKind } from '../model/run.ts';
import type { Commit, Store } from '../ports/store.ts';
import type { Entry } from './fold.ts';
import { type Machine, textOf } from './machine.ts';
import { takeSpent } from './spend.ts';
import { nextDue, type RunState, type StepState } from './state.ts';

/** Values above this many characters of canonical JSON live once in the blob store; the journal holds the reference (DESIGN, *Journal*). */
const INLINE_MAX = 8192;
/** Members of an entry's data that may be large. */
const LARGE = ['output', 'input', 'approval', 'payload', 'meta', 'tabs', 'wait', 'documents'] as const;

/** Large values of one commit by hash, what is known of values that earlier commits have stored, and how this one's are spelled. */
interface Blobs {
  texts: Map<string, string>;
  known: Machine['sizes'];
  machine: Machine;
}

/**
 * The reference that stands for a value, or undefined for one that is kept in place. Values of the state are never changed, so each is
 * measured and stored once: without that, every commit of a loop would write its whole list again.
 */
function refOf(value: Json | undefined, blobs: Blobs): BlobRef | undefined {
  if (typeof value !== 'object' || value === null) return measure(value, blobs);
  let known = blobs.known.get(value);
  if (!known) {
    known = { ref: measure(value, blobs) };
    blobs.known.set(value, known);
  }
  return known.ref;
}

function measure(value: Json | undefined, blobs: Blobs): BlobRef | undefined {
  if (value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean')
    return undefined;
  if (typeof value === 'string' && value.length <= INLINE_MAX / 6) return undefined;
  const text = textOf(blobs.machine, value);
  if (text.length <= INLINE_MAX) return undefined;
  const hash = sha256Hex(text);
  blobs.texts.set(hash, text);
  return { hash, size: text.length };
}

/** Moves large members of an entry into blobs. References stand apart in `refs`, so that data can never pass for one. */
function packData(data: JsonObject, blobs: Blobs): JsonObject {
  let packed = data;
  const refs: JsonObject = {};
  for (const key of LARGE) {
    const ref = refOf(data[key], blobs);
    if (!ref) continue;
    if (packed === data) packed = { ...data };
    delete packed[key];
    refs[key] = { hash: ref.hash, size: ref.size };
  }
  return Object.keys(refs).length > 0 ? { ...packed, refs } : packed;
}

function packRow(step: StepState, blobs: Blobs): StepRunRow {
  const row: StepRunRow = { ...step.row, attempts: step.row.attempts.map((attempt) => ({ ...attempt })) };
  const output = refOf(row.output, blobs);
  const input = refOf(row.input, blobs);
  if (output) Object.assign(row, { output: undefined, outputRef: output });
  if (input) Object.assign(row, { input: undefined, inputRef: input });
  return row;
}

/** Status of a run as its steps say it (SPEC §6): running while any attempt or backoff is under way, else waiting. */
function statusOf(state: RunState): Pick<RunRow, 'status' | 'waitingFor' | 'current'> {
  const { run } = state;
  if (FINAL_RUN.includes(run.status) || run.status === 'queued')
    return { status: run.status, waitingFor: [], current: undefined };
  const waitingFor = new Set<WaitKind>();
  let current: string | undefined;
  for (const step of state.busy) {
    if (step.mode === 'work') current ??= step.row.path;
    else if (step.row.wait) waitingFor.add(step.row.wait.kind);
    else for (const kind of step.child?.waitingFor ?? []) waitingFor.add(kind);
  }
  const status = state.paused ? 'paused' : state.working > 0 || state.waiting === 0 ? 'running' : 'waiting';
  return { status, waitingFor: [...waitingFor], current };
}

/** Number and hash of the last event that was packed, carried from commit to commit. */
export interface Head {
  seq: number;
  hash: string;
}

/** Puts into a run's row what follows from its steps: the journal does not say it again. */
export function deriveRow(state: RunState, head: Head): void {
  const { run } = state;
  const next = FINAL_RUN.includes(run.status) ? undefined : nextDue(state);
  Object.assign(run, statusOf(state), { nextDue: next, seq: head.seq, head: head.hash, tabs: state.tabs });
}

/**
 * Turns what a transition gathered into one commit: numbered, chained events, and the rows they change. Empties the machine's lists.
 */
export function packCommit(m: Machine, head: Head): Omit<Commit, 'inbox'> {
  const { state } = m;
  const blobs: Blobs = { texts: new Map(), known: m.sizes, machine: m };
  const spell = (value: Json): string => textOf(m, value);
  const events: JournalEvent[] = [];
  let strict = false;
  for (const entry of m.entries) {
    const event: Omit<JournalEvent, 'hash'> = {
      runId: state.run.runId,
      seq: head.seq + 1,
      at: entry.at,
      type: entry.type,
      data: packData(entry.data, blobs),
      prev: head.hash,
    };
    if (entry.path !== undefined) event.path = entry.path;
    const hash = eventHash(event, spell);
    events.push({ ...event, hash });
    head.seq += 1;
    head.hash = hash;
    strict ||=
      entry.type === 'run.ended' ||
      entry.type === 'approval.decided' ||
      (entry.type === 'step.started' && entry.data.effect === 'once');
  }
  deriveRow(state, head);
  const run: RunRow = { ...state.run };
  const input = refOf(run.input, blobs);
  const output = refOf(run.output, blobs);
  if (input) Object.assign(run, { input: {}, inputRef: input });
  if (output) Object.assign(run, { output: undefined, outputRef: output });
  const spending = takeSpent(state);
  const commit = {
    runId: run.runId,
    events,
    run,
    steps: [...m.touched].map((step) => packRow(step, blobs)),
    ...(m.dropped.length > 0 && { dropSteps: m.dropped }),
    approvals: [...m.approvals.values()],
    artifacts: m.artifacts,
    ...(m.cache.length > 0 ? { cache: m.cache } : {}),
    ...(m.outbox.length > 0 && { outbox: m.outbox }),
    ...(spending.length > 0 && { spending }),
    ...(m.knowledge.length > 0 && { knowledge: m.knowledge }),
    ...(m.rules.length > 0 && { rules: m.rules }),
    ...(m.ruleUses.length > 0 && { ruleUses: m.ruleUses }),
    blobs: [...blobs.texts].map(([hash, text]) => ({ hash, text })),
    strict,
  };
  m.texts = new Map();
  m.touched = new Set();
  m.dropped = [];
  m.approvals = new Map();
  m.artifacts = [];
  m.cache = [];
  m.outbox = [];
  m.knowledge = [];
  m.rules = [];
  m.ruleUses = [];
  return commit;
}

/** Reads a run's events back as entries, large values in place. @throws Error when a blob is missing */
export async function readEntries(store: Pick<Store, 'blob'>, events: readonly JournalEvent[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const event of events) {
    const { refs, ...data } = event.data;
    for (const [key, ref] of Object.entries((refs ?? {}) as Record<string, { hash: string }>)) {
      const text = await store.blob(ref.hash);
      if (text === undefined)
        throw new Error(
          `The store has lost a value of ${event.type} ${event.path ?? ''} (blob ${ref.hash.slice(0, 12)}).`,
        );
      data[key] = JSON.parse(text) as Json;
    }
    const entry: Entry = { type: event.type, at: event.at, data };
    if (event.path !== undefined) entry.path = event.path;
    entries.push(entry);
  }
  return entries;
}

export const FIRST: Readonly<Head> = { seq: 0, hash: GENESIS };
