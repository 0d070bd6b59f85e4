import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { TabloomError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { type ModelSettings, modelKeyName } from '../../model/model-settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelPort, ModelReply, ModelRequest } from '../../ports/model.ts';
import type { SecretVault } from '../../ports/store.ts';
import { answerStreamed, answerWhole, finishWord, saidIn } from './answer.ts';
import { type Asked, thrownError } from './errors.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { chooseModel, type ModelChoice } from './names.ts';
import { priceOf } from './prices.ts';
import { promptOf, toolsOf } from './prompt.ts';
import { providerFetch } from './provider-fetch.ts';
import { baseUrlOf, languageModel, needsKey } from './providers.ts';
import { formatOptions } from './response-format.ts';
import { usageOf } from './usage.ts';

export interface ModelPortOptions {
  /** Asked at each call, so that a change in the settings holds for the next one. */
  settings: () => ModelSettings;
  /** Holds the keys, under `model:<account>`. */
  vault: Pick<SecretVault, 'reveal'>;
  clock: Pick<Clock, 'now'>;
  limits?: {
    /** Calls at once per account; 10 unless told (SPEC §6). */
    perAccount?: number;
    /** Another limiter than the built-in one. When it fails, calls go through unlimited. */
    limiter?: Limiter;
  };
  /** For tests and for runtimes with another `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/**
 * Hosted models through the AI SDK's provider packages. Runs in an extension's service worker and under Node alike. One call is one
 * request: nothing is retried here, nothing is logged, and nobody but the chosen provider hears of it. Answers are asked for as a stream
 * unless the account says otherwise: a connection with bytes on it is not cut by proxies that give up on silent ones, and a server that
 * dies in mid-answer is seen at once.
 */
export function createModelPort(options: ModelPortOptions): ModelPort {
  const limiter = options.limits?.limiter ?? createLimiter(options.limits?.perAccount ?? 10);

  return {
    async generate(request) {
      const choice = chooseModel(options.settings(), request.model);
      if (!choice) throw unknownModel(request.model);
      const release = await enter(limiter, choice.account.id, request);
      try {
        return await call(options, choice, request);
      } finally {
        release();
      }
    },

    async configured(model) {
      const choice = chooseModel(options.settings(), model);
      if (!choice || baseUrlOf(choice.account) === '') return false;
      return !needsKey(choice.account) || (await keyOf(options.vault, choice)) !== undefined;
    },

    price(model) {
      const settings = options.settings();
      const choice = chooseModel(settings, model);
      return choice && priceOf(settings, choice);
    },
  };
}

async function call(options: ModelPortOptions, choice: ModelChoice, request: ModelRequest): Promise<ModelReply> {
  const { account, modelId } = choice;
  const key = await keyOf(options.vault, choice);
  const asked: Asked = { account, modelId, baseUrl: baseUrlOf(account), ...(key === undefined ? {} : { key }) };
  checkAccount(asked);
  const streamed = account.stream !== false;
  const wire = providerFetch(asked, options.clock, options.fetch ?? globalThis.fetch.bind(globalThis), streamed);
  const modelOver = (fetch: typeof globalThis.fetch) => languageModel(account, modelId, key, fetch);
  try {
    const sent = callOptions(request);
    const answer = streamed
      ? await answerStreamed(modelOver(wire.fetch), sent, asked, request.onText).catch((error: unknown) => {
          const whole = wire.inOnePiece();
          if (!whole) throw error;
          return answerWhole(
            modelOver(async () => whole),
            sent,
            asked,
          );
        })
      : await answerWhole(modelOver(wire.fetch), sent, asked);
    const meta: Json = {
      account: account.id,
      asked: modelId,
      warnings: answer.warnings.map((one) => JSON.parse(JSON.stringify(one)) as Json),
    };
    return {
      text: answer.text,
      ...(answer.toolCalls.length > 0 ? { toolCalls: answer.toolCalls } : {}),
      usage: usageOf(answer.usage, request, saidIn(answer), priceOf(options.settings(), choice)),
      model: `${account.provider}:${answer.modelId || modelId}`,
      finish: finishWord(answer.finish),
      meta,
    };
  } catch (error) {
    if (request.signal.aborted) throw stopped(request.signal);
    throw thrownError(asked, error, wire.answered());
  }
}

function callOptions(request: ModelRequest): LanguageModelV4CallOptions {
  const format = formatOptions(request.schema);
  const system = [request.system, format.instruction].filter((part) => part !== undefined && part !== '').join('\n\n');
  return {
    prompt: promptOf(system, request.messages),
    ...(request.tools?.length ? { tools: toolsOf(request.tools) } : {}),
    maxOutputTokens: request.maxTokens,
    abortSignal: request.signal,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(format.responseFormat ? { responseFormat: format.responseFormat } : {}),
    ...(format.providerOptions ? { providerOptions: format.providerOptions } : {}),
  };
}

/** Waits for a place. A limiter that fails never stops a run (SPEC §6): the call then goes through without one. */
async function enter(limiter: Limiter, account: string, request: ModelRequest): Promise<() => void> {
  try {
    const release = await limiter.acquire(account, request.call.runId, request.signal);
    return () => {
      try {
        release();
      } catch {
        // see above
      }
    };
  } catch {
    if (request.signal.aborted) throw stopped(request.signal);
    return () => undefined;
  }
}

async function keyOf(vault: Pick<SecretVault, 'reveal'>, choice: ModelChoice): Promise<string | undefined> {
  const key = (await vault.reveal(modelKeyName(choice.account.id)))?.trim();
  return key === '' ? undefined : key;
}

/** Refuses before anything is sent what the account's settings make impossible. */
function checkAccount({ account, key, baseUrl }: Asked): void {
  if (baseUrl === '') {
    throw new TabloomError(
      'bad_request',
      `The model account "${account.id}" has no address: give its base URL in Settings, Models.`,
    );
  }
  if (key === undefined && needsKey(account)) {
    throw new TabloomError(
      'auth_failed',
      `The model account "${account.id}" has no API key: add one in Settings, Models.`,
    );
  }
  // A header cannot hold it, and the runtime's own error would quote the key.
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new TabloomError(
      'auth_failed',
      `The API key of the model account "${account.id}" holds characters that no key has: paste it again in Settings, Models.`,
    );
  }
}

function unknownModel(name: string | undefined): TabloomError {
  return new TabloomError(
    'bad_request',
    name === undefined
      ? 'No model is set up: add an account and a default model in Settings, Models.'
      : `No model is set up under the name "${name}": add the name or its account in Settings, Models.`,
  );
}

/** The signal's own reason where it is one of our errors (a timeout, a cancellation), else `cancelled`. */
function stopped(signal: AbortSignal): TabloomError {
  return TabloomError.is(signal.reason)
    ? signal.reason
    : new TabloomError('cancelled', 'The model call was stopped before it was answered.');
}
