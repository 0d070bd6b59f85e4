import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '../../src/model/json.ts';

export interface McpRequest {
  headers: IncomingHttpHeaders;
  body: { id?: Json; method?: string; params?: JsonObject; result?: Json; error?: Json };
}

export interface McpServerOptions {
  /** Answers come as a stream of events, with a notification and a `ping` before. */
  events?: boolean;
  /** Gives out session ids, and wants them back. */
  sessions?: boolean;
  /** The revision that it says it speaks; it takes whatever it is asked for unless given. */
  version?: string;
  /** Speaks only the revision without a handshake. */
  stateless?: boolean;
  /** Tools on one page of a list. */
  page?: number;
  tools?: JsonObject[];
}

export interface TestMcpServer {
  url: string;
  requests: McpRequest[];
  /** Methods that were asked for, in order. */
  methods(): string[];
  /** Answers the next calls of a tool: a result, an error of the protocol, a status of HTTP, or nothing until the connection is cut. */
  script(...answers: Scripted[]): void;
  /** Knows no session any more. */
  forget(): void;
  close(): Promise<void>;
}

export type Scripted =
  | { result: JsonObject }
  | { error: { code: number; message: string } }
  | { status: number; headers?: Record<string, string> }
  | { cut: 'before' | 'within' }
  | { raw: string; type?: string }
  | { hold: Promise<unknown>; result: JsonObject };

const TOOLS: JsonObject[] = [
  {
    name: 'find',
    description: 'Finds a customer.',
    inputSchema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    annotations: { readOnlyHint: true },
  },
  { name: 'send', inputSchema: { type: 'object' } },
  { name: 'set', inputSchema: { type: 'object' }, annotations: { idempotentHint: true, title: 'Set' } },
];

/** A server that speaks the Model Context Protocol over Streamable HTTP, as its revisions describe it. */
export async function startMcpServer(options: McpServerOptions = {}): Promise<TestMcpServer> {
  const requests: McpRequest[] = [];
  const sessions = new Set<string>();
  let scripted: Scripted[] = [];
  let made = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let raw = '';
    for await (const chunk of request) raw += chunk;
    const body = JSON.parse(raw) as McpRequest['body'];
    requests.push({ headers: request.headers, body });
    const { id, method, params = {} } = body;
    const fail = (status: number) => void response.writeHead(status).end();
    const wrong = (code: number, message: string, status = 200) =>
      reply(response, { jsonrpc: '2.0', id: id ?? null, error: { code, message } }, status);
    const accept = request.headers.accept ?? '';
    if (method !== undefined && !(accept.includes('application/json') && accept.includes('text/event-stream')))
      return fail(406);
    if (options.stateless) {
      if (method === 'initialize') return wrong(-32022, 'Unsupported protocol version', 400);
      const meta = (params._meta ?? {}) as JsonObject;
      const said = meta['io.modelcontextprotocol/protocolVersion'];
      const named = method !== 'tools/call' || request.headers['mcp-name'] === params.name;
      if (said !== '2026-07-28' || request.headers['mcp-protocol-version'] !== said)
        return wrong(-32020, 'mismatch', 400);
      if (request.headers['mcp-method'] !== method || !named) return wrong(-32020, 'mismatch', 400);
      if (meta['io.modelcontextprotocol/clientInfo'] === undefined) return wrong(-32602, 'no clientInfo', 400);
      if (meta['io.modelcontextprotocol/clientCapabilities'] === undefined)
        return wrong(-32602, 'no capabilities', 400);
    } else if (method === 'initialize') {
      const headers: Record<string, string> = {};
      if (options.sessions) {
        made += 1;
        sessions.add(`s${made}`);
        headers['mcp-session-id'] = `s${made}`;
      }
      const protocolVersion = options.version ?? params.protocolVersion ?? '';
      return send(
        response,
        id,
        { protocolVersion, capabilities: {}, serverInfo: { name: 't', version: '1' } },
        headers,
      );
    } else {
      if (options.sessions && !sessions.has(String(request.headers['mcp-session-id']))) return fail(404);
      if (request.headers['mcp-protocol-version'] === undefined) return fail(400);
    }
    if (id === undefined || method === undefined) return fail(202);
    if (method === 'tools/list') {
      const all = options.tools ?? TOOLS;
      const from = Number(params.cursor ?? 0);
      const to = from + (options.page ?? all.length);
      return send(response, id, { tools: all.slice(from, to), ...(to < all.length ? { nextCursor: String(to) } : {}) });
    }
    if (method !== 'tools/call') return wrong(-32601, 'Method not found');
    const next = scripted.length > 1 ? scripted.shift() : scripted[0];
    if (!next) return send(response, id, { content: [{ type: 'text', text: 'ok' }] });
    if ('status' in next) return void response.writeHead(next.status, next.headers).end();
    if ('error' in next) return reply(response, { jsonrpc: '2.0', id, error: next.error });
    if ('raw' in next) {
      response.writeHead(200, { 'content-type': next.type ?? 'application/json' });
      return void response.end(next.raw);
    }
    if ('cut' in next) {
      if (next.cut === 'within') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: message\ndata: {"jsonrpc":');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return void response.destroy();
    }
    if ('hold' in next) await next.hold;
    return send(response, id, next.result);
  }

  function send(
    response: ServerResponse,
    id: Json | undefined,
    result: Json,
    headers: Record<string, string> = {},
  ): void {
    const message = { jsonrpc: '2.0', id: id ?? null, result };
    if (!options.events) {
      reply(response, message, 200, headers);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...headers });
    const event = (data: object) => `: hello\r\nevent: message\r\ndata: ${JSON.stringify(data)}\r\n\r\n`;
    const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'ä' } };
    const ping = options.stateless ? note : { jsonrpc: '2.0', id: 'p1', method: 'ping' };
    const text = event(note) + event(ping) + event(message);
    // Cut where a character of several bytes stands, and in the middle of a line end.
    const bytes = Buffer.from(text);
    const at = bytes.indexOf('ä') + 1;
    response.write(bytes.subarray(0, at));
    setTimeout(() => {
      response.write(bytes.subarray(at, bytes.length - 1));
      setTimeout(() => response.end(bytes.subarray(bytes.length - 1)), 2);
    }, 2);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    methods: () => requests.flatMap(({ body }) => body.method ?? []),
    script(...answers) {
      scripted = answers;
    },
    forget: () => sessions.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, message: object, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(message));
}
