import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../src/cli/browser/page.ts';
import { expect, test } from '../support/product.ts';

/** A reading over several pages turns pages for good: one that is cut off in the middle must not begin on the page where it was cut. */

test.setTimeout(240_000);

const PAGES = 4;

/** How each kind of page goes on: by a link to another document, or by putting other rows into the one that is there. */
const KINDS: Record<string, (page: number) => string> = {
  'by links': (page) => (page < PAGES ? `<a href="/list?page=${page + 1}">Next</a>` : ''),
  'in place': () => `<button type="button">Next</button><script>
    let page = 1;
    const button = document.querySelector('button');
    button.addEventListener('click', async () => {
      const answer = await fetch('/rows?page=' + (page + 1));
      page += 1;
      document.querySelector('ul').innerHTML = await answer.text();
      if (page === ${PAGES}) button.remove();
    });
  </script>`,
};

const rows = (page: number): string => [1, 2].map((row) => `<li>Row ${page}.${row}</li>`).join('');

for (const [kind, more] of Object.entries(KINDS)) {
  test(`the worker is stopped again and again while a list is read over pages that go on ${kind}: every row is there once`, async ({
    product,
  }) => {
    const asked: number[] = [];
    const server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '/', 'http://list');
      const page = Number(url.searchParams.get('page') ?? 1);
      if (page > 1) {
        asked.push(page);
        await sleep(700);
      }
      const list = `<!doctype html><title>List</title><ul>${rows(page)}</ul>${more(page)}`;
      response.writeHead(200, { 'content-type': 'text/html' }).end(url.pathname === '/rows' ? rows(page) : list);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      await product.grant(origin);
      await product.launch();
      const runId = await product.start(`format: tabloom/v1
id: list
name: A list
sites: ["http://127.0.0.1/*"]
steps:
  - { id: open, type: browser_action, action: navigate, arguments: { url: "${origin}/list" } }
  - id: read
    type: browser_action
    action: extract
    timeout: 3m
    arguments: { target: { css: li }, as: items, fields: { row: { as: text } }, next: { text: Next } }
output: "{{step.read}}"
`);
      for (const page of [2, 4]) {
        await until(
          async () => asked.includes(page),
          () => new Error(`Page ${page} was not asked for.`),
          90_000,
        );
        await product.stopWorker();
      }
      const { run, steps } = await product.ended(runId);
      expect(run.status, JSON.stringify(steps)).toBe('completed');
      const items = [1, 2, 3, 4].flatMap((page) => [1, 2].map((row) => ({ row: `Row ${page}.${row}` })));
      expect(run.output).toEqual({ items, pages: PAGES });
      expect(steps.find(({ path }) => path === 'read')?.attempt).toBe(3);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
}
