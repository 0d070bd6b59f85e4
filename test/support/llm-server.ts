import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dialect, errorBodyOf, streamEvents, type WireAnswer, wholeBody } from './llm-wire.ts';

/** One scripted answer. Used in order; the last one repeats. */
export type LlmReply = {
  /** The server sends its first byte only when this is settled: slowness under the test's control. */
  hold?: Promise<unknown>;
  /** The first byte comes so many milliseconds after the request. */
  holdMs?: number;
} & (
  | ({ text: string } & Partial<WireAnswer> & {
        /** Break the connection after so many events of the stream, or so many bytes of a whole answer. */
        cutAfter?: number;
        /** End the stream properly after so many events, without the provider's own end. */
        endAfter?: number;
        /** Send the events of a stream evenly over so many milliseconds, as a slow model does. */
        overMs?: number;
        /** Answer in one piece also where a stream was asked for, as servers do that know no streams. */
        neverStream?: boolean;
      })
  | { status: number; headers?: Record<string, string>; message?: string; code?: string; body?: string }
  /** A body sent as it is, status 200. */
  | { raw: string; contentType?: string }
);

export interface LlmRequest {
  dialect: Dialect;
  /** When it was here in full, epoch milliseconds. */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: { model?: string; messages?: { role: string; content: unknown }[]; [key: string]: unknown };
}

export interface LlmServer {
  /** `http://127.0.0.1:<port>`; `/v1` (OpenAI, Anthropic) and `/v1beta` (Google) are below it. */
  url: string;
  requests: LlmRequest[];
  /** How many requests are open now, and the most that ever were. */
  open(): { now: number; most: number };
  /** Replaces the script. */
  script(...replies: LlmReply[]): void;
  /** Answers some requests before the script is looked at, and without using it up: for what the choice gives no reply the script holds. */
  choose(choice: (request: LlmRequest) => LlmReply | undefined): void;
  /** Has models of these names from now on, and says so where it is asked for them; until then it has no list. */
  offer(...names: string[]): void;
  /** Is gone: connections are cut, and new ones refused. */
  stop(): Promise<void>;
  /** Is there again, at the same address. */
  restart(): Promise<void>;
  /** From now on pages and extensions of any origin may ask, as hosted providers allow. */
  allowOrigins(): void;
  close(): Promise<void>;
}

/** Common faults by name. */
export const faults = {
  rateLimitedSeconds: (seconds: number): LlmReply => ({
    status: 429,
    headers: { 'retry-after': String(seconds) },
    code: 'rate_limit_error',
    message: 'Too many requests',
  }),
  rateLimitedDate: (date: string): LlmReply => ({
    status: 429,
    headers: { 'retry-after': date },
    code: 'rate_limit_error',
    message: 'Too many requests',
  }),
  serverError: (status: 500 | 502 | 503 | 529): LlmReply => ({
    status,
    code: 'server_error',
    message: 'Something went wrong',
  }),
  badKey: (): LlmReply => ({
    status: 401,
    code: 'invalid_api_key',
    message: 'Incorrect API key provided: sk-abc***wxyz',
  }),
  noCredit: (): LlmReply => ({ status: 402, code: 'payment_required', message: 'Add credits' }),
  badRequest: (): LlmReply => ({ status: 400, code: 'invalid_request_error', message: 'temperature: out of range' }),
  filtered: (): LlmReply => ({ text: '', finish: 'content_filter' }),
  empty: (): LlmReply => ({ text: '' }),
  truncated: (text: string): LlmReply => ({ text, finish: 'length' }),
  malformed: (): LlmReply => ({ raw: '{"id": "chatcmpl-1", "choices": [' }),
  prose: (): LlmReply => ({ text: 'Sure! This line looks fine to me.' }),
  wrongModel: (text: string, model: string): LlmReply => ({ text, model }),
};

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': '*, authorization',
  // For requests from a page of the internet to this machine.
  'access-control-allow-private-network': 'true',
};

/** A server that speaks the wire formats of OpenAI's chat completions and responses, Anthropic's messages and Google's generateContent. */
export async function startLlmServer(...first: LlmReply[]): Promise<LlmServer> {
  const requests: LlmRequest[] = [];
  let replies = first;
  let used = 0;
  let now = 0;
  let most = 0;
  let cors = false;
  let offered: string[] | undefined;
  let choice: (request: LlmRequest) => LlmReply | undefined = () => undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (cors) for (const [name, value] of Object.entries(CORS)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(cors ? 204 : 405).end();
    const path = request.url ?? '';
    const dialect = dialectOf(path);
    if (request.method === 'GET' && path.endsWith('/models')) {
      const rows = offered?.map((id) => (dialect === 'google' ? { name: `models/${id}` } : { id, object: 'model' }));
      response.writeHead(rows ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(dialect === 'google' ? { models: rows } : { object: 'list', data: rows }));
      return;
    }
    let raw = '';
    for await (const chunk of request) raw += chunk;
    const body = JSON.parse(raw || '{}') as LlmRequest['body'];
    const asked: LlmRequest = { dialect, at: Date.now(), path, headers: request.headers, body };
    requests.push(asked);
    const chosen = choice(asked);
    const reply = chosen ?? replies[Math.min(used, replies.length - 1)] ?? { text: 'ok' };
    if (!chosen) used += 1;
    now += 1;
    most = Math.max(most, now);
    response.on('close', () => {
      now -= 1;
    });
    await reply.hold;
    if (reply.holdMs !== undefined) await sleep(reply.holdMs);
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(
        reply.body ??
          JSON.stringify(errorBodyOf(dialect, reply.status, reply.message ?? 'refused', reply.code ?? 'error')),
      );
      return;
    }
    if ('raw' in reply) {
      response.writeHead(200, { 'content-type': reply.contentType ?? 'application/json' });
      response.end(reply.raw);
      return;
    }
    const answer: WireAnswer = {
      finish: 'stop',
      model: body.model ?? 'gemini-test',
      usage: { input: 11, output: 7 },
      ...reply,
    };
    const wantsStream = body.stream === true || path.includes('streamGenerateContent');
    if (wantsStream && !reply.neverStream)
      await stream(response, streamEvents(dialect, { ...answer, usage: usageAskedFor(dialect, body, answer) }), reply);
    else whole(response, JSON.stringify(wholeBody(dialect, answer)), reply);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    open: () => ({ now, most }),
    script(...next) {
      replies = next;
      used = 0;
    },
    allowOrigins() {
      cors = true;
    },
    offer(...names) {
      offered = names;
    },
    choose(next) {
      choice = next;
    },
    stop: close,
    restart: () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
    close,
  };
}

function whole(response: ServerResponse, text: string, reply: { cutAfter?: number }): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  if (reply.cutAfter === undefined) response.end(text);
  else response.write(text.slice(0, reply.cutAfter), () => response.destroy());
}

function dialectOf(path: string): Dialect {
  if (path.includes('/messages')) return 'anthropic';
  if (path.includes('/v1beta/')) return 'google';
  return path.includes('/responses') ? 'openai-responses' : 'openai';
}

/** OpenAI counts a stream's tokens only where it is asked to; the others always do. */
function usageAskedFor(dialect: Dialect, body: LlmRequest['body'], { usage }: WireAnswer): WireAnswer['usage'] {
  const options = body.stream_options as { include_usage?: boolean } | undefined;
  return dialect === 'openai' && options?.include_usage !== true ? null : usage;
}

async function stream(
  response: ServerResponse,
  events: string[],
  { cutAfter, endAfter, overMs }: { cutAfter?: number; endAfter?: number; overMs?: number },
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (cutAfter !== undefined) {
    response.write(events.slice(0, cutAfter).join(''), () => response.destroy());
    return;
  }
  if (overMs !== undefined) {
    for (const event of events) {
      if (response.destroyed) return;
      response.write(event);
      await sleep(overMs / events.length);
    }
    response.end();
    return;
  }
  response.end(events.slice(0, endAfter ?? events.length).join(''));
}
