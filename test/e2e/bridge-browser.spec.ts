import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AxeBuilder } from '@axe-core/playwright';
import { type Extension, expect, test } from '../support/extension.ts';
import { McpFronts } from '../support/mcp-front.ts';

/** An MCP client in the browser, through the whole chain: `tabloom mcp` on stdio, the hub, the built extension, a page. */

const PAGE = `<!doctype html><title>Shop</title><h1>Shop</h1>
<label>Name <input id="name"></label><button onclick="buy()">Buy</button><p id="done"></p>
<script>
function buy() {
  const post = new XMLHttpRequest();
  post.open('POST', '/buy/' + document.getElementById('name').value, false);
  post.send();
  document.getElementById('done').textContent = 'Thanks ' + post.responseText;
}
</script>`;

/** A shop that keeps what was bought, and holds its answers back where it is told to. */
async function startShop() {
  const bought: string[] = [];
  const shop = {
    origin: '',
    bought,
    held: Promise.resolve(),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.method !== 'POST') return void response.end(PAGE);
    bought.push(request.url ?? '');
    const answer = `no ${bought.length}`;
    void shop.held.then(() => response.end(answer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  shop.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return shop;
}

/** A click goes through four processes, on a machine that may be busy. */
const LONG = { timeout: 60_000 };

test.use({ seededOrigins: ['http://127.0.0.1/*'] });

/** Any event starts the next worker; an alarm does so by itself within half a minute. */
const wake = (extension: Extension) => extension.send({ tabloom: 1, name: 'state.get', payload: {} });

async function approve(extension: Extension, shows: string): Promise<void> {
  const popup = await extension.open('popup.html');
  await expect(popup.getByTestId('approval-card')).toContainText(shows, LONG);
  await expect(popup.getByTestId('decision')).not.toHaveAttribute('data-inert');
  await popup.getByTestId('approve').click();
  await expect(popup.getByTestId('approval-card')).toHaveCount(0);
  await popup.close();
}

let fronts: McpFronts;
let shop: Awaited<ReturnType<typeof startShop>>;
test.beforeEach(async () => {
  fronts = await McpFronts.make();
  shop = await startShop();
});
// Also after a test that ran out of time: a hub that stays would hold its port.
test.afterEach(async () => {
  await fronts.close();
  shop.close();
});

test('a client reads and fills a page, a person allows each click, and a worker that is stopped does nothing twice', async ({
  extension,
}) => {
  test.setTimeout(300_000);
  const { code, ended } = await fronts.pair();
  await extension.send({ tabloom: 1, name: 'bridge.pair', payload: { code, label: 'Work' } });
  await ended;
  const client = await fronts.client('modern', 'Shopping client');

  const opened = await client.call('browser_navigate', { url: `${shop.origin}/` });
  expect(opened.structuredContent).toEqual({ url: `${shop.origin}/`, title: 'Shop' });
  const seen = await client.call('browser_snapshot');
  expect(seen.content[0]?.text).toMatch(/^<data from="browser_snapshot">.*button "Buy".*<\/data>$/s);
  const filled = await client.call('browser_fill', { target: { label: 'Name' }, value: 'Ann' });
  expect(filled.structuredContent).toMatchObject({ value: 'Ann' });
  // Elsewhere it may not go.
  expect(await client.call('browser_navigate', { url: 'https://example.com/' })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('site_not_allowed') }],
  });

  const buy = () => client.call('browser_click', { target: { role: 'button', name: 'Buy' } });
  const first = buy();
  await approve(extension, 'Shopping client');
  expect(await first).not.toHaveProperty('isError', true);
  expect(shop.bought).toEqual(['/buy/Ann']);
  expect((await client.read('page://t1/snapshot'))[0]).toMatchObject({
    text: expect.stringContaining('Thanks no 1'),
  });

  // Stopped while the person is asked: the question stands, and the call gets its answer.
  const second = buy();
  const asked = async () => (await client.call('approvals_list')).structuredContent?.approvals;
  await expect.poll(asked, LONG).toHaveLength(1);
  await extension.stopWorker();
  await wake(extension);
  await approve(extension, 'Shopping client');
  expect(await second).not.toHaveProperty('isError', true);
  expect(shop.bought).toHaveLength(2);

  // Stopped in the act: it is told that nobody knows, and it is not done again.
  const { promise, resolve: goOn } = Promise.withResolvers<void>();
  shop.held = promise;
  const third = buy();
  await approve(extension, 'Shopping client');
  await expect.poll(() => shop.bought.length, LONG).toBe(3);
  await extension.stopWorker();
  await wake(extension);
  expect(await third).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('outcome_unknown') }],
  });
  goOn();
  const look = async () => (await client.call('browser_snapshot')).content[0]?.text;
  await expect.poll(look, LONG).toContain('button "Buy"');
  expect(shop.bought).toHaveLength(3);

  // The person sees all of it as one run, and can end it.
  const app = await extension.open('app.html#/runs');
  const row = app.getByTestId('run-row').filter({ hasText: 'Shopping client' });
  await expect(row).toHaveCount(1);
  await row.getByRole('button', { name: 'Shopping client', exact: true }).click();
  await expect(app.getByTestId('tree').getByText('browser_click')).toHaveCount(3);
  expect((await new AxeBuilder({ page: app }).analyze()).violations.map(({ id }) => id)).toEqual([]);
  const runs = (await client.call('runs_list')).structuredContent?.runs as { runId: string; workflow: string }[];
  expect(runs).toMatchObject([{ workflow: 'Shopping client', status: 'waiting' }]);
  expect((await client.call('run_cancel', { runId: runs[0]?.runId })).structuredContent).toMatchObject({
    status: 'cancelled',
  });
  // The next call begins another session.
  expect((await client.call('browser_list_tabs')).structuredContent).toEqual({ tabs: [] });
});
