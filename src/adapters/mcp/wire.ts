import { TabloomError } from '../../model/errors.ts';
import { httpErrorCode } from '../../model/http-status.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { McpServer } from '../../model/mcp-settings.ts';
import { retryAfterMs } from '../llm/retry-after.ts';

/** Longest answer that is read, in characters; a step's output may be 1 MiB. */
const MAX_ANSWER = 16 * 1_048_576;

/** A JSON-RPC message, as far as we look at it. */
export interface Message {
  id?: Json;
  method?: string;
  result?: Json;
  error?: { code: number; message: string };
}

/** What came for one POST: the answer to our request, and whatever the server sent before it. */
export interface Answered {
  headers: Headers;
  /** `undefined` for a notification that was taken. */
  answer?: Message;
}

/** One POST of a client. */
export interface Post {
  server: McpServer;
  headers: Record<string, string>;
  body: JsonObject;
  signal: AbortSignal | undefined;
  now: number;
  fetch: typeof globalThis.fetch;
  /** Called for requests that the server makes on the stream, which the server waits for. */
  asked?(id: Json, method: string): void;
}

/** The server does not know our session any more; nothing was done. */
export class SessionGone extends Error {
  override readonly name = 'SessionGone';
}

/**
 * Sends one message and reads what comes back, as JSON or as a stream of events. Sends no cookies and follows no redirect.
 * @throws TabloomError with `acted: false` where the message was not taken; `SessionGone` for 404 within a session
 */
export async function post({ server, headers, body, signal, now, fetch, asked }: Post): Promise<Answered> {
  let response: Response;
  try {
    response = await fetch(server.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw noAnswer(server, error);
  }
  if (!response.ok) {
    const text = await response.text().catch(() => '');
    if (response.status === 404 && headers['mcp-session-id'] !== undefined) throw new SessionGone();
    // A refusal may be a proper answer of the protocol, with a status of its own.
    const told = messageIn(text, body.id);
    if (told?.error && response.status === 400) return { headers: response.headers, answer: told };
    throw refused(server, response, now);
  }
  if (body.id === undefined) {
    await response.body?.cancel().catch(() => undefined);
    return { headers: response.headers };
  }
  const answer = /^\s*text\/event-stream\s*(;|$)/i.test(response.headers.get('content-type') ?? '')
    ? await fromStream(server, response, body.id, signal, asked)
    : messageIn(await whole(server, response, signal), body.id);
  if (!answer) throw unreadable(server);
  return { headers: response.headers, answer };
}

async function whole(server: McpServer, response: Response, signal: AbortSignal | undefined): Promise<string> {
  let text = '';
  for await (const piece of pieces(server, response, signal)) text += piece;
  return text;
}

/** Reads events until our answer is among them, and then no further. */
async function fromStream(
  server: McpServer,
  response: Response,
  id: Json,
  signal: AbortSignal | undefined,
  asked: Post['asked'],
): Promise<Message | undefined> {
  let rest = '';
  let data: string[] = [];
  for await (const piece of pieces(server, response, signal)) {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line !== '' || data.length === 0) continue;
      const message = parsed(data.join('\n'));
      data = [];
      if (message?.method !== undefined && message.id !== undefined) asked?.(message.id, message.method);
      else if (message && message.id === id) return message;
    }
  }
  throw lost(server);
}

/** The body as text, piece by piece. What is not read to its end is given up. @throws TabloomError `network` when it breaks off */
async function* pieces(server: McpServer, response: Response, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const reader = response.body
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let size = 0;
  try {
    for (;;) {
      const next = await reader?.read().catch(() => {
        signal?.throwIfAborted();
        throw lost(server);
      });
      if (!next || next.done) return;
      size += next.value.length;
      if (size > MAX_ANSWER) {
        const message = `The MCP server "${server.name}" sent more than ${MAX_ANSWER / 1_048_576} Mi characters: ask it for less.`;
        throw new TabloomError('output_too_large', message, { acted: true });
      }
      yield next.value;
    }
  } finally {
    await reader?.cancel().catch(() => undefined);
  }
}

function messageIn(text: string, id: Json | undefined): Message | undefined {
  const message = parsed(text);
  return message && (message.id === id || (message.error && (message.id ?? null) === null)) ? message : undefined;
}

function parsed(text: string): Message | undefined {
  try {
    const value = JSON.parse(text) as Json;
    const first = Array.isArray(value) ? value[0] : value;
    return isObject(first) ? (first as unknown as Message) : undefined;
  } catch {
    return undefined;
  }
}

/** Node says that nobody listens; a browser keeps to itself whether anything was delivered. */
function noAnswer(server: McpServer, error: unknown): TabloomError {
  const cause = error instanceof Error ? error.cause : undefined;
  const refusedIt = isObject(cause as Json) && (cause as unknown as { code?: string }).code === 'ECONNREFUSED';
  return new TabloomError(
    'network',
    `No answer from the MCP server "${server.name}": see that it runs, and that Tabloom may reach its site (Settings, MCP servers).`,
    refusedIt ? { acted: false } : {},
  );
}

function lost(server: McpServer): TabloomError {
  return new TabloomError('network', `The answer of the MCP server "${server.name}" broke off: check the connection.`);
}

/** An answer that is not what the protocol says. */
export function unreadable({ name }: McpServer): TabloomError {
  return new TabloomError(
    'mcp_unavailable',
    `The MCP server "${name}" sent what is no answer of the protocol: check that its address in Settings is that of a Streamable HTTP endpoint.`,
  );
}

function refused({ name }: McpServer, { status, headers }: Response, now: number): TabloomError {
  const known = httpErrorCode(status);
  const code = known === 'provider_unavailable' ? 'mcp_unavailable' : known;
  const what =
    code === 'auth_failed'
      ? 'it asks for a sign-in that this version cannot give, or does not take calls from extensions'
      : code === 'rate_limited'
        ? 'it is asked too often, so wait a moment'
        : status === 404 || status === 405
          ? 'there is no such endpoint, so check its address in Settings'
          : 'try again later';
  const wait = retryAfterMs(headers, now);
  return new TabloomError(code, `The MCP server "${name}" refused the call with status ${status}: ${what}.`, {
    details: { status },
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    // A server that fails may have done it before it failed.
    ...(code === 'mcp_unavailable' ? {} : { acted: false }),
  });
}
