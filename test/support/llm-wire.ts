import { responsesBody, responsesEvents } from './llm-wire-responses.ts';

/** Answer bodies and event streams in the providers' own formats, as their API references describe them. */

export interface WireAnswer {
  text: string;
  finish: 'stop' | 'length' | 'content_filter';
  model: string;
  /** `null`: the server counts nothing. */
  usage: { input: number; output: number; cached?: number } | null;
  /** Tools that the model asks for; arguments given as a text go over the wire as they are. */
  toolCalls?: { id: string; name: string; arguments: object | string; signature?: string }[];
  /** The model declined: OpenAI puts that in a field of its own. */
  refusal?: string;
}

/** `openai` is chat completions, which compatible servers speak too. */
export type Dialect = 'openai' | 'openai-responses' | 'anthropic' | 'google';

/** The body of an answer in one piece. */
export function wholeBody(dialect: Dialect, answer: WireAnswer): object {
  switch (dialect) {
    case 'openai':
      return {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1_767_600_000,
        model: answer.model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: answer.refusal === undefined ? answer.text : null,
              refusal: answer.refusal ?? null,
              ...(answer.toolCalls ? { tool_calls: answer.toolCalls.map(openaiCall) } : {}),
            },
            finish_reason: answer.toolCalls ? 'tool_calls' : answer.finish,
          },
        ],
        ...(answer.usage ? { usage: openaiUsage(answer.usage) } : {}),
      };
    case 'anthropic':
      return {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: answer.model,
        content: [
          ...(answer.text === '' && answer.toolCalls ? [] : [{ type: 'text', text: answer.text }]),
          ...(answer.toolCalls ?? []).map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input })),
        ],
        stop_reason: answer.toolCalls ? 'tool_use' : anthropicStop(answer.finish),
        stop_sequence: null,
        usage: anthropicUsage(answer.usage),
      };
    case 'openai-responses':
      return responsesBody(answer);
    case 'google':
      return googleBody(answer, textParts(answer, answer.text), true);
  }
}

/** The events of a streamed answer, each as it goes over the wire. Text is cut into pieces of five characters. */
export function streamEvents(dialect: Dialect, answer: WireAnswer): string[] {
  const pieces = cut(answer.text);
  switch (dialect) {
    case 'openai': {
      const chunk = (more: object) =>
        `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_600_000, model: answer.model, ...more })}\n\n`;
      const choice = (delta: object, finish: string | null = null) =>
        chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
      return [
        choice({ role: 'assistant', content: '' }),
        ...(answer.refusal === undefined ? pieces.map((content) => choice({ content })) : []),
        ...cut(answer.refusal ?? '').map((refusal) => choice({ refusal })),
        ...(answer.toolCalls ?? []).flatMap((call, index) =>
          openaiPieces(call, index).map((tool) => choice({ tool_calls: [tool] })),
        ),
        choice({}, answer.toolCalls ? 'tool_calls' : answer.finish),
        ...(answer.usage ? [chunk({ choices: [], usage: openaiUsage(answer.usage) })] : []),
        'data: [DONE]\n\n',
      ];
    }
    case 'anthropic': {
      const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
      const usage = anthropicUsage(answer.usage);
      return [
        event('message_start', {
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: answer.model,
            content: [],
            stop_reason: null,
            usage: { ...usage, output_tokens: 1 },
          },
        }),
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        ...pieces.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
        event('content_block_stop', { index: 0 }),
        ...(answer.toolCalls ?? []).flatMap(({ id, name, arguments: input }, at) => [
          event('content_block_start', { index: at + 1, content_block: { type: 'tool_use', id, name, input: {} } }),
          ...cut(written(input)).map((partial_json) =>
            event('content_block_delta', { index: at + 1, delta: { type: 'input_json_delta', partial_json } }),
          ),
          event('content_block_stop', { index: at + 1 }),
        ]),
        event('message_delta', {
          delta: { stop_reason: answer.toolCalls ? 'tool_use' : anthropicStop(answer.finish), stop_sequence: null },
          usage: { output_tokens: usage.output_tokens },
        }),
        event('message_stop', {}),
      ];
    }
    case 'openai-responses':
      return responsesEvents(answer);
    case 'google': {
      // Also of an empty answer it says why it stopped.
      const texts = pieces.length > 0 ? pieces : [''];
      const parts = answer.toolCalls
        ? [...texts.map((text) => [{ text }]), googleCalls(answer)]
        : texts.map((text) => [{ text }]);
      return parts.map((part, i) => `data: ${JSON.stringify(googleBody(answer, part, i === parts.length - 1))}\n\n`);
    }
  }
}

/** An error body as the provider writes it. */
export function errorBodyOf(dialect: Dialect, status: number, message: string, code: string): object {
  switch (dialect) {
    case 'openai':
    case 'openai-responses':
      return { error: { message, type: code, param: null, code } };
    case 'anthropic':
      return { type: 'error', error: { type: code, message }, request_id: 'req_1' };
    case 'google':
      return { error: { code: status, message, status: code.toUpperCase() } };
  }
}

function openaiUsage(usage: NonNullable<WireAnswer['usage']>): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  };
}

function anthropicUsage(usage: WireAnswer['usage']) {
  const cached = usage?.cached ?? 0;
  return {
    input_tokens: (usage?.input ?? 0) - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage?.output ?? 0,
  };
}

function anthropicStop(finish: WireAnswer['finish']): string {
  return { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' }[finish];
}

type WireCall = NonNullable<WireAnswer['toolCalls']>[number];

/** Arguments as they go over the wire. */
export function written(input: object | string): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/** A text in pieces of five characters; a very long one in longer ones. */
export function cut(text: string): string[] {
  return text.match(text.length > 10_000 ? /[\s\S]{1,4096}/g : /[\s\S]{1,5}/g) ?? [];
}

function openaiCall({ id, name, arguments: input }: WireCall): object {
  return { id, type: 'function', function: { name, arguments: written(input) } };
}

/** A call in a stream: its name first, then its arguments piece by piece. */
function openaiPieces({ id, name, arguments: input }: WireCall, index: number): object[] {
  return [
    { index, id, type: 'function', function: { name, arguments: '' } },
    ...cut(written(input)).map((piece) => ({ index, function: { arguments: piece } })),
  ];
}

function googleCalls({ toolCalls = [] }: WireAnswer): object[] {
  return toolCalls.map(({ id, name, arguments: args, signature }) => ({
    functionCall: { id, name, args },
    ...(signature === undefined ? {} : { thoughtSignature: signature }),
  }));
}

function textParts(answer: WireAnswer, text: string): object[] {
  return answer.toolCalls ? [...(text === '' ? [] : [{ text }]), ...googleCalls(answer)] : [{ text }];
}

function googleBody(answer: WireAnswer, parts: object[], last: boolean): object {
  const finish = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }[answer.finish];
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(last ? { finishReason: finish } : {}) }],
    modelVersion: answer.model,
    ...(last && answer.usage
      ? {
          usageMetadata: {
            promptTokenCount: answer.usage.input,
            candidatesTokenCount: answer.usage.output,
            totalTokenCount: answer.usage.input + answer.usage.output,
          },
        }
      : {}),
  };
}
