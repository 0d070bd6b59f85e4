import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { TabloomError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { chooseModel, type ModelChoice } from '../../model/model-choice.ts';
import { listedModel, priceOf } from '../../model/model-prices.ts';
import { type ModelAccount, type ModelSettings, modelKeyName } from '../../model/model-settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelPort, ModelReply, ModelRequest } from '../../ports/model.ts';
import type { SecretVault } from '../../ports/store.ts';
import { type Answer, answerStreamed, answerWhole, finishWord, saidIn } from './answer.ts';
import { answerBuiltIn, type BuiltInModel, builtInModel } from './built-in.ts';
import { type Asked, noPictures, thrownError } from './errors.ts';
import { hintsOf, withCacheMarks } from './hints.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import { promptOf, toolsOf } from './prompt.ts';
import { providerFetch } from './provider-fetch.ts';
import { baseUrlOf, languageModel, needsKey } from './providers.ts';
import { formatOptions, refusesFormat } from './response-format.ts';
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
  /** The browser's own model, where there is one; found by itself unless given. */
  builtIn?: () => BuiltInModel | undefined;
  /** For tests and for runtimes with another `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/**
 * Hosted models through the AI SDK's provider packages. Runs in an extension's service worker and under Node alike. One call is one
 * request (see `formatted` for the one exception): nothing is retried here, nothing is logged, and nobody but the chosen provider hears of it. Answers are asked for as a stream
 * unless the account says otherwise: a connection with bytes on it is not cut by proxies that give up on silent ones, and a server that
 * dies in mid-answer is seen at once.
 */
export function createModelPort(options: ModelPortOptions): ModelPort {
  const refused = new Set<string>();
  const limiter = options.limits?.limiter ?? createLimiter(options.limits?.perAccount ?? 10);

  return {
    async generate(request) {
      const choice = chooseModel(options.settings(), request.model);
      if (!choice) throw unknownModel(request.model);
      const release = await enter(limiter, choice.account.id, request);
      try {
        return await formatted(refused, choice, request, (inWords) => call(options, choice, request, inWords));
      } finally {
        release();
      }
    },

    async configured(model) {
      const choice = chooseModel(options.settings(), model);
      if (!choice) return false;
      if (choice.account.provider === 'browser') return (options.builtIn ?? builtInModel)() !== undefined;
      if (baseUrlOf(choice.account) === '') return false;
      return !needsKey(choice.account) || (await keyOf(options.vault, choice)) !== undefined;
    },

    price(model) {
      const settings = options.settings();
      const choice = chooseModel(settings, model);
      return choice && priceOf(settings, choice);
    },
  };
}

/** Most calls of which it is remembered that their format was refused. */
const REMEMBERED = 100;

/**
 * Makes a call, and makes it again where the server refuses the way in which it asks for JSON: in words then, and from then on at once. A
 * refused call has cost nothing, and a model that can answer in JSON only when it is told to is still of use.
 */
async function formatted(
  refused: Set<string>,
  { account, modelId }: ModelChoice,
  { schema, signal }: ModelRequest,
  ask: (inWords: boolean) => Promise<ModelReply>,
): Promise<ModelReply> {
  if (!schema) return ask(false);
  const key = JSON.stringify([account.id, baseUrlOf(account), modelId, schema]);
  if (refused.has(key)) return ask(true);
  try {
    return await ask(false);
  } catch (error) {
    if (signal.aborted || !refusesFormat(error)) throw error;
    if (refused.size >= REMEMBERED) refused.clear();
    refused.add(key);
    return ask(true);
  }
}

async function call(
  options: ModelPortOptions,
  choice: ModelChoice,
  request: ModelRequest,
  inWords: boolean,
): Promise<ModelReply> {
  const { account, modelId } = choice;
  const key = await keyOf(options.vault, choice);
  const pictures = request.messages.some((one) => one.role === 'user' && (one.files ?? []).length > 0);
  const asked: Asked = {
    account,
    modelId,
    baseUrl: baseUrlOf(account),
    ...(key === undefined ? {} : { key }),
    ...(pictures ? { pictures } : {}),
  };
  if (account.provider !== 'browser') checkAccount(asked);
  if (pictures && listedModel(choice)?.pictures === false) throw noPictures(asked);
  if (account.provider === 'browser') return builtIn(options, choice, request, asked);
  const streamed = account.stream !== false;
  const wire = providerFetch(asked, options.clock, options.fetch ?? globalThis.fetch.bind(globalThis), streamed);
  const modelOver = (fetch: typeof globalThis.fetch) => languageModel(account, modelId, key, fetch);
  try {
    const sent = callOptions(request, account, inWords);
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
    return replyOf(options, choice, request, answer);
  } catch (error) {
    if (request.signal.aborted) throw stopped(request.signal);
    throw thrownError(asked, error, wire.answered());
  }
}

async function builtIn(
  options: ModelPortOptions,
  choice: ModelChoice,
  request: ModelRequest,
  asked: Asked,
): Promise<ModelReply> {
  try {
    const answer = await answerBuiltIn((options.builtIn ?? builtInModel)(), request, asked);
    return replyOf(options, choice, request, answer);
  } catch (error) {
    if (request.signal.aborted) throw stopped(request.signal);
    throw error;
  }
}

function replyOf(options: ModelPortOptions, choice: ModelChoice, request: ModelRequest, answer: Answer): ModelReply {
  const { account, modelId } = choice;
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
}

function callOptions(request: ModelRequest, account: ModelAccount, inWords: boolean): LanguageModelV4CallOptions {
  const format = formatOptions(request.schema, inWords);
  const system = [request.system, format.instruction].filter((part) => part !== undefined && part !== '').join('\n\n');
  const prompt = promptOf(system, request.messages);
  const hints = hintsOf(account, request);
  const providerOptions = { ...format.providerOptions, ...hints };
  if (hints.openai) providerOptions.openai = { ...format.providerOptions?.openai, ...hints.openai };
  return {
    prompt: account.provider === 'anthropic' ? withCacheMarks(prompt) : prompt,
    ...(request.tools?.length ? { tools: toolsOf(request.tools) } : {}),
    maxOutputTokens: request.maxTokens,
    abortSignal: request.signal,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(format.responseFormat ? { responseFormat: format.responseFormat } : {}),
    ...(Object.keys(providerOptions).length > 0 ? { providerOptions } : {}),
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
