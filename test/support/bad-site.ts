import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';

/** What a page of the bad site is like until it is mended; mended it is the plain page with one form. */
export type Badness =
  | 'plain'
  | 'empty'
  | 'twice'
  | 'covered'
  | 'disabled'
  | 'restless'
  | 'hang'
  | 'status500'
  | 'download'
  | 'pdf'
  | 'elsewhere'
  | 'strict'
  | 'isolated';

/**
 * A site on which things go wrong, each case under a path of its own: `/<case>/<badness>`. Its form sends without any script, so it works under
 * every policy. It counts what was sent.
 */
export interface BadSite {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  /** The same server as another site. */
  foreign: string;
  url(id: string, badness: Badness): string;
  /** From now on the case's pages are as they should be. */
  mend(id: string): void;
  /** The notes that were sent for a case, in order. */
  sent(id: string): string[];
  /** How often a page of the case was asked for. */
  visits(id: string): number;
  close(): Promise<void>;
}

export async function startBadSite(): Promise<BadSite> {
  const mended = new Set<string>();
  const sent = new Map<string, string[]>();
  const visits = new Map<string, number>();
  const server = createServer((request, response) => void answer(request, response));
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;
  const foreign = `http://localhost:${port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', origin);
    const [, id = '', what = ''] = pathname.split('/');
    if (what === 'sent') {
      const body = new URLSearchParams(await bodyOf(request));
      sent.set(id, [...(sent.get(id) ?? []), body.get('note') ?? '']);
      return html(response, page(id, '<h1>Sent</h1><p>Thank you.</p>'));
    }
    visits.set(id, (visits.get(id) ?? 0) + 1);
    if (mended.has(id) && what !== 'strict' && what !== 'isolated') return html(response, page(id, form(id)));
    switch (what as Badness) {
      case 'empty':
        return html(response, page(id, '<h1>Nothing here yet</h1>'));
      case 'twice':
        return html(response, page(id, `${form(id)}<form><button type="button">Send it later</button></form>`));
      case 'covered':
        return html(
          response,
          page(
            id,
            `${form(id)}<div style="position:fixed;inset:0;background:#fff" role="dialog">Accept our cookies</div>`,
          ),
        );
      case 'disabled':
        return html(response, page(id, form(id, 'disabled')));
      case 'restless':
        return html(
          response,
          page(
            id,
            `<main></main><script>setInterval(() => { document.querySelector('main').innerHTML = ${JSON.stringify(form(id))} }, 40)</script>`,
          ),
        );
      case 'hang':
        return;
      case 'status500':
        return html(response, page(id, '<h1>Internal Server Error</h1>'), {}, 500);
      case 'download':
        return void response
          .writeHead(200, {
            'content-type': 'application/octet-stream',
            'content-disposition': 'attachment; filename="a.bin"',
          })
          .end('bytes');
      case 'pdf':
        return void response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF);
      case 'elsewhere':
        return void response.writeHead(302, { location: `${foreign}/${id}/plain` }).end();
      case 'strict':
        return html(response, page(id, form(id)), {
          'content-security-policy':
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; sandbox allow-forms allow-same-origin",
        });
      case 'isolated':
        return html(response, page(id, form(id)), {
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-embedder-policy': 'require-corp',
          'cross-origin-resource-policy': 'same-origin',
          'x-frame-options': 'DENY',
        });
      default:
        return html(response, page(id, form(id)));
    }
  }

  return {
    origin,
    foreign,
    url: (id, badness) => `${origin}/${id}/${badness}`,
    mend: (id) => void mended.add(id),
    sent: (id) => sent.get(id) ?? [],
    visits: (id) => visits.get(id) ?? 0,
    close: () => close(server),
  };
}

/** A port on this machine where nobody listens until `open` is called. */
export interface SilentPort {
  origin: string;
  /** From now on a plain page is there. @returns what ends it */
  open(body: string): Promise<() => Promise<void>>;
}

export async function findSilentPort(): Promise<SilentPort> {
  const probe = createServer();
  const port = await listen(probe);
  await close(probe);
  return {
    origin: `http://127.0.0.1:${port}`,
    async open(body) {
      const server = createServer((_request, response) => html(response, body));
      await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
      return () => close(server);
    },
  };
}

/** A port that speaks no TLS, to be asked by `https:`. */
export async function startNoTls(): Promise<{ origin: string; close(): Promise<void> }> {
  // Each question is answered and cut off: a browser would keep the connection open.
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\nno TLS here', () => socket.destroy()));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    // Not waited for: a connection that asked nothing may still be there.
    close: async () => void server.close(),
  };
}

function form(id: string, attribute = ''): string {
  return `<h1>Report</h1><form method="post" action="/${id}/sent"><label>Note <input name="note"></label> <button ${attribute}>Send</button></form>`;
}

function page(id: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${id}</title><body>${body}</body></html>`;
}

function html(response: ServerResponse, body: string, headers: Record<string, string> = {}, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

function close(server: Server): Promise<void> {
  return new Promise((done) => {
    server.closeAllConnections();
    server.close(() => done());
  });
}

const PDF =
  '%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n';
