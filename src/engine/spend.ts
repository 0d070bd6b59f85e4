import type { JsonObject } from '../model/json.ts';
import type { Usage } from '../model/run.ts';
import { monthOf, type SpendingRow } from '../model/spending.ts';
import type { RunState, StepState } from './state.ts';
import { addUsage, NO_USAGE } from './usage.ts';

/** Counts what an entry says was used, for the step, the agent around it and the run. */
export function spend(state: RunState, step: StepState, data: JsonObject): void {
  const usage = data.usage as unknown as Usage | undefined;
  if (!usage) return;
  step.row.usage = addUsage(step.row.usage ?? NO_USAGE, usage);
  const agent = step.plan.call ? step.list.owner?.row : undefined;
  if (agent) agent.usage = addUsage(agent.usage ?? NO_USAGE, usage);
  state.run.usage = addUsage(state.run.usage, usage);
}

/** The same for what the run's own attempt has used, which counts for the month too: what called runs use is counted there. */
export function spendOwn(state: RunState, step: StepState, data: JsonObject, at: number): void {
  spend(state, step, data);
  const usage = data.usage as unknown as Usage | undefined;
  if (!usage) return;
  const month = monthOf(at);
  const { runId, workflowId, workflowName } = state.run;
  const before = state.spent.get(month) ?? { usage: NO_USAGE, calls: 0, unpriced: 0 };
  const row: SpendingRow = {
    month,
    runId,
    workflowId,
    workflowName,
    usage: addUsage(before.usage, usage),
    calls: before.calls + 1,
    unpriced: before.unpriced + (usage.usd === undefined ? usage.inputTokens + usage.outputTokens : 0),
  };
  state.spent.set(month, row);
  state.spentIn.add(month);
}

/** Rows of the months in which something was spent since the last time. Whole sums: written twice they say the same. */
export function takeSpent(state: RunState): SpendingRow[] {
  const rows = [...state.spentIn].flatMap((month) => state.spent.get(month) ?? []);
  state.spentIn.clear();
  return rows;
}
