import type { ModelPrice, ModelSettings } from '../../model/model-settings.ts';
import type { ModelChoice } from './names.ts';

/**
 * List prices in USD per million tokens, as the providers published them on their pricing pages (openai.com/api/pricing,
 * anthropic.com/pricing, ai.google.dev/pricing), written down in November 2025. They change: what the user sets wins, and a model
 * that is not here has no price rather than a guessed one. Where a provider has tiers it is the lowest (short prompts, no batch);
 * tokens read from a prompt cache count at the full input price, so a cost shown is an upper bound.
 */
export const LIST_PRICES: Readonly<Record<string, ModelPrice>> = {
  'openai:gpt-5': { input: 1.25, output: 10 },
  'openai:gpt-5-mini': { input: 0.25, output: 2 },
  'openai:gpt-5-nano': { input: 0.05, output: 0.4 },
  'openai:gpt-4.1': { input: 2, output: 8 },
  'openai:gpt-4.1-mini': { input: 0.4, output: 1.6 },
  'openai:gpt-4.1-nano': { input: 0.1, output: 0.4 },
  'openai:gpt-4o': { input: 2.5, output: 10 },
  'openai:gpt-4o-mini': { input: 0.15, output: 0.6 },
  'anthropic:claude-opus-4-5': { input: 5, output: 25 },
  'anthropic:claude-sonnet-4-5': { input: 3, output: 15 },
  'anthropic:claude-sonnet-4': { input: 3, output: 15 },
  'anthropic:claude-haiku-4-5': { input: 1, output: 5 },
  'anthropic:claude-3-5-haiku': { input: 0.8, output: 4 },
  'google:gemini-2.5-pro': { input: 1.25, output: 10 },
  'google:gemini-2.5-flash': { input: 0.3, output: 2.5 },
  'google:gemini-2.5-flash-lite': { input: 0.1, output: 0.4 },
};

/** The date that providers append to a model's name. */
const DATED = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/**
 * Price of a model: the user's own by `account:model`, then by model; then the list price, at the provider's own address only (what
 * another server charges is not known).
 */
export function priceOf(settings: ModelSettings, choice: ModelChoice): ModelPrice | undefined {
  const { account, modelId } = choice;
  const own = settings.prices ?? {};
  for (const key of [`${account.id}:${modelId}`, modelId]) if (Object.hasOwn(own, key)) return own[key];
  if (account.baseUrl !== undefined) return undefined;
  const listed = `${account.provider}:${modelId.replace(DATED, '')}`;
  return Object.hasOwn(LIST_PRICES, listed) ? LIST_PRICES[listed] : undefined;
}
