import { isObject, type JsonObject } from '../model/json.ts';
import type { Wait } from '../model/run.ts';
import {
  endOf,
  limitOf,
  MONTH_SUBJECT,
  type MonthBudget,
  monthAsked,
  monthOf,
  type SpendingRow,
} from '../model/spending.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { OuterBudget, Spending } from './budget.ts';
import type { RunActor } from './run-actor.ts';

/** The setting that holds the budget. */
const KEY = 'spending';

/** Waits of a run's steps for the budget of a month. */
function waitsOf({ finished, machine }: RunActor): Wait[] {
  if (finished) return [];
  return [...machine.state.busy].flatMap(({ row: { wait } }) => (wait && monthAsked(wait.subject) ? [wait] : []));
}

/** What all runs have spent in a month, and may spend: in memory, so that a model call need not wait for it. */
export class MonthBook {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #actors: ReadonlyMap<string, RunActor>;
  /** Of runs that have spent something, by month and run. What is written is written whole. */
  readonly #rows = new Map<string, Map<string, SpendingRow>>();
  #budget: MonthBudget = {};

  constructor(store: Store, clock: Pick<Clock, 'now'>, actors: ReadonlyMap<string, RunActor>) {
    this.#store = store;
    this.#clock = clock;
    this.#actors = actors;
  }

  get budget(): MonthBudget {
    return this.#budget;
  }

  async load(): Promise<void> {
    const month = monthOf(this.#clock.now());
    const [budget, rows] = await Promise.all([this.#store.setting(KEY), this.#store.spending({ month })]);
    this.#budget = (budget ?? {}) as MonthBudget;
    this.note(rows);
  }

  /** A call is over, or a run: what it had promised to others is free again, so a step that waits may fit now. */
  moved(rows: readonly SpendingRow[] = []): void {
    this.note(rows);
    const [budget] = this.now();
    if (!budget) return;
    const left = (budget.budget.usd ?? 0) - budget.spent.usd;
    for (const actor of this.#actors.values()) {
      const fits = waitsOf(actor).some(({ data }) => {
        const estimate = isObject(data) && isObject(data.estimate) ? Number(data.estimate.usd ?? 0) : 0;
        return estimate <= left;
      });
      if (fits) actor.push({ type: 'outer', want: 'look' });
    }
  }

  /** Takes in what is written. */
  note(rows: readonly SpendingRow[]): void {
    for (const row of rows) {
      const known = this.#rows.get(row.month) ?? new Map<string, SpendingRow>();
      this.#rows.set(row.month, known.set(row.runId, row));
    }
  }

  /** Keeps another budget; every step that waits for the month's looks again. */
  async set(budget: MonthBudget): Promise<void> {
    await this.#store.setSetting(KEY, budget as JsonObject);
    this.#budget = budget;
    for (const actor of this.#actors.values()) {
      if (waitsOf(actor).length > 0) actor.push({ type: 'outer', want: 'look' });
    }
  }

  /** The budget of this month, as a model call is checked against it; none where there is no limit. */
  now(): OuterBudget[] {
    const month = monthOf(this.#clock.now());
    const usd = limitOf(this.#budget, month);
    if (usd === undefined) return [];
    const name = 'the monthly budget';
    return [{ runId: MONTH_SUBJECT + month, name, budget: { usd }, spent: this.#spent(month), until: endOf(month) }];
  }

  #spent(month: string): Required<Spending> {
    const sum = { tokens: 0, usd: 0 };
    const add = (row: Pick<SpendingRow, 'usage'> | undefined): void => {
      sum.tokens += (row?.usage.inputTokens ?? 0) + (row?.usage.outputTokens ?? 0);
      sum.usd += row?.usage.usd ?? 0;
    };
    for (const [runId, row] of this.#rows.get(month) ?? []) if (!this.#actors.has(runId)) add(row);
    // Of runs at work also what is not written yet, and what calls under way may still cost.
    for (const { machine } of this.#actors.values()) {
      add(machine.state.spent.get(month));
      for (const { inFlight, reserve } of machine.state.busy) {
        if (!inFlight || !reserve) continue;
        sum.tokens += reserve.tokens;
        sum.usd += reserve.usd ?? 0;
      }
    }
    return sum;
  }
}
