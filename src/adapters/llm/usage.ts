import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import type { ModelPrice } from '../../model/model-settings.ts';
import type { Usage } from '../../model/run.ts';
import type { ModelMessage, ModelRequest } from '../../ports/model.ts';

/** Rough count of tokens: a quarter of the UTF-8 bytes, which is near enough for Latin text and not far below for others. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return message.answers.map(({ text }) => text).join('\n');
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return message.content + calls;
}

/**
 * Usage of one answered call: the provider's own counts, or an estimate from the texts, marked so, where it gave none. `usd` only
 * where a price is known.
 */
export function usageOf(
  given: LanguageModelV4Usage | undefined,
  request: ModelRequest,
  text: string,
  price: ModelPrice | undefined,
): Usage {
  const input = given?.inputTokens.total;
  const output = given?.outputTokens.total;
  const cached = given?.inputTokens.cacheRead;
  const inputTokens = input ?? estimateTokens([request.system ?? '', ...request.messages.map(textOf)].join('\n'));
  const outputTokens = output ?? estimateTokens(text);
  return {
    inputTokens,
    outputTokens,
    ...(cached ? { cachedTokens: cached } : {}),
    ...(price ? { usd: (inputTokens * price.input + outputTokens * price.output) / 1e6 } : {}),
    ...(input === undefined || output === undefined ? { estimated: true } : {}),
  };
}
