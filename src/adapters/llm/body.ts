import { isObject } from '../../model/json.ts';

/** What can be learnt from the body of a refusal, whichever provider wrote it. */
export interface ErrorBody {
  /** The provider's own sentence, on one line. */
  text: string;
  /** All its codes, types and reasons, lower case. */
  codes: string[];
  /** A status inside the body, for servers that answer 200 with an error in it (OpenRouter does). */
  status?: number;
  /** Milliseconds to wait, where the body says so (Google's `RetryInfo`). */
  retryAfterMs?: number;
}

const MAX_TEXT = 300;

/**
 * Reads an error body: OpenAI, Anthropic and Google put an object at `error` (Google sometimes in a list), Ollama a string; others
 * only `message` or `detail`. What is no JSON is taken as text, markup as nothing.
 */
export function readErrorBody(raw: string): ErrorBody {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return { text: raw.trimStart().startsWith('<') ? '' : oneLine(raw), codes: [] };
  }
  return errorBody(value);
}

/** As `readErrorBody`, for a value that is parsed already. */
export function errorBody(value: unknown): ErrorBody {
  const outer = Array.isArray(value) ? value[0] : value;
  if (!isObject(outer)) return { text: typeof outer === 'string' ? oneLine(outer) : '', codes: [] };
  const error = isObject(outer.error) ? outer.error : outer;
  const message = [error.message, outer.error, outer.message, outer.detail].find((one) => typeof one === 'string');
  const codes = [error.code, error.type, error.status];
  const body: ErrorBody = { text: typeof message === 'string' ? oneLine(message) : '', codes: [] };
  if (typeof error.code === 'number' && error.code >= 400 && error.code < 600) body.status = error.code;
  if (isObject(error.innererror)) codes.push(error.innererror.code);
  if (isObject(error.metadata) && Array.isArray(error.metadata.reasons)) codes.push('moderation');
  for (const detail of Array.isArray(error.details) ? error.details : []) {
    if (!isObject(detail)) continue;
    codes.push(detail.reason);
    const delay = /^(\d+(?:\.\d+)?)s$/.exec(typeof detail.retryDelay === 'string' ? detail.retryDelay : '');
    if (delay) body.retryAfterMs = Math.ceil(Number(delay[1]) * 1000);
  }
  body.codes = codes.filter((one) => typeof one === 'string').map((one) => one.toLowerCase());
  return body;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}
