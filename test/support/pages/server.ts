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
  close(): Promise<void>;
}

export async function startPageServer(): Promise<PageServer> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    other: `http://localhost:${port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const to = url.searchParams.get('to');
  if (url.pathname === '/redirect' && to) return void response.writeHead(302, { location: to }).end();
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
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
      .end(text.replaceAll('{{page}}', String(page)));
  } catch {
    response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not found</title><h1>Not found</h1>');
  }
}
