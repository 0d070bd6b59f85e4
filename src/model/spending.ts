import type { Usage } from './run.ts';

/** What model calls of one run have used in one month. */
export interface SpendingRow {
  /** `2026-12`: of the calendar of UTC, by which providers bill. */
  month: string;
  runId: string;
  workflowId: string;
  workflowName: string;
  usage: Usage;
  /** Calls that were answered, or cost something all the same. */
  calls: number;
  /** Tokens, in and out, of models whose price is not known: they are not in `usage.usd`. */
  unpriced: number;
}

/** What models may cost in a month, as a person has set it. */
export interface MonthBudget {
  /** USD, of every month; absent where there is no limit. */
  usd?: number;
  /** A higher limit that was named for one month. */
  raised?: { month: string; usd: number };
}

/** The month of a moment, epoch milliseconds. */
export function monthOf(at: number): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** When the next month begins, epoch milliseconds. */
export function endOf(month: string): number {
  const [year = 1970, number = 1] = month.split('-').map(Number);
  return Date.UTC(year, number, 1);
}

/** USD that models may cost in a month; `undefined` for no limit. */
export function limitOf({ usd, raised }: MonthBudget, month: string): number | undefined {
  if (usd === undefined) return undefined;
  return raised?.month === month ? Math.max(usd, raised.usd) : usd;
}

/** Begins the subject of a step that waits for a higher budget of a month. */
export const MONTH_SUBJECT = 'month:';

/** The month whose budget is to be raised, of a wait's subject; `undefined` where it is a run's. */
export function monthAsked(subject: string | undefined): string | undefined {
  return subject?.startsWith(MONTH_SUBJECT) ? subject.slice(MONTH_SUBJECT.length) : undefined;
}
