import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a form has sent. */
export interface Order {
  tag: string;
  item: string;
  note: string;
}

export interface OrderSite {
  url: string;
  /** Every order that came for a tag, oldest first. The same one sent twice is there twice. */
  orders(tag: string): Order[];
  /** How often each item of a tag was counted. */
  counted(tag: string): Record<string, number>;
  /** Requests that are open now. */
  open(): number;
  close(): Promise<void>;
}

/** How long the server takes to answer what changes something, milliseconds. */
const SLOW = 500;

/**
 * A form for one order and a counter, at `/order/<tag>/<item>`. Its page is at work for a while after each click, as slow pages are: the
 * click is not over when the server has the order. The first time that a page is asked for, the connection breaks.
 */
export async function startOrderSite(): Promise<OrderSite> {
  const orders: Order[] = [];
  const counts: { tag: string; item: string }[] = [];
  const seen = new Set<string>();
  let open = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://site').pathname;
    const [, kind, tag = '', item = ''] = path.split('/');
    if (kind === 'order' && request.method === 'GET') {
      if (!seen.has(path)) {
        seen.add(path);
        response.destroy();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(tag, item));
      return;
    }
    if (request.method !== 'POST') return void response.writeHead(404).end();
    let body = '';
    for await (const chunk of request) body += chunk;
    if (kind === 'send') orders.push({ tag, item, note: body });
    else counts.push({ tag, item });
    await sleep(SLOW);
    response.writeHead(201).end();
  }

  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    // Browsers ask again by themselves when a connection breaks that they had used before.
    response.setHeader('connection', 'close');
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders: (tag) => orders.filter((order) => order.tag === tag),
    counted: (tag) => {
      const found: Record<string, number> = {};
      for (const one of counts) if (one.tag === tag) found[one.item] = (found[one.item] ?? 0) + 1;
      return found;
    },
    open: () => open,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

const page = (tag: string, item: string): string => `<!doctype html><title>Order ${item}</title>
<h1>Order ${item}</h1>
<form><label>Note <input name="note"></label><button>Send order</button></form>
<button type="button" id="count">Count it</button>
<p id="sent"></p><p id="counted"></p>
<script>
  const say = (id, text) => { document.getElementById(id).textContent = text; };
  const busy = () => { const end = performance.now() + 400; while (performance.now() < end); };
  const post = (kind, body) => fetch('/' + kind + '/${tag}/${item}', { method: 'POST', body });
  document.forms[0].addEventListener('submit', (event) => {
    event.preventDefault();
    post('send', document.forms[0].note.value).then(() => say('sent', 'Order sent'));
    busy();
  });
  document.getElementById('count').addEventListener('click', () => {
    post('count', '').then(() => say('counted', 'It was counted'));
    busy();
  });
</script>`;
