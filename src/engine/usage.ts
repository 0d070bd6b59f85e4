import type { Usage } from '../model/run.ts';

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

/** What two calls used together. */
export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (!b) return a;
  const sum: Usage = { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
  if (a.cachedTokens || b.cachedTokens) sum.cachedTokens = (a.cachedTokens ?? 0) + (b.cachedTokens ?? 0);
  if (a.usd !== undefined || b.usd !== undefined) sum.usd = (a.usd ?? 0) + (b.usd ?? 0);
  if (a.estimated || b.estimated) sum.estimated = true;
  return sum;
}

/** Notes what an earlier result that is used again had cost, at the step and in the sum of its run. */
export function noteSaved(run: { saved?: Usage }, row: { saved?: Usage }, saved: Usage): void {
  row.saved = saved;
  run.saved = addUsage(run.saved ?? NO_USAGE, saved);
}
