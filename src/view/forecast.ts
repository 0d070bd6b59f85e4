import type { StepStatus, Usage } from '../model/run.ts';
import type { TreeNode } from './run-tree.ts';

/** What is still to come of a loop, by what its items have cost so far. */
export interface Forecast {
  /** Items that have not ended. */
  remaining: number;
  /** Tokens that they will take, about. */
  tokens: number;
  /** US dollars; left out where the price of any call so far is not known. */
  usd?: number;
}

/** Before so many items have ended, their mean says little. */
const ITEMS_LEAST = 3;

const ENDED: readonly StepStatus[] = ['completed', 'failed', 'skipped', 'cancelled'];

/**
 * What the rest of a loop will cost, if it goes on as its ended items did: their mean, times those that are left, less what the items that are
 * under way have spent already.
 * @param node a loop of a run's tree
 * @returns undefined before three items have ended, where nothing is left, where the number of items is not known, and where they cost nothing
 */
export function forecastOf(node: TreeNode): Forecast | undefined {
  const items = node.children.filter(({ itemOf }) => itemOf === 'loop');
  const ended = items.filter(({ status }) => ENDED.includes(status));
  const remaining = (node.total ?? 0) - ended.length;
  if (node.row?.type !== 'loop' || ENDED.includes(node.row.status) || ended.length < ITEMS_LEAST || remaining <= 0)
    return undefined;
  const spent = sum(ended.map(costOf));
  const begun = sum(items.filter((item) => !ended.includes(item)).map(costOf));
  if (spent.tokens === 0 && spent.usd === 0) return undefined;
  const rest = (of: 'tokens' | 'usd') => Math.max(0, (spent[of] / ended.length) * remaining - begun[of]);
  const priced = spent.priced && begun.priced;
  return { remaining, tokens: Math.round(rest('tokens')), ...(priced ? { usd: rest('usd') } : {}) };
}

interface Cost {
  tokens: number;
  usd: number;
  /** Whether the price of all of it is known. */
  priced: boolean;
}

/** What a node and all below it have spent. The row of an agent counts its calls already. */
function costOf(node: TreeNode): Cost {
  const own = costIn(node.row?.usage);
  return node.row?.type === 'agent' ? own : sum([own, ...node.children.map(costOf)]);
}

function costIn(usage: Usage | undefined): Cost {
  const tokens = usage ? usage.inputTokens + usage.outputTokens : 0;
  return { tokens, usd: usage?.usd ?? 0, priced: tokens === 0 || usage?.usd !== undefined };
}

function sum(costs: readonly Cost[]): Cost {
  return costs.reduce((a, b) => ({ tokens: a.tokens + b.tokens, usd: a.usd + b.usd, priced: a.priced && b.priced }), {
    tokens: 0,
    usd: 0,
    priced: true,
  });
}
