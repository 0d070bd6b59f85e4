import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site that counts what reaches it. */
export interface CountingSite {
  /** Its address, without a slash at the end. */
  readonly origin: string;
  /** Every request but those for the first page: its path with the query, and when it came, in order. */
  readonly got: readonly { path: string; at: number }[];
  close(): void;
}

/** A page with one button a draft; each posts its draft, keeps its page at work for a while, and stays where it is. */
function page(drafts: number, busy: number): string {
  const buttons = Array.from({ length: drafts }, (_, n) => `<p><button onclick="send(${n})">Send ${n}</button></p>`);
  return `<!doctype html><title>Drafts</title><h1>Drafts</h1>${buttons.join('')}<script>
function send(n) {
  const post = new XMLHttpRequest();
  post.open('POST', '/send/' + n, false);
  post.send();
  const end = performance.now() + ${busy};
  while (performance.now() < end);
}
</script>`;
}

/**
 * Starts it on 127.0.0.1.
 * @param options.slow how long the answer to a path takes, milliseconds; asked at each request
 * @param options.busy how long a page is at work with what it does after it has sent a draft, milliseconds
 */
export async function startCountingSite({
  drafts = 6,
  busy = 0,
  slow = () => 0,
}: {
  drafts?: number;
  busy?: number;
  slow?: (path: string) => number;
} = {}): Promise<CountingSite> {
  const got: { path: string; at: number }[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (path !== '/' && path !== '/favicon.ico') got.push({ path, at: Date.now() });
    setTimeout(() => response.setHeader('content-type', 'text/html').end(page(drafts, busy)), slow(path));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
