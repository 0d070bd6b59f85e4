import { readFile, stat } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, sep } from 'node:path';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** A static server on this machine. */
export interface FolderServer {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  close(): Promise<void>;
}

/** Serves folders, each under the name that it has in `folders` (`/name/…`), and an empty page at `/empty`. */
export async function serveFolders(folders: Record<string, string>): Promise<FolderServer> {
  const server = createServer((request, response) => void answer(request.url ?? '/', response, folders));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

async function answer(url: string, response: ServerResponse, folders: Record<string, string>): Promise<void> {
  try {
    const path = decodeURIComponent(new URL(url, 'http://127.0.0.1').pathname);
    const [, name = '', ...rest] = path.split('/');
    if (name === 'empty')
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Empty</title>');
    const root = folders[name];
    if (root === undefined) throw new Error('no such folder');
    let file = normalize(join(root, ...rest));
    if (file !== normalize(root) && !file.startsWith(normalize(root) + sep)) throw new Error('outside the folder');
    if ((await stat(file)).isDirectory()) {
      if (!path.endsWith('/')) return void response.writeHead(301, { location: `${path}/` }).end();
      file = join(file, 'index.html');
    }
    const body = await readFile(file);
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
  } catch {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found');
  }
}
