import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { McpServer } from '../../model/mcp-settings.ts';
import { type Answered, type Message, post, SessionGone, unreadable } from './wire.ts';

/** Revisions that begin with a handshake, the newest first; servers answer with one that they speak. */
const WITH_HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** The revision that has none: each request says all about itself. */
const STATELESS = '2026-07-28';
const META = 'io.modelcontextprotocol/';

const METHOD_UNKNOWN = -32601;
const VERSION_UNKNOWN = -32022;

export interface SessionOptions {
  server: McpServer;
  /** What the client says of itself. */
  client: { name: string; version: string };
  now(): number;
  fetch: typeof globalThis.fetch;
}

/** How a server is spoken to, once that is known. */
type Spoken = { stateless: true } | { stateless: false; version: string; sessionId?: string };

/** Speaks to one server over Streamable HTTP. Shakes hands when that is needed, and again when the server has forgotten us. */
export class McpSession {
  readonly #options: SessionOptions;
  #spoken: Promise<Spoken> | undefined;
  #next = 1;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * One request, answered.
   * @throws TabloomError `mcp_unavailable`, `network`, `auth_failed`, `rate_limited`; `bad_request` for what the server will not take,
   * `mcp_tool_error` for what failed inside it
   */
  async request(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject> {
    const spoken = await this.#speak();
    signal?.throwIfAborted();
    try {
      return this.#resultOf(await this.#send(spoken, method, params, signal));
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error;
      // It was not taken: a new session may ask once more.
      this.#spoken = undefined;
      const again = await this.#speak();
      return this.#resultOf(
        await this.#send(again, method, params, signal).catch((second: unknown) => {
          throw second instanceof SessionGone ? unreadable(this.#options.server) : second;
        }),
      );
    }
  }

  /** One handshake for all who ask at the same time; one that fails is tried again by the next. */
  #speak(): Promise<Spoken> {
    this.#spoken ??= this.#begin().catch((error: unknown) => {
      this.#spoken = undefined;
      throw error;
    });
    return this.#spoken;
  }

  async #begin(): Promise<Spoken> {
    const { server, client } = this.#options;
    const params = { protocolVersion: WITH_HANDSHAKE[0] as string, capabilities: {}, clientInfo: client };
    let first: Answered;
    try {
      first = await this.#post('initialize', params, {}, undefined);
    } catch (error) {
      throw notDelivered(error);
    }
    const { error, result } = first.answer ?? {};
    if (error && (error.code === METHOD_UNKNOWN || error.code === VERSION_UNKNOWN)) return { stateless: true };
    const version = isObject(result) ? result.protocolVersion : undefined;
    if (typeof version !== 'string') throw unreadable(server);
    if (!WITH_HANDSHAKE.includes(version)) {
      const message = `The MCP server "${server.name}" speaks revision ${version.slice(0, 40)} of the protocol, which Tabloom does not.`;
      throw new TabloomError('mcp_unavailable', message, { acted: false });
    }
    const sessionId = first.headers.get('mcp-session-id') ?? undefined;
    const spoken: Spoken = { stateless: false, version, ...(sessionId === undefined ? {} : { sessionId }) };
    await this.#notify(spoken, 'notifications/initialized', {}).catch((failed: unknown) => {
      throw notDelivered(failed);
    });
    return spoken;
  }

  async #send(spoken: Spoken, method: string, params: JsonObject, signal: AbortSignal | undefined): Promise<Message> {
    const { server, client } = this.#options;
    if (!spoken.stateless) {
      const id = this.#next;
      try {
        return (await this.#post(method, params, headersOf(spoken), signal, spoken)).answer ?? {};
      } finally {
        if (signal?.aborted)
          void this.#notify(spoken, 'notifications/cancelled', { requestId: id }).catch(() => undefined);
      }
    }
    const meta = {
      [`${META}protocolVersion`]: STATELESS,
      [`${META}clientInfo`]: client,
      [`${META}clientCapabilities`]: {},
    };
    const own = isObject(params._meta) ? params._meta : {};
    const headers: Record<string, string> = { 'mcp-protocol-version': STATELESS, 'mcp-method': method };
    if (typeof params.name === 'string') headers['mcp-name'] = params.name;
    const { answer = {} } = await this.#post(method, { ...params, _meta: { ...own, ...meta } }, headers, signal);
    if (isObject(answer.result) && answer.result.resultType === 'input_required') {
      const message = `The MCP server "${server.name}" wants to ask a person in between, which this version cannot do.`;
      throw new TabloomError('mcp_tool_error', message);
    }
    return answer;
  }

  #post(
    method: string,
    params: JsonObject,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
    spoken?: Spoken,
  ): Promise<Answered> {
    const { server, fetch } = this.#options;
    const body = { jsonrpc: '2.0', id: this.#next++, method, params };
    const asked =
      spoken && ((id: Json, wanted: string) => void this.#answer(spoken, id, wanted).catch(() => undefined));
    return post({ server, headers, body, signal, now: this.#options.now(), fetch, ...(asked ? { asked } : {}) });
  }

  /** What a server may ask of us: whether we are there. Everything else we have said that we cannot do. */
  async #answer(spoken: Spoken, id: Json, method: string): Promise<void> {
    const { server, fetch } = this.#options;
    const content: JsonObject =
      method === 'ping' ? { result: {} } : { error: { code: METHOD_UNKNOWN, message: 'Not supported.' } };
    const sent: JsonObject = { jsonrpc: '2.0', id, ...content };
    const headers = { 'content-type': 'application/json', ...headersOf(spoken) };
    await fetch(server.url, {
      method: 'POST',
      headers,
      body: JSON.stringify(sent),
      credentials: 'omit',
      redirect: 'error',
    });
  }

  async #notify(spoken: Spoken, method: string, params: JsonObject): Promise<void> {
    const { server, fetch } = this.#options;
    const body = { jsonrpc: '2.0', method, params };
    await post({ server, headers: headersOf(spoken), body, signal: undefined, now: this.#options.now(), fetch });
  }

  #resultOf({ error, result }: Message): JsonObject {
    const { name } = this.#options.server;
    if (error) {
      // The codes of JSON-RPC for what was not even begun.
      const before = error.code <= -32600 && error.code >= -32602;
      const said = String(error.message ?? '').slice(0, 300);
      throw new TabloomError(
        before ? 'bad_request' : 'mcp_tool_error',
        `The MCP server "${name}" answered with an error (${said || error.code}): correct the call, or try again later.`,
        before ? { acted: false } : {},
      );
    }
    if (!isObject(result)) throw unreadable(this.#options.server);
    return result;
  }
}

function headersOf(spoken: Spoken): Record<string, string> {
  if (spoken.stateless) return {};
  const { version, sessionId } = spoken;
  return { 'mcp-protocol-version': version, ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }) };
}

/** A handshake that failed: the call that it was for was never sent. */
function notDelivered(error: unknown): unknown {
  if (error instanceof SessionGone || !TabloomError.is(error)) return error;
  const { code, message, ...more } = error.info;
  return new TabloomError(code, message, { ...more, acted: false });
}
