import { TabloomError, toErrorInfo } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { finalFailure } from './failure.ts';
import { emit, type Machine, pathIn } from './machine.ts';
import type { PlanStep } from './plan.ts';
import type { ListState, StepState } from './state.ts';

/** Tokens, and money where the model's price is known. */
export interface Spending {
  tokens: number;
  usd?: number;
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
  const { budget } = m.state;
  if (!budget || !plan.type.estimate) return undefined;
  const path = pathIn(list, plan);
  const cost = costOf(m, plan, fields, path);
  if (cost instanceof TabloomError) {
    fail(m, list, plan, fields, cost);
    return 'over';
  }
  const spent = spendingOf(m);
  const tokens = budget.tokens !== undefined && spent.tokens + cost.tokens > budget.tokens;
  const usd = budget.usd !== undefined && (spent.usd ?? 0) + (cost.usd ?? 0) > budget.usd;
  if (!tokens && !usd) return cost;
  const reason = tokens
    ? `${spent.tokens} of ${budget.tokens} tokens are spent, and this call may take ${cost.tokens}`
    : `${dollars(spent.usd)} of ${dollars(budget.usd)} are spent, and this call may cost ${dollars(cost.usd)}`;
  if (budget.onExceeded === 'fail') {
    const message = `The budget of the run is used up: ${reason}. Raise \`budget\` in the workflow and start it again.`;
    fail(m, list, plan, fields, new TabloomError('budget_exceeded', message, { step: path }));
    return 'over';
  }
  const { tokens: maxTokens, usd: maxUsd } = budget;
  emit(m, 'step.waiting', path, {
    input: fields,
    wait: {
      kind: 'budget',
      since: m.at,
      reason,
      data: {
        limit: {
          ...(maxTokens === undefined ? {} : { tokens: maxTokens }),
          ...(maxUsd === undefined ? {} : { usd: maxUsd }),
        },
        spent: { ...spent },
        estimate: { ...cost },
      },
    },
  });
  return 'over';
}

/** What the run has spent, and has promised to calls that are under way. */
function spendingOf(m: Machine): Spending {
  const { usage } = m.state.run;
  const sum = { tokens: usage.inputTokens + usage.outputTokens, usd: usage.usd ?? 0 };
  for (const step of m.state.busy) {
    if (!step.inFlight || !step.reserve) continue;
    sum.tokens += step.reserve.tokens;
    sum.usd += step.reserve.usd ?? 0;
  }
  return sum;
}

function costOf(m: Machine, plan: PlanStep, fields: JsonObject, path: string): Spending | TabloomError {
  try {
    const estimate = plan.type.estimate?.({
      path,
      step: plan.def,
      workflow: m.plan.workflow,
      fields,
      documents: m.state.documents,
    });
    if (!estimate) return { tokens: 0 };
    const { inputTokens, outputTokens, model } = estimate;
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

function dollars(usd: number | undefined): string {
  return `${(usd ?? 0).toFixed(usd !== undefined && usd < 0.01 ? 4 : 2)} USD`;
}
