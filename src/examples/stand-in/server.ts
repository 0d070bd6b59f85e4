import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readPrompt } from './reading.ts';
import { gradeLine } from './rules.ts';
import { sample } from './sample.ts';

/** The one "model" that the stand-in has. Its name says what it is. */
export const STAND_IN_MODEL = 'stand-in-not-a-model';

const NOTICE = 'This is the Tabloom stand-in, a set of fixed rules and not a language model.';

/** A chat completion that was asked for. */
export interface StandInRequest {
  model: string;
  messages: { role: string; content: string }[];
  schema?: Record<string, unknown>;
  stream: boolean;
}

export interface StandIn {
  /** Base URL for an `openai-compatible` account: ends in `/v1`. */
  url: string;
  /** Everything that was asked, oldest first. */
  requests: readonly StandInRequest[];
  close(): Promise<void>;
}

interface ChatBody {
  model?: unknown;
  messages?: unknown;
  stream?: unknown;
  stream_options?: { include_usage?: boolean };
  response_format?: { type?: string; json_schema?: { schema?: Record<string, unknown> } };
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': '*, authorization, content-type',
  'access-control-allow-private-network': 'true',
  'access-control-max-age': '600',
};

/**
 * Starts the stand-in on this machine: a server with OpenAI's wire format that answers by fixed rules, so that the example can be tried
 * without an account. It is not a model, and says so in its name, its log and its answers.
 * @param options.log gets one line at the start and one for each call; standard error unless given
 */
export async function startStandIn(options: { port?: number; log?: (line: string) => void } = {}): Promise<StandIn> {
  const log = options.log ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const requests: StandInRequest[] = [];
  let count = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://stand-in').pathname;
    if (request.method === 'OPTIONS') return void response.writeHead(204, CORS).end();
    if (path === '/v1/models' && request.method === 'GET') {
      return send(response, 200, {
        object: 'list',
        data: [{ id: STAND_IN_MODEL, object: 'model', created: 0, owned_by: 'tabloom-examples' }],
      });
    }
    if (path !== '/v1/chat/completions') return refuse(response, 404, `There is nothing at ${path}.`, 'not_found');
    if (request.method !== 'POST') return refuse(response, 405, 'Use POST.', 'method_not_allowed');

    const body = await readJson(request);
    const asked = body && understand(body);
    if (!asked)
      return refuse(
        response,
        400,
        'The body must be JSON with a model and a list of messages.',
        'invalid_request_error',
      );
    if (asked.model !== STAND_IN_MODEL) {
      return refuse(
        response,
        404,
        `The model "${asked.model}" does not exist here; the only one is "${STAND_IN_MODEL}".`,
        'model_not_found',
      );
    }
    requests.push(asked);
    count += 1;
    const text = answer(asked);
    log(`stand-in (not a model): call ${count}, ${text.length} characters`);
    const usage = usageOf(asked, text);
    const common = { id: `chatcmpl-stand-in-${count}`, created: Math.floor(Date.now() / 1000), model: STAND_IN_MODEL };
    if (asked.stream)
      return stream(response, common, text, body.stream_options?.include_usage === true ? usage : undefined);
    send(response, 200, {
      ...common,
      object: 'chat.completion',
      usage,
      choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' }],
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  log(`${NOTICE} It listens at ${url}, model "${STAND_IN_MODEL}".`);
  return {
    url,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The reply to a call: a grade when there is an expense line in it, else a plain word about what this is. */
function answer(asked: StandInRequest): string {
  const prompt = asked.messages
    .filter((one) => one.role === 'user')
    .map((one) => one.content)
    .join('\n');
  const { line, lines } = readPrompt(prompt);
  if (line) {
    const policy = asked.messages.map((one) => one.content).join('\n');
    return JSON.stringify(gradeLine(line, policy, lines));
  }
  if (asked.schema) return JSON.stringify(sample(asked.schema, NOTICE));
  return `${NOTICE} It can grade expense lines for the example workflow, and nothing else.`;
}

function understand(body: ChatBody): StandInRequest | undefined {
  if (typeof body.model !== 'string' || !Array.isArray(body.messages) || body.messages.length === 0) return undefined;
  const messages = body.messages.map((one: { role?: unknown; content?: unknown }) => ({
    role: String(one?.role),
    content: contentText(one?.content),
  }));
  const schema = body.response_format?.type === 'json_schema' ? body.response_format.json_schema?.schema : undefined;
  return { model: body.model, messages, stream: body.stream === true, ...(schema ? { schema } : {}) };
}

/** Content is a text, or a list of parts of which the texts count. */
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part: { text?: unknown }) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** Counts as providers do for the bill, roughly: four characters a token. */
function usageOf(asked: StandInRequest, text: string): object {
  const prompt = Math.ceil(asked.messages.reduce((sum, one) => sum + one.content.length + 8, 0) / 4);
  const completion = Math.ceil(text.length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function stream(response: ServerResponse, common: object, text: string, usage: object | undefined): void {
  response.writeHead(200, { ...CORS, 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const chunk = (more: object) =>
    response.write(`data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...more })}\n\n`);
  const choice = (delta: object, finish: string | null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  choice({ role: 'assistant', content: '' }, null);
  for (const piece of text.match(/[\s\S]{1,24}/g) ?? []) choice({ content: piece }, null);
  choice({}, 'stop');
  if (usage) chunk({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { ...CORS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, message: string, code: string): void {
  send(response, status, {
    error: { message, type: status === 400 ? 'invalid_request_error' : code, param: null, code },
  });
}

async function readJson(request: IncomingMessage): Promise<ChatBody | undefined> {
  let raw = '';
  for await (const chunk of request) raw += chunk;
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
