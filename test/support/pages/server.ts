import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A server of test pages: the files beside it, and a few answers that only a server can give. */
export interface PageServer {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The same server under another origin. */
  other: string;
  /** What a path gives instead, from the text of its page: another text, or the address of another page. */
  instead: Map<string, (text: string) => string | { location: string }>;
  close(): Promise<void>;
}

export async function startPageServer(): Promise<PageServer> {
  const instead: PageServer['instead'] = new Map();
  const server = createServer((request, response) => void answer(request, response, instead));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    instead,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  instead: PageServer['instead'],
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const to = url.searchParams.get('to');
  if (url.pathname === '/redirect' && to) return void response.writeHead(302, { location: to }).end();
  if (url.pathname.startsWith('/file/')) return void giveFile(url, request, response);
  if (url.pathname === '/nothing') return void response.writeHead(204).end();
  const wait = Number(url.searchParams.get('wait') ?? 0);
  if (wait) await new Promise((done) => setTimeout(done, wait));
  if (url.pathname === '/echo') {
    return void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>Echo</title><h1>Echo</h1><p>${url.search}</p>`);
  }
  const page = Number(url.searchParams.get('page') ?? 1);
  try {
    const name = url.pathname.slice(1).replace(/[^a-z-]/g, '');
    const text = await readFile(join(import.meta.dirname, `${name}.html`), 'utf8');
    const given = instead.get(url.pathname)?.(text) ?? text;
    if (typeof given !== 'string') return void response.writeHead(302, given).end();
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(given.replaceAll('{{page}}', String(page)));
  } catch {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title><h1>Not found</h1>');
  }
}

/** Files as servers give them: `/file/<what>`. */
async function giveFile(
  { pathname, searchParams }: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const head = (name: string, more: Record<string, string> = {}) =>
    response.writeHead(200, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      ...more,
    });
  const disposition = searchParams.get('name');
  switch (pathname) {
    case '/file/report.csv':
      await new Promise((done) => setTimeout(done, 200));
      return void head(disposition ?? 'report.csv').end('a,b\n1,2\n');
    case '/file/cookie':
      return void head('cookie.txt').end(request.headers.cookie ?? 'none');
    case '/file/endless':
      head('endless.bin').write('x'.repeat(1000));
      return;
    case '/file/huge':
      head('huge.bin', { 'content-length': String(200 * 1024 * 1024) }).write('x');
      return;
    case '/file/report-of':
      return void head('of.csv').end(`${request.method}\n`);
    case '/file/plain.csv':
      return void response.writeHead(200, { 'content-type': 'text/csv' }).end('plain');
    default:
      return void response.writeHead(404).end('no such file');
  }
}
