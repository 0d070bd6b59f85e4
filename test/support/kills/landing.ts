import type { JournalEvent } from '../../../src/model/events.ts';

/** What a kill has cut, by what the journal and the servers say afterwards. */
export const LANDINGS = ['once', 'model', 'backoff', 'person', 'recovery', 'timer', 'work', 'nothing'] as const;
export type Landing = (typeof LANDINGS)[number];

/** Landings of which there must be a tenth of all kills each, and what they are called. */
export const WANTED = {
  once: 'between a once intent and its result',
  model: 'during a model call',
  backoff: 'in backoff',
  person: 'while waiting for a person',
  recovery: 'during recovery itself',
} as const satisfies Partial<Record<Landing, string>>;

/** One end of the worker. Epoch milliseconds of the machine, which are the journal's too. */
export interface Kill {
  /** Just before the browser was told to stop the worker. */
  asked: number;
  /** When its context was seen to be gone. */
  gone: number;
  /** When the life before this one was gone. */
  before: number;
  /** The life that was cut had been seen to exist, and had not told us that it was ready. */
  booting: boolean;
}

/** A model call that the server saw broken off. */
export interface CutCall {
  openedAt: number;
  closedAt: number;
}

/** What is known once a life has come up again and said that it is ready. */
export interface Evidence {
  /** When the life that came up began. */
  began: number;
  /** Journals of all runs of the round, complete. */
  journals: readonly (readonly JournalEvent[])[];
  /** Type of a step, by its id. */
  types: ReadonlyMap<string, string>;
  cuts: readonly CutCall[];
}

const PEOPLE = new Set(['approval', 'review', 'task', 'recovery', 'budget', 'permission']);

/** The server hears of a broken connection when the browser closes it, which on a busy machine takes its time. Milliseconds. */
const CLOSING = 2000;

/**
 * Where a kill has landed. Never by what was aimed at: an attempt counts as cut when the recovery after it says so, a model call only when
 * its server has seen the connection break as well.
 */
export function landingOf(kill: Kill, evidence: Evidence): Landing {
  if (cutRecovery(kill, evidence)) return 'recovery';
  const found = evidence.journals.map((journal) => landingInRun(kill, evidence, journal));
  return LANDINGS.find((landing) => found.includes(landing)) ?? 'nothing';
}

/**
 * A recovery that comes to its end writes `run.recovered` for each run that had something under way. Cut is one that has written nothing
 * of any run, where the next one found that it was to be done.
 */
function cutRecovery({ booting, before }: Kill, { began, journals }: Evidence): boolean {
  if (!booting) return false;
  const silent = journals.every((journal) => journal.every(({ at }) => at <= before || at >= began));
  return silent && journals.some((journal) => journal.some(({ type, at }) => type === 'run.recovered' && at >= began));
}

function landingInRun(kill: Kill, { types, cuts }: Evidence, journal: readonly JournalEvent[]): Landing {
  const old = journal.filter(({ at }) => at <= kill.gone);
  const fresh = journal.slice(old.length);
  if (old.some(({ type }) => type === 'run.ended')) return 'nothing';
  const recovered = fresh[0]?.type === 'run.recovered' ? fresh[0] : undefined;
  const interrupted = (recovered?.data.interrupted ?? []) as string[];
  const effects = interrupted.map((path) => last(old, path, 'step.started')?.data.effect);
  if (effects.includes('once')) return 'once';
  const asking = interrupted.some((path) => types.get(idOf(path)) === 'recipe');
  const broken = cuts.some(
    ({ openedAt, closedAt }) => openedAt <= kill.gone && closedAt >= kill.asked && closedAt <= kill.gone + CLOSING,
  );
  if (asking && broken) return 'model';
  if (interrupted.length > 0) return 'work';
  const steps = lastOfEach(old);
  const inBackoff = ({ type, at, data }: JournalEvent) =>
    type === 'step.attempt' && typeof data.delayMs === 'number' && at <= kill.asked && at + data.delayMs > kill.gone;
  if (steps.some(inBackoff)) return 'backoff';
  const waits = (kinds: (kind: string) => boolean) => (event: JournalEvent) =>
    event.at <= kill.asked && kinds(waitKind(event) ?? '');
  if (steps.some(waits((kind) => PEOPLE.has(kind)))) return 'person';
  return steps.some(waits((kind) => kind === 'timer')) ? 'timer' : 'nothing';
}

function last(events: readonly JournalEvent[], path: string, type: string): JournalEvent | undefined {
  return events.findLast((event) => event.path === path && event.type === type);
}

function lastOfEach(events: readonly JournalEvent[]): JournalEvent[] {
  const found = new Map<string, JournalEvent>();
  for (const event of events) if (event.path !== undefined) found.set(event.path, event);
  return [...found.values()];
}

function waitKind({ type, data }: JournalEvent): string | undefined {
  if (type === 'approval.requested') return 'approval';
  return type === 'step.waiting' ? (data.wait as { kind?: string } | undefined)?.kind : undefined;
}

/** Id of the step that a path ends in. */
export function idOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
