import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startStandIn } from '../../../src/examples/stand-in/server.ts';
import { sha256Hex } from '../../../src/model/canonical.ts';
import type { CutCall } from './landing.ts';
import { drawOf, seedFor } from './random.ts';

export interface SlowModel {
  /** Base URL for an `openai-compatible` account. */
  url: string;
  /** Calls that are open now. */
  open(): number;
  /** Calls that were broken off by the one who asked. */
  cuts: readonly CutCall[];
  close(): Promise<void>;
}

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': '*, authorization, content-type',
  'access-control-allow-private-network': 'true',
};

/** How long a reply takes, milliseconds: long enough to be cut, as real ones are. */
const LEAST = 300;
const SPREAD = 900;

/**
 * The stand-in for a model behind a slow line. A part of all prompts is refused the first time it comes, with 429 and a time to wait, or
 * with 503. Which ones, and how slow each reply is, follows from the seed and the prompt.
 */
export async function startSlowModel(seed: number): Promise<SlowModel> {
  const standIn = await startStandIn({ log: () => undefined });
  const asked = new Map<string, number>();
  const cuts: CutCall[] = [];
  let open = 0;

  async function call(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const openedAt = Date.now();
    open += 1;
    response.once('close', () => {
      open -= 1;
      if (!response.writableFinished) cuts.push({ openedAt, closedAt: Date.now() });
    });
    let body = '';
    for await (const chunk of request) body += chunk;
    const prompt = sha256Hex(body);
    const times = (asked.get(prompt) ?? 0) + 1;
    asked.set(prompt, times);
    const draw = drawOf(seedFor(seed, prompt));
    const fault = draw();
    if (times === 1 && fault < 0.5) {
      const busy = fault < 0.25;
      response.writeHead(busy ? 429 : 503, {
        ...CORS,
        'content-type': 'application/json',
        ...(busy && { 'retry-after': '2' }),
      });
      response.end(JSON.stringify({ error: { message: busy ? 'Too many requests' : 'Overloaded' } }));
      return;
    }
    await sleep(LEAST + draw() * SPREAD);
    if (response.destroyed) return;
    const answer = await fetch(`${standIn.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    // A stream has a type of its own, by which it is told from an answer in one piece.
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { ...CORS, 'content-type': type }).end(await answer.text());
  }

  const server = createServer((request, response) => {
    if (request.method === 'OPTIONS') response.writeHead(204, CORS).end();
    else call(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    open: () => open,
    cuts,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
      await standIn.close();
    },
  };
}
