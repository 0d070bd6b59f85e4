import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { sha256Hex } from '../../model/canonical.ts';
import type { ModelAccount } from '../../model/model-settings.ts';
import type { ModelRequest } from '../../ports/model.ts';

/** Anthropic keeps what stands before such a mark for five minutes, and reads it again at a tenth of its price. */
const CACHE_HERE: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };

/**
 * What a call says beside its content: that OpenAI keeps no copy of it (its responses API would, for 30 days), and what helps a provider
 * to find the beginning of the prompt in its cache. Others find it by themselves.
 */
export function hintsOf(account: ModelAccount, request: ModelRequest): SharedV4ProviderOptions {
  if (account.provider !== 'openai') return {};
  const store = account.api === 'responses' ? { store: false } : {};
  // A gateway may refuse a field that it does not know.
  const key = account.baseUrl === undefined ? { promptCacheKey: cacheKeyOf(request) } : {};
  return { openai: { ...store, ...key } };
}

/** Calls that begin alike have the same key; it says nothing that the call itself does not say. */
function cacheKeyOf({ system = '', tools = [] }: ModelRequest): string {
  return sha256Hex([system, ...tools.map(({ name }) => name)].join('\n')).slice(0, 32);
}

/**
 * Marks where a prompt can be kept: after its system text (and the tools before it), and where a talk goes on, after what was said so far,
 * since the next turn begins with all of it. A talk of one message is not marked: keeping costs a quarter more, and it may never come again.
 */
export function withCacheMarks(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const talk = prompt.filter(({ role }) => role !== 'system').length > 1;
  return prompt.map((message, index) =>
    message.role === 'system' || (talk && index === prompt.length - 1)
      ? { ...message, providerOptions: { ...message.providerOptions, ...CACHE_HERE } }
      : message,
  );
}
