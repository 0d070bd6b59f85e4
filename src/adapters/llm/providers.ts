import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelAccount } from '../../model/model-settings.ts';

/** The providers' own addresses. Always given, since the packages would else look into the environment for another under Node. */
const ADDRESS: Record<string, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

/** Address of an account's API, without a slash at the end. Empty for a compatible server without one, and for what has none. */
export function baseUrlOf(account: ModelAccount): string {
  if (account.provider === 'browser') return '';
  return (account.baseUrl ?? ADDRESS[account.provider] ?? '').replace(/\/+$/, '');
}

/** Whether an account cannot be used without a key: the providers at their own address. */
export function needsKey(account: ModelAccount): boolean {
  return !['openai-compatible', 'browser'].includes(account.provider) && account.baseUrl === undefined;
}

/**
 * The AI SDK's model object for an account. OpenAI proper is spoken to by chat completions too, not by the newer responses API, unless
 * the account says so: every gateway that an OpenAI account's address may point to speaks it. The packages are used at this level, below `generateText`: one call
 * is one request, the engine retries, and nothing else (tracing channels, a default gateway, console warnings) comes along.
 */
export function languageModel(
  account: ModelAccount,
  modelId: string,
  key: string | undefined,
  fetch: typeof globalThis.fetch,
): LanguageModelV4 {
  const baseURL = baseUrlOf(account);
  // A key that is given, if only a dummy, keeps the packages from reading one out of the environment.
  const apiKey = key ?? 'none';
  switch (account.provider) {
    case 'anthropic':
      return createAnthropic({
        baseURL,
        apiKey,
        fetch,
        headers: { 'anthropic-dangerous-direct-browser-access': 'true' },
      })(modelId);
    case 'google':
      return createGoogle({ baseURL, apiKey, fetch })(modelId);
    case 'openai':
      if (account.api === 'responses') return createOpenAI({ baseURL, apiKey, fetch }).responses(modelId);
      if (key !== undefined) return createOpenAI({ baseURL, apiKey, fetch }).chat(modelId);
      break;
    case 'openai-compatible':
    case 'browser':
      break;
  }
  return createOpenAICompatible({
    name: 'compatible',
    baseURL,
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(key === undefined ? {} : { apiKey }),
  }).chatModel(modelId);
}
