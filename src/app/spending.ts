import { addUsage, NO_USAGE } from '../engine/usage.ts';
import type { Usage } from '../model/run.ts';
import { limitOf, type MonthBudget, monthOf, type SpendingRow } from '../model/spending.ts';

/** What model calls have used together. */
export interface Sum {
  usage: Usage;
  /** Calls that were answered, or cost something all the same. */
  calls: number;
  /** Tokens of models whose price is not known; they are not in the money. */
  unpriced: number;
}

/** What one workflow has used in a month. */
export interface WorkflowSpending extends Sum {
  workflowId: string;
  name: string;
}

/** What all workflows have used in a month, those that cost most first. */
export interface MonthSpending extends Sum {
  /** `2026-12`, of the calendar of UTC. */
  month: string;
  workflows: WorkflowSpending[];
}

/** What models have cost, and may cost. */
export interface Spending {
  /** The present month. */
  month: string;
  /** USD of every month; absent where there is no limit. */
  usd?: number;
  /** USD of this month, where that was raised. */
  raised?: number;
  /** Newest first; the present one is always there. */
  months: MonthSpending[];
}

const NOTHING: Sum = { usage: NO_USAGE, calls: 0, unpriced: 0 };

/** Sums of what runs have spent, by month and workflow. */
export function spendingOf(rows: readonly SpendingRow[], budget: MonthBudget, now: number): Spending {
  const month = monthOf(now);
  const limit = limitOf(budget, month);
  const months = [...new Set([month, ...rows.map((row) => row.month)])].sort().reverse();
  return {
    month,
    ...(budget.usd === undefined ? {} : { usd: budget.usd }),
    ...(limit === undefined || limit === budget.usd ? {} : { raised: limit }),
    months: months.map((one) =>
      monthSpending(
        one,
        rows.filter((row) => row.month === one),
      ),
    ),
  };
}

function monthSpending(month: string, rows: readonly SpendingRow[]): MonthSpending {
  const workflows = new Map<string, WorkflowSpending>();
  for (const row of rows) {
    const { workflowId, workflowName: name } = row;
    workflows.set(workflowId, { workflowId, name, ...add(workflows.get(workflowId) ?? NOTHING, row) });
  }
  const cost = ({ usage }: Sum): number => usage.usd ?? 0;
  const tokens = ({ usage }: Sum): number => usage.inputTokens + usage.outputTokens;
  return {
    month,
    ...rows.reduce<Sum>(add, NOTHING),
    workflows: [...workflows.values()].sort((a, b) => cost(b) - cost(a) || tokens(b) - tokens(a)),
  };
}

function add(sum: Sum, { usage, calls, unpriced }: Sum): Sum {
  return { usage: addUsage(sum.usage, usage), calls: sum.calls + calls, unpriced: sum.unpriced + unpriced };
}
