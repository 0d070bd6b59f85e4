import { TabloomError } from '../../model/errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { ModelMessage, ModelRequest } from '../../ports/model.ts';
import type { Answer } from './answer.ts';
import { type Asked, noPictures } from './errors.ts';

/** The browser's own model (the Prompt API, `LanguageModel`), as far as it is used here. */
export interface BuiltInModel {
  availability(options: SessionOptions): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: SessionOptions & { initialPrompts?: Prompt[]; signal: AbortSignal } & Tuning): Promise<Session>;
  /** Only extensions have it. */
  params?(): Promise<{ defaultTopK: number; maxTemperature: number } | null>;
}

interface SessionOptions {
  expectedInputs?: { type: 'text' | 'image' }[];
}

interface Tuning {
  temperature?: number;
  topK?: number;
}

interface Prompt {
  role: 'system' | 'user' | 'assistant';
  content: string | ({ type: 'text'; value: string } | { type: 'image'; value: Blob })[];
}

interface Session {
  promptStreaming(
    input: Prompt[],
    options: { responseConstraint?: JsonObject; signal: AbortSignal },
  ): ReadableStream<string>;
  destroy(): void;
}

/** Finds the browser's own model, where it has one and this kind of page or worker may use it. */
export function builtInModel(): BuiltInModel | undefined {
  return (globalThis as { LanguageModel?: BuiltInModel }).LanguageModel;
}

/**
 * Asks the model that is built into the browser. Nothing leaves the computer, and nothing is paid. It calls no tools, knows no limit of
 * tokens for its answer, and does not count them apart from those of the prompt: they are estimated.
 * @throws TabloomError `bad_request` for what it cannot do here, `provider_unavailable`, `content_blocked`
 */
export async function answerBuiltIn(
  api: BuiltInModel | undefined,
  request: ModelRequest,
  asked: Asked,
): Promise<Answer> {
  const refused = (message: string) => new TabloomError('bad_request', message);
  if (!api)
    throw refused(
      'This browser has no built-in model: use Chrome 148 or newer on a computer, or choose another model.',
    );
  if (request.tools?.length)
    throw refused('The model built into the browser calls no tools: choose another model for this agent.');
  const options: SessionOptions = asked.pictures ? { expectedInputs: [{ type: 'text' }, { type: 'image' }] } : {};
  const found = await api.availability(options);
  if (found === 'unavailable' && asked.pictures && (await api.availability({})) !== 'unavailable')
    throw noPictures(asked);
  if (found === 'unavailable')
    throw refused('The built-in model does not run on this computer (memory, disk or policy): choose another model.');
  if (found !== 'available') {
    throw new TabloomError(
      'provider_unavailable',
      found === 'downloading'
        ? 'The built-in model is still being downloaded by the browser: try again in a few minutes.'
        : 'The built-in model is not downloaded yet: press Download in its account in Settings, Models.',
    );
  }
  try {
    return await converse(api, request, options);
  } catch (error) {
    if (request.signal.aborted) throw error;
    throw builtInError(error);
  }
}

async function converse(api: BuiltInModel, request: ModelRequest, options: SessionOptions): Promise<Answer> {
  const { system = '', messages, schema, signal, onText } = request;
  const before: Prompt[] = [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...messages.slice(0, -1).map(promptOf),
  ];
  const session = await api.create({
    ...options,
    ...(await tuned(api, request)),
    ...(before.length > 0 ? { initialPrompts: before } : {}),
    signal,
  });
  try {
    const stream = session.promptStreaming(messages.slice(-1).map(promptOf), {
      ...(schema ? { responseConstraint: schema } : {}),
      signal,
    });
    let text = '';
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
      try {
        onText?.(value);
      } catch {
        // A view that fails must not fail the call.
      }
    }
    return { text, toolCalls: [], finish: { unified: 'stop', raw: undefined }, usage: undefined, warnings: [] };
  } finally {
    session.destroy();
  }
}

/** It takes a temperature only together with `topK`, and only where it says what it takes. */
async function tuned(api: BuiltInModel, { temperature }: ModelRequest): Promise<Tuning> {
  if (temperature === undefined) return {};
  const params = await api.params?.();
  return params ? { temperature: Math.min(temperature, params.maxTemperature), topK: params.defaultTopK } : {};
}

function promptOf(message: ModelMessage): Prompt {
  if (message.role === 'tool') return { role: 'user', content: message.answers.map(({ text }) => text).join('\n') };
  if (message.role === 'assistant' || !message.files?.length) return { role: message.role, content: message.content };
  return {
    role: 'user',
    content: [
      ...message.files.map(({ bytes, mediaType }) => ({
        type: 'image' as const,
        value: new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType }),
      })),
      { type: 'text' as const, value: message.content },
    ],
  };
}

function builtInError(error: unknown): unknown {
  const name = error instanceof Error ? error.name : '';
  const fail = (code: string, message: string) => new TabloomError(code, message);
  switch (name) {
    case 'QuotaExceededError':
      return fail(
        'bad_request',
        'The prompt is longer than the built-in model can read: send less, or choose another model.',
      );
    case 'NotReadableError':
      return fail(
        'content_blocked',
        'The browser kept the answer of its built-in model back: change the text that is sent.',
      );
    case 'NotAllowedError':
      return fail(
        'bad_request',
        'The browser does not allow its built-in model here (a setting or a policy): choose another model.',
      );
    case 'NotSupportedError':
    case 'SyntaxError':
    case 'TypeError':
      return fail(
        'bad_request',
        `The built-in model cannot do this (${(error as Error).message}): change the step, or choose another model.`,
      );
    default:
      return name === ''
        ? error
        : fail('provider_unavailable', `The built-in model failed (${name}): try again, or restart the browser.`);
  }
}
