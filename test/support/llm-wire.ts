/** Answer bodies and event streams in the providers' own formats, as their API references describe them. */

export interface WireAnswer {
  text: string;
  finish: 'stop' | 'length' | 'content_filter';
  model: string;
  /** `null`: the server counts nothing. */
  usage: { input: number; output: number; cached?: number } | null;
  /** The model declined: OpenAI puts that in a field of its own. */
  refusal?: string;
}

export type Dialect = 'openai' | 'anthropic' | 'google';

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
            },
            finish_reason: answer.finish,
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
        content: [{ type: 'text', text: answer.text }],
        stop_reason: anthropicStop(answer.finish),
        stop_sequence: null,
        usage: anthropicUsage(answer.usage),
      };
    case 'google':
      return googleBody(answer, answer.text, true);
  }
}

/** The events of a streamed answer, each as it goes over the wire. Text is cut into pieces of five characters. */
export function streamEvents(dialect: Dialect, answer: WireAnswer): string[] {
  const pieces = answer.text.match(/[\s\S]{1,5}/g) ?? [];
  switch (dialect) {
    case 'openai': {
      const chunk = (more: object) =>
        `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_767_600_000, model: answer.model, ...more })}\n\n`;
      const choice = (delta: object, finish: string | null = null) =>
        chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
      return [
        choice({ role: 'assistant', content: '' }),
        ...pieces.map((content) => choice({ content })),
        choice({}, answer.finish),
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
        event('message_delta', {
          delta: { stop_reason: anthropicStop(answer.finish), stop_sequence: null },
          usage: { output_tokens: usage.output_tokens },
        }),
        event('message_stop', {}),
      ];
    }
    case 'google': {
      // Also of an empty answer it says why it stopped.
      const texts = pieces.length > 0 ? pieces : [''];
      return texts.map((text, i) => `data: ${JSON.stringify(googleBody(answer, text, i === texts.length - 1))}\n\n`);
    }
  }
}

/** An error body as the provider writes it. */
export function errorBodyOf(dialect: Dialect, status: number, message: string, code: string): object {
  switch (dialect) {
    case 'openai':
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

function googleBody(answer: WireAnswer, text: string, last: boolean): object {
  const finish = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }[answer.finish];
  return {
    candidates: [
      { content: { role: 'model', parts: [{ text }] }, index: 0, ...(last ? { finishReason: finish } : {}) },
    ],
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
