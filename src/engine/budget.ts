import { TabloomError, toErrorInfo } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { WorkflowDefinition } from '../model/workflow.ts';
import { aroundOf } from './calls/around.ts';
import { finalFailure } from './failure.ts';
import { emit, type Machine, pathIn } from './machine.ts';
import type { PlanStep } from './plan.ts';
import type { ListState, StepState } from './state.ts';

/** Tokens, and money where the model's price is known. */
export interface Spending {
  tokens: number;
  usd?: number;
}

/** The budget of a run that a model call counts for. */
export interface OuterBudget {
  runId: string;
  /** The workflow's name; empty for the run's own. */
  name: string;
  budget: NonNullable<WorkflowDefinition['budget']>;
  spent: Required<Spending>;
  /** When it is another one by itself, epoch milliseconds. */
  until?: number;
}

/** Text per token on average, in characters: providers count about four for English, fewer for most other languages. */
const CHARS_PER_TOKEN = 3;

/** Tokens of a text, or of so many characters, guessed on the high side. */
export function tokensOf(text: string | number): number {
  return Math.ceil((typeof text === 'number' ? text : text.length) / CHARS_PER_TOKEN);
}

/**
 * Looks at the run's budget before a model call (SPEC §6): what is spent, what calls under way may still spend, and what this one may.
 * @returns what to reserve for the call, `undefined` for work without a model or a run without a budget; `'over'` where the step was
 * made to wait or has failed instead
 */
export function takeBudget(
  m: Machine,
  list: ListState,
  plan: PlanStep,
  fields: JsonObject,
): Spending | undefined | 'over' {
  if (!plan.type.estimate) return undefined;
  const budgets: OuterBudget[] = m.above();
  if (m.state.budget)
    budgets.unshift({ runId: m.state.run.runId, name: '', budget: m.state.budget, spent: spendingOf(m) });
  if (budgets.length === 0) return undefined;
  const path = pathIn(list, plan);
  const cost = costOf(m, list, plan, fields, path);
  if (cost instanceof TabloomError) {
    fail(m, list, plan, fields, cost);
    return 'over';
  }
  for (const one of budgets) {
    const reason = overBy(one, cost);
    if (reason === undefined) continue;
    if (one.budget.onExceeded === 'fail') {
      const message = `The budget of the run is used up: ${reason}. Raise \`budget\` in the workflow and start it again.`;
      fail(m, list, plan, fields, new TabloomError('budget_exceeded', message, { step: path }));
    } else askForMore(m, path, fields, one, cost, reason);
    return 'over';
  }
  return cost;
}

/** Why a call may not be made under a budget, or undefined. */
function overBy({ name, budget, spent }: OuterBudget, cost: Spending): string | undefined {
  const tokens = budget.tokens !== undefined && spent.tokens + cost.tokens > budget.tokens;
  const usd = budget.usd !== undefined && spent.usd + (cost.usd ?? 0) > budget.usd;
  if (!tokens && !usd) return undefined;
  const of = name === '' ? '' : ` of ${name}`;
  return tokens
    ? `${spent.tokens} of ${budget.tokens} tokens${of} are spent, and this call may take ${cost.tokens}`
    : `${dollars(spent.usd)} of ${dollars(budget.usd as number)}${of} are spent, and this call may cost ${dollars(cost.usd ?? 0)}`;
}

/** `subject` of the wait: the run around this one, or the month, whose budget is to be raised; absent where it is its own. */
function askForMore(
  m: Machine,
  path: string,
  fields: JsonObject,
  { runId, budget, spent, until }: OuterBudget,
  cost: Spending,
  reason: string,
): void {
  const { tokens, usd } = budget;
  emit(m, 'step.waiting', path, {
    input: fields,
    wait: {
      kind: 'budget',
      since: m.at,
      reason,
      ...(runId === m.state.run.runId ? {} : { subject: runId }),
      ...(until === undefined ? {} : { due: until }),
      data: {
        limit: { ...(tokens === undefined ? {} : { tokens }), ...(usd === undefined ? {} : { usd }) },
        spent: { ...spent },
        estimate: { ...cost },
      },
    },
  });
}

/** What the run has spent, and has promised to calls that are under way; runs called from it too. */
export function spendingOf(m: Machine): Required<Spending> {
  const { usage } = m.state.run;
  const sum = { tokens: usage.inputTokens + usage.outputTokens, usd: usage.usd ?? 0 };
  for (const step of m.state.busy) {
    if (!step.inFlight || !step.reserve) continue;
    sum.tokens += step.reserve.tokens;
    sum.usd += step.reserve.usd ?? 0;
  }
  const inside = m.inside();
  return { tokens: sum.tokens + inside.tokens, usd: sum.usd + inside.usd };
}

function costOf(
  m: Machine,
  list: ListState,
  plan: PlanStep,
  fields: JsonObject,
  path: string,
): Spending | TabloomError {
  try {
    const around = aroundOf(list);
    const { workflow } = m.plan;
    const { documents } = m.state;
    const estimate = plan.type.estimate as NonNullable<PlanStep['type']['estimate']>;
    const { inputTokens, outputTokens, model } = estimate({
      path,
      step: plan.def,
      workflow,
      fields,
      around,
      documents,
    });
    const price = m.price(model);
    const tokens = inputTokens + outputTokens;
    if (!price) return { tokens };
    return { tokens, usd: (inputTokens * price.input + outputTokens * price.output) / 1_000_000 };
  } catch (thrown) {
    const { code, message, ...more } = toErrorInfo(thrown);
    return new TabloomError(code, message, more);
  }
}

function fail(m: Machine, list: ListState, plan: PlanStep, fields: JsonObject, error: TabloomError): void {
  const path = pathIn(list, plan);
  const status = m.state.steps.get(path)?.row.status ?? 'pending';
  if (status === 'pending') emit(m, 'step.opened', path, { input: fields });
  finalFailure(m, m.state.steps.get(path) as StepState, { ...error.info, step: error.info.step ?? path });
}

function dollars(usd: number): string {
  return `${usd.toFixed(usd < 0.01 ? 4 : 2)} USD`;
}
