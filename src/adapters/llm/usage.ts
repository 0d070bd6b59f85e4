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

/** Providers that charge for putting a prompt into their cache charge a quarter more than for reading it. */
const CACHE_WRITE = 1.25;

function costOf(
  price: ModelPrice,
  { inputTokens, cached, written, outputTokens }: Record<'inputTokens' | 'cached' | 'written' | 'outputTokens', number>,
): number {
  const plain = Math.max(0, inputTokens - cached - written);
  const input = (plain + written * CACHE_WRITE) * price.input + cached * (price.cached ?? price.input);
  return (input + outputTokens * price.output) / 1e6;
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
  const written = given?.inputTokens.cacheWrite ?? 0;
  const inputTokens = input ?? estimateTokens([request.system ?? '', ...request.messages.map(textOf)].join('\n'));
  const outputTokens = output ?? estimateTokens(text);
  return {
    inputTokens,
    outputTokens,
    ...(cached ? { cachedTokens: cached } : {}),
    ...(price ? { usd: costOf(price, { inputTokens, cached: cached ?? 0, written, outputTokens }) } : {}),
    ...(input === undefined || output === undefined ? { estimated: true } : {}),
  };
}
