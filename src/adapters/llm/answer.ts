import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { isObject } from '../../model/json.ts';
import type { ModelReply, ToolCall } from '../../ports/model.ts';
import { type Asked, networkError, streamError, unreadable } from './errors.ts';
import { toolCallOf } from './prompt.ts';

/** What came back for one call, whether in one piece or streamed. */
export interface Answer {
  text: string;
  toolCalls: ToolCall[];
  finish: LanguageModelV4FinishReason;
  usage: LanguageModelV4Usage | undefined;
  /** The model that the provider says answered. */
  modelId?: string;
  warnings: SharedV4Warning[];
}

/**
 * Asks for the answer in one piece.
 * @throws TabloomError `provider_unavailable` when what came is no answer
 */
export async function answerWhole(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  asked: Asked,
): Promise<Answer> {
  const result = await model.doGenerate(options);
  const refused = refusalIn(result.response?.body, 'message');
  const blocked = refused !== '' || blockedIn(result.response?.body);
  let text = '';
  const toolCalls: ToolCall[] = [];
  for (const part of result.content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'tool-call') toolCalls.push(toolCallOf(part));
  }
  if (text === '') text = refused;
  // No text and no word why: some packages read any JSON object as such an answer.
  if (
    text === '' &&
    toolCalls.length === 0 &&
    !blocked &&
    result.finishReason.unified === 'other' &&
    result.finishReason.raw === undefined
  )
    throw unreadable(asked);
  return {
    text,
    toolCalls,
    finish: blocked ? REFUSED : result.finishReason,
    usage: result.usage,
    modelId: result.response?.modelId,
    warnings: result.warnings,
  };
}

/**
 * Asks for the answer as a stream and hands each piece on. What `onText` throws is ignored: a view that fails must not fail the call.
 * @throws TabloomError `network` when the stream ends before the provider said that the answer is complete
 */
export async function answerStreamed(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  asked: Asked,
  onText?: (delta: string) => void,
): Promise<Answer> {
  const { stream } = await model.doStream({ ...options, includeRawChunks: true });
  const reader = stream.getReader();
  const answer: Answer = {
    text: '',
    toolCalls: [],
    finish: { unified: 'interrupted', raw: undefined },
    usage: undefined,
    warnings: [],
  };
  let refused = '';
  let blocked = false;
  try {
    for (;;) {
      const { done, value: part } = await reader.read().catch((error) => {
        if (options.abortSignal?.aborted) throw error;
        throw networkError(asked, 'broken');
      });
      if (done) break;
      switch (part.type) {
        case 'text-delta':
          answer.text += part.delta;
          try {
            onText?.(part.delta);
          } catch {
            // see above
          }
          break;
        case 'tool-call':
          answer.toolCalls.push(toolCallOf(part));
          break;
        case 'response-metadata':
          answer.modelId = part.modelId ?? answer.modelId;
          break;
        case 'stream-start':
          answer.warnings = part.warnings;
          break;
        case 'finish':
          answer.finish = part.finishReason;
          answer.usage = part.usage;
          break;
        case 'raw':
          refused += refusalIn(part.rawValue, 'delta');
          blocked ||= blockedIn(part.rawValue);
          break;
        case 'error':
          throw streamError(asked, part.error);
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (refused !== '' || blocked) answer.finish = REFUSED;
  if (answer.finish.unified === 'interrupted') throw networkError(asked, 'broken');
  if (answer.text === '') answer.text = refused;
  return answer;
}

const REFUSED: LanguageModelV4FinishReason = { unified: 'content-filter', raw: 'refusal' };

/** What the model said in declining. Chat completions have a field of its own for it, which the package for compatible servers leaves out. */
function refusalIn(raw: unknown, where: 'message' | 'delta'): string {
  const choice = isObject(raw) && Array.isArray(raw.choices) ? raw.choices[0] : undefined;
  const message = isObject(choice) ? choice[where] : undefined;
  return isObject(message) && typeof message.refusal === 'string' ? message.refusal : '';
}

/** Google answers a prompt that it blocks with a word why, and with no candidate for an answer. */
function blockedIn(raw: unknown): boolean {
  return isObject(raw) && isObject(raw.promptFeedback) && typeof raw.promptFeedback.blockReason === 'string';
}

/** All that the model wrote, for counting. */
export function saidIn({ text, toolCalls }: Answer): string {
  return toolCalls.length === 0 ? text : text + JSON.stringify(toolCalls);
}

/** Our word for why the model stopped. */
export function finishWord(finish: LanguageModelV4FinishReason): ModelReply['finish'] {
  switch (finish.unified) {
    case 'stop':
    case 'length':
      return finish.unified;
    case 'content-filter':
      return 'content_filter';
    case 'tool-calls':
      return 'tool_calls';
    default:
      return 'other';
  }
}
