import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ExpenseLine, PAGE_SIZE, sampleLines } from './data.ts';

/** One request that the site was sent by its form, accepted or not. */
export interface SubmittedReview {
  /** Id of the expense line, from the address. */
  id: string;
  /** When it came, ISO 8601. */
  at: string;
  /** The body, to the letter. */
  raw: string;
  /** The body, parsed; `null` when it is no JSON. */
  submitted: { decision?: unknown; message?: unknown; followUp?: unknown } | null;
  accepted: boolean;
}

export interface SampleSite {
  /** Origin, for example `http://127.0.0.1:4173`; the list is at `/expenses`. */
  url: string;
  /** Everything that was submitted, oldest first. The same thing sent twice is there twice. */
  log(): SubmittedReview[];
  /** Changes a line behind the page's back, as a colleague would. @throws RangeError when there is no such line */
  mutate(id: string, patch: Partial<Omit<ExpenseLine, 'id'>>): void;
  /** All lines as at the start, and an empty log. */
  reset(): void;
  close(): Promise<void>;
}

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; " +
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const ASSETS = ['app.js', 'element.js', 'controlled.js', 'list.js', 'detail.js', 'style.css', 'icon.svg'];

const STATUS: Record<string, ExpenseLine['status']> = {
  ask_details: 'Details asked',
  reject: 'Rejected',
  approve: 'Approved',
};

const MAX_BODY = 64 * 1024;

/** Starts the sample expense app on this machine, on a free port unless one is given. */
export async function startSampleSite(options: { port?: number } = {}): Promise<SampleSite> {
  let lines = sampleLines();
  let log: SubmittedReview[] = [];
  const find = (id: string) => lines.find((line) => line.id === id);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://site');
    const api = /^\/api\/expenses(?:\/([^/]+))?(\/review)?$/.exec(url.pathname);
    if (api?.[2] && request.method === 'POST') return review(request, response, api[1] ?? '');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return json(response, 405, { error: 'This address is for reading only.' });
    if (api?.[1]) {
      const line = find(api[1]);
      return line ? json(response, 200, line) : json(response, 404, { error: 'There is no such expense line.' });
    }
    if (api) return json(response, 200, page(lines, url));
    const asset = /^\/assets\/(.+)$/.exec(url.pathname)?.[1];
    if (asset !== undefined && ASSETS.includes(asset)) return file(response, asset);
    if (url.pathname === '/') return void response.writeHead(302, { ...HEADERS, location: '/expenses' }).end();
    if (/^\/expenses(?:\/[^/]+)?$/.test(url.pathname)) return file(response, 'index.html');
    return json(response, 404, { error: 'There is nothing at this address.' });
  }

  async function review(request: IncomingMessage, response: ServerResponse, id: string): Promise<void> {
    // Only the site's own pages may post; a page elsewhere cannot send this type without a preflight, which is never granted.
    if (!request.headers['content-type']?.startsWith('application/json'))
      return json(response, 415, { error: 'Send JSON.' });
    const raw = await readBody(request);
    if (raw === undefined) return json(response, 413, { error: 'This is too long.' });
    const submitted = parse(raw);
    const line = find(id);
    const status = STATUS[String(submitted?.decision)];
    const message = submitted?.message;
    const accepted = line !== undefined && status !== undefined && typeof message === 'string' && message.trim() !== '';
    log.push({ id, at: new Date().toISOString(), raw, submitted, accepted });
    if (!accepted)
      return json(response, line ? 422 : 404, {
        error: line ? 'Choose a decision and write a message.' : 'There is no such expense line.',
      });
    line.status = status;
    line.request = { message, followUp: submitted?.followUp === true };
    json(response, 201, { id, status });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    log: () => structuredClone(log),
    mutate(id, patch) {
      const line = find(id);
      if (!line) throw new RangeError(`there is no expense line ${id}`);
      Object.assign(line, patch);
    },
    reset() {
      lines = sampleLines();
      log = [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function page(lines: ExpenseLine[], url: URL): object {
  const key = url.searchParams.get('sort');
  const sorted = [...lines];
  if (key !== null && key !== '' && Object.hasOwn(lines[0] ?? {}, key)) {
    const sign = url.searchParams.get('order') === 'descending' ? -1 : 1;
    const of = (line: ExpenseLine) => line[key as keyof ExpenseLine];
    sorted.sort(
      (a, b) =>
        sign *
        (typeof of(a) === 'number' ? Number(of(a)) - Number(of(b)) : String(of(a)).localeCompare(String(of(b)), 'en')),
    );
  }
  const pages = Math.ceil(lines.length / PAGE_SIZE);
  const number = Math.min(Math.max(Number.parseInt(url.searchParams.get('page') ?? '1', 10) || 1, 1), pages);
  return {
    page: number,
    pages,
    total: lines.length,
    lines: sorted.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE),
  };
}

function json(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body));
}

function file(response: ServerResponse, name: string): void {
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  response
    .writeHead(200, { ...HEADERS, 'content-type': type })
    .end(readFileSync(join(import.meta.dirname, 'pages', name)));
}

function parse(raw: string): SubmittedReview['submitted'] {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    return null;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
