import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site with a form whose answer can be held back, so that nobody on the other side knows whether it was sent. */
export interface HeldForm {
  url: string;
  /** Messages that it got, oldest first. */
  messages(): string[];
  /** Whether it keeps answers to itself. */
  hold: boolean;
  close(): Promise<void>;
}

const FORM = `<!doctype html><html lang="en"><title>Message to the office</title>
<form method="post" action="/send"><label>Message <input name="message"></label> <button>Send it</button></form></html>`;

export async function startHeldForm(): Promise<HeldForm> {
  const messages: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method === 'POST') {
        messages.push(new URLSearchParams((await request.toArray()).join('')).get('message') ?? '');
        if (site.hold) return;
      }
      response.setHeader('content-type', 'text/html; charset=utf-8').end(FORM);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const site: HeldForm = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: () => [...messages],
    hold: true,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  return site;
}
