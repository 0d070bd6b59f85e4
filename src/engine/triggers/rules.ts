import { durationMs } from '../../model/duration.ts';
import { FINAL_RUN, type RunRow } from '../../model/run.ts';
import type { Concurrency, Firing, TriggerDefinition, TriggerOf } from '../../model/triggers.ts';
import type { WorkflowDefinition } from '../../model/workflow.ts';
import { siteAllows } from '../values/sites.ts';
import { nextTime, parseCron } from './cron.ts';

/** A trigger is switched off after so many failed runs in a row. */
export const MOST_FAILURES = 5;
/** A schedule that is dealt with later than this after its time has missed it, milliseconds. */
export const LATE = 5 * 60_000;
/** Firings that may wait for the runs before them. */
export const MOST_WAITING = 100;
/** A page that is being built, or an address that changes as one types, is left in peace for this long before a run starts by itself. */
const PAGE_DEBOUNCE = 1000;

const HOUR = 3_600_000;
/** How far back the newest missed time is looked for, nearest first: a month of minutes need not be walked through. */
const SPANS = [2 * HOUR, 48 * HOUR, 62 * 24 * HOUR, Number.POSITIVE_INFINITY];

/** What a schedule has come to. */
export interface ScheduleLook {
  /** Up to here every time has been dealt with. */
  past: number;
  /** The time for which a run is due; the newest, where several have passed. */
  fire?: number;
  /** The next time to come; `undefined` where there is none. */
  next?: number;
}

/**
 * Looks which times of a schedule have come since the last look. Times that are long past (the browser was closed, the machine slept) were
 * missed: they are let go, or become one run with `missed: run_once`.
 * @param zone used where the trigger names none
 * @param past up to when times were dealt with, epoch milliseconds
 */
export function lookAtSchedule(
  { cron: line, timezone, missed }: Pick<TriggerOf<'schedule'>, 'cron' | 'timezone' | 'missed'>,
  zone: string,
  past: number,
  now: number,
): ScheduleLook {
  const cron = parseCron(line);
  const place = timezone ?? zone;
  const after = (at: number) => nextTime(cron, place, at);
  const first = after(past);
  if (first === undefined || first > now) return { past, ...(first !== undefined && { next: first }) };
  let last = first;
  for (const span of SPANS) {
    const found = after(Math.max(past, now - span));
    if (found === undefined || found > now) continue;
    last = found;
    break;
  }
  let next = after(last);
  while (next !== undefined && next <= now) {
    last = next;
    next = after(last);
  }
  const fires = now - last <= LATE || missed === 'run_once';
  return { past: last, ...(fires && { fire: last }), ...(next !== undefined && { next }) };
}

/** How long a trigger waits for another firing before it starts, milliseconds. */
export function debounceMs(trigger: TriggerDefinition): number {
  if (trigger.debounce !== undefined) return durationMs(trigger.debounce);
  return trigger.type === 'page' && trigger.auto === true ? PAGE_DEBOUNCE : 0;
}

/**
 * The waiting firings with a new one. One that is still in its `debounce` gives way to it; a key that is there already is not added again.
 * @returns `undefined` when there is no room for it
 */
export function addFiring(waiting: readonly Firing[], firing: Firing, now: number): Firing[] | undefined {
  if (waiting.some(({ key }) => key === firing.key)) return [...waiting];
  const kept = waiting.filter(({ due }) => due <= now);
  return kept.length >= MOST_WAITING ? undefined : [...kept, firing];
}

/** What a firing does now: begin, wait for the run before it, be dropped, or begin once the run before it has been cancelled. */
export type Turn = 'start' | 'wait' | 'drop' | 'replace';

export function turnOf(concurrency: Concurrency | undefined, running: boolean): Turn {
  if (!running) return 'start';
  return concurrency === 'skip' ? 'drop' : concurrency === 'replace' ? 'replace' : 'wait';
}

/** Runs of one trigger that have not ended. */
export function unfinishedOf(runs: readonly RunRow[], triggerId: string): RunRow[] {
  return runs.filter(({ trigger, status }) => trigger.id === triggerId && !FINAL_RUN.includes(status));
}

/**
 * How many of a trigger's runs failed, one after another, up to the newest. Runs that were cancelled say nothing, nor do those that still go on.
 * @param runs of its workflow, newest first
 * @param since runs before do not count, epoch milliseconds
 */
export function failuresInARow(runs: readonly RunRow[], triggerId: string, since: number): number {
  let count = 0;
  for (const { trigger, status, createdAt } of runs) {
    if (trigger.id !== triggerId || createdAt < since) continue;
    if (status === 'failed') count += 1;
    else if (status === 'completed' || status === 'partial') break;
  }
  return count;
}

/** Page triggers of a workflow whose patterns, and whose workflow's sites, allow an address. */
export function pageTriggersFor(definition: WorkflowDefinition, url: string): TriggerOf<'page'>[] {
  if (!siteAllows(definition.sites ?? [], url)) return [];
  return (definition.triggers ?? []).filter(
    (trigger): trigger is TriggerOf<'page'> => trigger.type === 'page' && siteAllows(trigger.match, url),
  );
}

/** An address without its fragment: what makes a page another page. */
export function pageAddress(url: string): string {
  return url.replace(/#.*$/, '');
}
