import { TabloomError } from '../../model/errors.ts';
import type { ModelAccount } from '../../model/model-settings.ts';
import { type ErrorBody, errorBody, readErrorBody } from './body.ts';
import { isLocal } from './local.ts';

/** Who is asked, for messages; `key` only so that it can be taken out of them. */
export interface Asked {
  account: ModelAccount;
  modelId: string;
  /** Address of the API. */
  baseUrl: string;
  key?: string;
  /** Pictures go with this call. */
  pictures?: boolean;
}

const BLOCKED = new Set([
  'content_filter',
  'content_policy_violation',
  'moderation',
  'moderation_blocked',
  'responsibleaipolicyviolation',
]);
const BAD_KEY = new Set(['api_key_invalid', 'invalid_api_key', 'authentication_error', 'permission_error']);

/**
 * The error for an HTTP status (SPEC §4). The provider's own sentence is quoted, with the key taken out should it be in there.
 * @param waitMs what the headers asked to wait, if anything
 */
export function httpError(asked: Asked, status: number, body: ErrorBody, waitMs?: number): TabloomError {
  const { account } = asked;
  const who = `The model account "${account.id}"`;
  const said = body.text === '' ? '' : ` ("${scrub(body.text, asked.key)}")`;
  const fail = (code: string, message: string, more: { retryAfterMs?: number } = {}) =>
    new TabloomError(code, message, { details: { status }, ...more });
  const has = (set: Set<string>) => body.codes.some((code) => set.has(code));

  if (has(BLOCKED))
    return fail('content_blocked', `${who} refused the content of this call${said}: change the text that is sent.`);
  // OpenAI answers 429 also when the account has run dry; waiting does not help there.
  if (status === 402 || body.codes.includes('insufficient_quota')) {
    return fail(
      'quota_exceeded',
      `${who} has no credit left${said}: add credit at the provider or choose another model.`,
    );
  }
  if (status === 429) {
    const retryAfterMs = waitMs ?? body.retryAfterMs;
    return fail(
      'rate_limited',
      `${who} is asked too often${said}: wait a moment, or raise its limit at the provider.`,
      { retryAfterMs },
    );
  }
  if (status === 408 || status === 425 || status >= 500) {
    const wait = waitMs ?? body.retryAfterMs;
    return fail('provider_unavailable', `${who} is not available now, status ${status}${said}: try again later.`, {
      retryAfterMs: wait,
    });
  }
  if (status === 403 && isLocal(asked.baseUrl)) {
    return fail(
      'auth_failed',
      `The local model server at ${asked.baseUrl} refused this extension with 403${said}: allow its origin in the server's CORS setting ` +
        '(Ollama: start it with OLLAMA_ORIGINS=chrome-extension://*,moz-extension://*; LM Studio: switch "Enable CORS" on).',
    );
  }
  if (status === 401 || status === 403 || has(BAD_KEY)) {
    return fail(
      'auth_failed',
      `${who} refused its API key, status ${status}${said}: put a valid key with access to "${asked.modelId}" into Settings, Models.`,
    );
  }
  // OpenRouter says so with 404.
  if (asked.pictures && /image input/i.test(body.text)) return noPictures(asked, said);
  if (status === 404) {
    return fail(
      'bad_request',
      `${who} knows no model "${asked.modelId}" at ${asked.baseUrl}${said}: check the model's name and the address in Settings, Models.`,
    );
  }
  // The words of Ollama, LM Studio, vLLM and OpenRouter for a model that has no eyes.
  if (asked.pictures && /image|vision|multi-?modal|picture/i.test(body.text)) return noPictures(asked, said);
  return fail(
    'bad_request',
    `${who} refused the call, status ${status}${said}: correct the step or the model's settings.`,
  );
}

/** The error for a picture that is sent to a model which takes none. @param said the provider's own words, if there are any */
export function noPictures({ account, modelId }: Asked, said = ''): TabloomError {
  return new TabloomError(
    'bad_request',
    `The model "${modelId}" of the account "${account.id}" takes no pictures${said}: choose a model that does, or leave the picture out of "attachments".`,
  );
}

/** The error for a server that gave no answer, or broke off in the middle of one. */
export function networkError(asked: Asked, what: 'none' | 'broken'): TabloomError {
  if (what === 'broken') {
    return new TabloomError(
      'network',
      `The answer of the model account "${asked.account.id}" broke off: try again, or check the connection.`,
    );
  }
  const hint = isLocal(asked.baseUrl)
    ? 'start the local model server, and allow the extension in its CORS setting (Ollama: OLLAMA_ORIGINS)'
    : 'check the connection, and that the address in Settings, Models is right and may be reached';
  return new TabloomError('network', `No answer from ${asked.baseUrl}: ${hint}.`);
}

/** The error for an answer that is not what the API's format says. */
export function unreadable(asked: Asked): TabloomError {
  return new TabloomError(
    'provider_unavailable',
    `The model account "${asked.account.id}" sent an answer that cannot be read: try again; if it stays so, check that ${asked.baseUrl} is the address of its API.`,
  );
}

/** The error that a stream carried as one of its events. */
export function streamError(asked: Asked, error: unknown): TabloomError {
  if (TabloomError.is(error)) return error;
  // The package for compatible servers says so of a stream that ended before its end; no provider sent an error then.
  if (error instanceof Error && error.name === 'AI_InvalidResponseDataError' && !('data' in error && error.data))
    return networkError(asked, 'broken');
  const body = errorBody(providerError(error));
  return httpError(asked, statusOf(body), body);
}

/** The HTTP status that an error stands for which came with status 200: its own, or what its codes mean. */
function statusOf({ status, codes }: ErrorBody): number {
  if (status !== undefined) return status;
  const code = codes.join(' ');
  if (/rate_?limit|resource_exhausted/.test(code)) return 429;
  if (/authentication|permission|invalid_api_key/.test(code)) return 401;
  return /invalid_request|invalid_argument/.test(code) ? 400 : 503;
}

/**
 * Whatever a provider package threw, as one of ours. Errors are told by name, not class, since packages carry their own copies.
 * @param answered the server had sent an answer with a good status
 */
export function thrownError(asked: Asked, error: unknown, answered: boolean): unknown {
  if (TabloomError.is(error)) return error;
  if (answered) {
    const body = readErrorBody(bodyOf(error) ?? '{}');
    if (body.status !== undefined || body.codes.length > 0) return httpError(asked, statusOf(body), body);
    return brokeOff(error) ? networkError(asked, 'broken') : unreadable(asked);
  }
  if (error instanceof Error && error.name.startsWith('AI_')) {
    return new TabloomError(
      'bad_request',
      `The call cannot be made for model "${asked.modelId}" (${scrub(error.message, asked.key)}): correct the step.`,
    );
  }
  return error;
}

/** Takes the key out of a text, and what looks like part of one: providers like to quote the key that they refuse. */
export function scrub(text: string, key: string | undefined): string {
  const clean = key === undefined || key === '' ? text : text.replaceAll(key, '[key]');
  return clean.replace(/\b(?:(?:sk|pk|gsk|xai)[-_]|AIza)[-_*.A-Za-z0-9]{6,}/g, '[key]');
}

function bodyOf(error: unknown): string | undefined {
  const body = error instanceof Error && 'responseBody' in error ? error.responseBody : undefined;
  return typeof body === 'string' && body !== '' ? body : undefined;
}

/** The body ended early: then the package wraps what `fetch` threw while reading, and there is no body to look at. */
function brokeOff(error: unknown): boolean {
  return (
    error instanceof TypeError ||
    (error instanceof Error &&
      error.name === 'AI_APICallError' &&
      error.cause instanceof TypeError &&
      bodyOf(error) === undefined)
  );
}

/** Stream errors come as the provider's own object, or as an `Error` that holds it in `data` or only a message. */
function providerError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if ('data' in error && error.data !== undefined) return error.data;
  return bodyOf(error) === undefined ? { message: error.message } : JSON.parse(bodyOf(error) ?? '{}');
}
