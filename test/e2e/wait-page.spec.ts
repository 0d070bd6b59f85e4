import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { evaluate } from '../../src/cli/browser/page.ts';
import { expect, type Product, test } from '../support/product.ts';

/** Runs that wait for a page of the person's, in a real Chromium: the browser and the page are the only ones that tell. */

test.setTimeout(240_000);

const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1>
<p class="receipt" style="display:none">Receipt</p>
<script>
  addEventListener('message', ({ data }) => {
    if (data === 'route') { history.pushState(null, '', '/orders/7'); document.title = 'Order'; }
    if (data === 'show') document.querySelector('.receipt').style.display = 'block';
  });
</script>`;

let server: Server;
let origin: string;

test.beforeEach(async () => {
  server = createServer((_, response) => void response.setHeader('content-type', 'text/html').end(PAGE));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

test.afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function begin(product: Product, page: string): Promise<string> {
  await product.grant(origin);
  await product.launch();
  const runId = await product.start(`format: tabloom/v1
id: paid
name: Paid
sites: ["http://127.0.0.1/*"]
steps:
  - { id: paid, type: wait, page: ${page} }
output: "{{step.paid}}"
`);
  await waits(product, runId);
  return runId;
}

function waits(product: Product, runId: string) {
  return product.look(runId, 'the wait', ({ steps }) => steps.find(({ wait }) => wait?.kind === 'page'));
}

/** A tab that the person opens. */
async function open(product: Product, path: string): Promise<void> {
  await product.browser.cdp.send('Target.createTarget', { url: origin + path });
}

async function tell(product: Product, path: string, what: string): Promise<void> {
  await evaluate(await product.pageAt(origin + path), `postMessage('${what}', '*')`);
}

test('a tab that the person opens ends the wait, another page does not; the tab is not the run’s', async ({
  product,
}) => {
  const runId = await begin(product, '{ url: "http://127.0.0.1/orders/*" }');
  await open(product, '/other');
  await sleep(2000);
  await waits(product, runId);
  await open(product, '/orders/7');
  const { run } = await product.ended(runId);
  const payload = { url: `${origin}/orders/7`, title: 'Shop' };
  expect(run).toMatchObject({ status: 'completed', output: { wokenBy: 'page', payload } });
  expect(run.tabs?.list ?? []).toEqual([]);
});

test('a page that changes its address by itself ends the wait', async ({ product }) => {
  const runId = await begin(product, '{ url: "http://127.0.0.1/orders/*" }');
  await open(product, '/cart');
  await sleep(1500);
  await waits(product, runId);
  await tell(product, '/cart', 'route');
  const { run } = await product.ended(runId);
  expect(run.output).toMatchObject({ wokenBy: 'page', payload: { url: `${origin}/orders/7` } });
});

test('an element that is shown later ends the wait, also when the worker has died meanwhile', async ({ product }) => {
  const runId = await begin(product, '{ url: "http://127.0.0.1/orders/*", selector: ".receipt" }');
  await open(product, '/orders/1');
  await sleep(1500);
  await waits(product, runId);
  await product.stopWorker();
  await tell(product, '/orders/1', 'show');
  const { run } = await product.ended(runId);
  expect(run.output).toMatchObject({ wokenBy: 'page', payload: { url: `${origin}/orders/1` } });
});

test('the browser is closed while it waits: a tab after the next start ends the wait', async ({ product }) => {
  const runId = await begin(product, '{ url: "http://127.0.0.1/orders/*" }');
  await product.close();
  await product.launch();
  await waits(product, runId);
  await product.stopWorker();
  await open(product, '/orders/9');
  const { run } = await product.ended(runId);
  expect(run.output).toMatchObject({ wokenBy: 'page', payload: { url: `${origin}/orders/9` } });
});
