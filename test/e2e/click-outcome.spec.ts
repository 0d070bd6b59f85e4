import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { type Ours, startOurs } from '../bench/pages/ours.ts';

/**
 * What a click leads to is waited for, and only where something may still come: the page script says which, out of what the page has begun.
 * In a copy of the build, with the scripts that hear the page.
 */

test.setTimeout(240_000);

const GO = "location.href = '/next'";
const BUTTONS: Readonly<Record<string, { does: string; still: boolean }>> = {
  nothing: { does: '', still: true },
  shows: { does: "out.textContent = 'shown'", still: true },
  'promises-and-shows': { does: "Promise.resolve().then(() => { out.textContent = 'shown'; })", still: true },
  'much-later': { does: 'setTimeout(() => 0, 60_000)', still: true },
  'goes-at-once': { does: GO, still: false },
  'requests-and-goes': { does: `fetch('/data').then(() => { ${GO}; })`, still: false },
  'requests-the-old-way': {
    does: `const r = new XMLHttpRequest(); r.open('GET', '/data'); r.onload = () => { ${GO}; }; r.send()`,
    still: false,
  },
  'goes-soon': { does: `setTimeout(() => { ${GO}; }, 20)`, still: false },
  'by-way-of-a-message': {
    does: "const c = new MessageChannel(); c.port1.onmessage = () => fetch('/data'); c.port2.postMessage(0)",
    still: false,
  },
  'with-a-frame': { does: "requestAnimationFrame(() => fetch('/data'))", still: false },
  'changes-its-address': { does: "history.pushState(null, '', '?moved')", still: false },
  'sends-a-form': { does: "document.getElementById('form').submit()", still: false },
};

const HTML = `<!doctype html><title>Start</title><p id=out></p>
${Object.entries(BUTTONS)
  .map(([name, { does }]) => `<p><button onclick="${does}">${name}</button></p>`)
  .join('')}
<form id=form action="/next"><button>submits</button></form>
<p><a href="/next">leads</a> <a id=elsewhere href="/opened" target=_blank>leads-elsewhere</a></p>`;

let ours: Ours;
let origin = '';
const server = createServer((request, response) => {
  const page = request.url === '/' ? HTML : `<!doctype html><title>${request.url}</title>`;
  response.writeHead(200, { 'content-type': 'text/html' }).end(page);
});

test.beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  ours = await startOurs({ origin });
});

test.afterAll(async () => {
  await ours?.close();
  server.closeAllConnections();
  server.close();
});

test('a page tells whether anything may still come of a click', async () => {
  for (const [name, { does, still }] of Object.entries(BUTTONS)) {
    await ours.act('navigate', { url: `${origin}/` });
    // An act of its own first: what a page does as it loads is none of the click's.
    await ours.act('hover', { target: { text: name, exact: true } });
    expect(await askClick(name), name).toBe(still);
    await loaded(does.includes(GO) || does.includes('submit') ? '/next' : '/');
  }
  for (const name of ['leads', 'leads-elsewhere', 'submits']) {
    await ours.act('navigate', { url: `${origin}/` });
    await ours.act('hover', { target: { text: name, exact: true } });
    expect(await askClick(name), name).toBe(false);
    await loaded(name === 'leads-elsewhere' ? '/' : '/next');
  }
});

test('what a click leads to at once is part of the act: the address, and the tab that is opened', async () => {
  // What comes later than that is a matter of time: that it is waited for at all is tried above.
  for (const name of ['goes-at-once', 'sends-a-form']) {
    await ours.act('navigate', { url: `${origin}/` });
    const { url } = await ours.act('click', { target: { text: name, exact: true } });
    expect(String(url), name).toContain(`${origin}/next`);
  }
  await ours.act('navigate', { url: `${origin}/` });
  expect(await ours.act('click', { target: { text: 'changes-its-address' } })).toMatchObject({
    url: `${origin}/?moved`,
  });
  expect(await ours.act('click', { target: { text: 'shows', exact: true } })).toMatchObject({
    url: `${origin}/?moved`,
    openedTab: null,
  });
  const { openedTab } = await ours.act('click', { target: { text: 'leads-elsewhere', exact: true } });
  expect(openedTab).not.toBeNull();
});

/** The request to click as it goes to the page, and what the page script says of it; a page that is left has said all the same. */
async function askClick(name: string): Promise<unknown> {
  return ours.worker.evaluate(
    async ({ tabId, text }) => {
      const [answer] = await chrome.scripting.executeScript({
        target: { tabId },
        args: [text],
        func: async (wanted: string) => {
          const script = (globalThis as unknown as { __tabloomPage: { call(request: object): Promise<unknown> } })
            .__tabloomPage;
          const args = { target: { text: wanted, exact: true }, button: 'left', count: 1, modifiers: [] };
          const request = { id: 'asked', op: 'click', args, waitMs: 0, origin: self.origin };
          const reply = (await script.call(request)) as { ok: boolean; value?: { still: boolean } };
          return reply.value?.still ?? reply;
        },
      });
      return answer?.result ?? false;
    },
    { tabId: ours.tabId, text: name },
  );
}

/** Waits until the page that the click has led to is there, so that it does not meet the next navigation. */
async function loaded(path: string): Promise<void> {
  const look = () =>
    ours.worker.evaluate(async (id) => {
      const { status, url } = await chrome.tabs.get(id);
      return [status, new URL(url ?? '').pathname];
    }, ours.tabId);
  await expect.poll(look).toEqual(['complete', path]);
}
