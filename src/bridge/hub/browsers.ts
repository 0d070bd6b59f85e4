import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import {
  type FromExtension,
  type FromHub,
  fromExtension,
  HANDSHAKE_MS,
  type Handshake,
  LINK_MESSAGE_MAX,
  LINK_PING_MS,
  LINK_PORTS,
  LINK_VERSION,
  type LinkInstance,
  linkKey,
  proofOf,
  sameText,
} from '../../model/link.ts';
import type { LinkedBrowser } from '../front-wire.ts';
import type { Pairings } from '../pairings.ts';
import { Lockout, refusedLink } from './gate.ts';
import type { PairingOffer } from './pairing.ts';

/** What a linked browser says of calls. */
export interface LinkEvents {
  /** A browser proved itself: calls may be handed over to it. */
  linked(instance: string): void;
  /** Of a call that was handed over with this id. */
  answer(instance: string, message: Extract<FromExtension, { t: 'result' | 'failed' | 'progress' }>): void;
  /** The link to this browser broke; calls that were handed over to it will not be answered by it. */
  lost(instance: string): void;
  changed(instance: string, what: string[]): void;
  /** The list of browsers is another. */
  listed(): void;
  paired(browser: LinkedBrowser): void;
}

interface Linked extends LinkInstance {
  socket: WebSocket;
  origin: string;
}

export interface BrowsersOptions {
  pairings: Pairings;
  offer: PairingOffer;
  events: LinkEvents;
  ports?: readonly number[];
  now?: () => number;
}

/** The browsers that are linked over WebSockets on the loopback: proves them, and hands calls over. */
export class Browsers {
  readonly #options: BrowsersOptions;
  readonly #now: () => number;
  readonly #lockout: Lockout;
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #linked = new Map<string, Linked>();
  #port = 0;

  constructor(options: BrowsersOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#lockout = new Lockout(this.#now);
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload: LINK_MESSAGE_MAX, perMessageDeflate: false });
    // Nothing but links is served; no header lets a page of another origin read even that.
    this.#server = createServer((request, response) => {
      const status = refusedLink(request, this.#port)?.status ?? 404;
      response.writeHead(status, { connection: 'close' }).end();
    });
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
  }

  /** 0 while none of the candidates could be had. */
  get port(): number {
    return this.#port;
  }

  /** Listens on the first candidate that is free, on 127.0.0.1 only. Never rejects: without a port there is still the hub's socket. */
  async listen(): Promise<void> {
    for (const port of this.#options.ports ?? LINK_PORTS) {
      if (await tryListen(this.#server, port)) {
        const address = this.#server.address();
        this.#port = typeof address === 'object' && address ? address.port : 0;
        return;
      }
    }
  }

  get list(): LinkedBrowser[] {
    return this.#options.pairings.all.map(({ instance, browser, label, pairedAt, lastSeenAt }) => {
      const linked = this.#linked.get(instance);
      const seen = lastSeenAt === undefined ? {} : { lastSeenAt };
      return {
        instance,
        browser,
        label: linked?.label ?? label,
        version: linked?.version ?? '',
        linked: linked !== undefined,
        pairedAt,
        ...seen,
      };
    });
  }

  isLinked(instance: string): boolean {
    return this.#linked.has(instance);
  }

  /** @returns false when the browser is not linked: nothing was sent */
  send(instance: string, message: FromHub): boolean {
    const linked = this.#linked.get(instance);
    if (!linked || linked.socket.readyState !== linked.socket.OPEN) return false;
    linked.socket.send(JSON.stringify(message));
    return true;
  }

  broadcast(message: FromHub): void {
    for (const instance of this.#linked.keys()) this.send(instance, message);
  }

  /** Takes a pairing back; a browser that is linked is told. */
  async unpair(instance: string): Promise<boolean> {
    const known = await this.#options.pairings.remove(instance);
    this.send(instance, { t: 'unpair' });
    this.#linked.get(instance)?.socket.close(1000);
    if (known) this.#options.events.listed();
    return known;
  }

  async close(): Promise<void> {
    for (const { socket } of this.#linked.values()) socket.close(1001);
    this.#sockets.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => undefined);
    const refused = refusedLink(request, this.#port);
    const origin = request.headers.origin ?? '';
    if (refused || this.#lockout.locked(origin)) {
      const status = refused?.status === 404 ? '404 Not Found' : '403 Forbidden';
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#prove(ws, origin));
  }

  /** The handshake. Whatever is wrong in it ends this socket and touches no other. */
  #prove(socket: WebSocket, origin: string): void {
    const hub = randomBytes(32).toString('hex');
    const send = (message: FromHub) => socket.send(JSON.stringify(message));
    const refuse = (message: FromHub) => {
      socket.removeAllListeners('message');
      send(message);
      socket.close(1008);
    };
    let hello: Extract<FromExtension, { t: 'hello' }> | undefined;
    let key = '';
    const late = setTimeout(() => socket.terminate(), HANDSHAKE_MS);
    socket.on('close', () => clearTimeout(late));
    // What is too large or no WebSocket ends the socket with an error first.
    socket.on('error', () => undefined);
    socket.on('message', (data, binary) => {
      const message = read(data, binary);
      if (message?.t === 'hello' && !hello) {
        hello = message;
        if (message.v !== LINK_VERSION)
          return refuse({
            t: 'refused',
            code: 'version',
            message: `Update Tabloom: the extension speaks version ${message.v} of the link, the bridge ${LINK_VERSION}.`,
          });
        const known = this.#options.pairings.get(message.instance);
        const offer = this.#options.offer.current;
        if (message.pairing) {
          if (!offer) return refuse({ t: 'refused', code: 'no_code', message: NO_CODE });
          key = offer.key;
        } else {
          if (!known || known.origin !== origin) return refuse({ t: 'unpaired' });
          key = known.key;
        }
        return send({ t: 'prove', nonce: hub, mac: proofOf('hub', key, shake(hello, hub)) });
      }
      if (message?.t !== 'proof' || !hello) return socket.terminate();
      if (!sameText(message.mac, proofOf('extension', key, shake(hello, hub)))) {
        this.#lockout.failed(origin);
        if (hello.pairing) this.#options.offer.failed();
        return refuse({ t: 'refused', code: 'proof', message: 'The proof is wrong.' });
      }
      clearTimeout(late);
      this.#lockout.passed(origin);
      socket.removeAllListeners('message');
      this.#welcome(socket, origin, hello, hello.pairing ? linkKey(key, shake(hello, hub)) : key).catch(() =>
        socket.terminate(),
      );
    });
  }

  async #welcome(
    socket: WebSocket,
    origin: string,
    hello: Extract<FromExtension, { t: 'hello' }>,
    key: string,
  ): Promise<void> {
    const { pairings, offer, events } = this.#options;
    const { instance, browser, label, version } = hello;
    const now = this.#now();
    const pairedAt = hello.pairing ? now : (pairings.get(instance)?.pairedAt ?? now);
    if (hello.pairing) offer.used();
    const early: FromExtension[] = [];
    let ready = false;
    const take = (message: FromExtension) => this.#said(instance, socket, message);
    socket.on('message', (data, binary) => {
      const message = read(data, binary);
      if (!message) socket.terminate();
      else if (ready) take(message);
      else early.push(message);
    });
    // Kept before the extension is told: a pairing that only one side knows would be one that never links.
    await pairings.set({ instance, origin, label, browser, key, pairedAt, lastSeenAt: now });
    if (socket.readyState !== socket.OPEN) return;
    // The same profile again: its worker has died, and the old link just does not know it yet.
    const before = this.#linked.get(instance);
    this.#linked.set(instance, { instance, browser, label, version, socket, origin });
    if (before) {
      before.socket.terminate();
      events.lost(instance);
    }
    let last = this.#now();
    const watch = setInterval(() => {
      if (this.#now() - last > 3 * LINK_PING_MS) socket.terminate();
    }, LINK_PING_MS);
    watch.unref();
    socket.on('message', () => {
      last = this.#now();
    });
    socket.on('close', () => {
      clearInterval(watch);
      if (this.#linked.get(instance)?.socket !== socket) return;
      this.#linked.delete(instance);
      events.lost(instance);
      events.listed();
    });
    socket.send(JSON.stringify({ t: 'welcome' } satisfies FromHub));
    ready = true;
    for (const message of early) take(message);
    events.linked(instance);
    events.listed();
    const listed = this.list.find((one) => one.instance === instance);
    if (hello.pairing && listed) events.paired(listed);
  }

  #said(instance: string, socket: WebSocket, message: FromExtension): void {
    const { events } = this.#options;
    switch (message.t) {
      case 'result':
      case 'failed':
      case 'progress':
        events.answer(instance, message);
        return;
      case 'changed':
        events.changed(instance, message.what);
        return;
      case 'ping':
        socket.send(JSON.stringify({ t: 'pong' } satisfies FromHub));
        return;
      case 'unpair':
        void this.unpair(instance);
        return;
      default:
        socket.terminate();
    }
  }
}

const NO_CODE = 'Ask for a code first: run "tabloom mcp pair", and enter here what it says.';

function shake(hello: { instance: string; nonce: string }, hub: string): Handshake {
  return { instance: hello.instance, extension: hello.nonce, hub };
}

function read(data: RawData, binary: boolean): FromExtension | undefined {
  if (binary) return undefined;
  try {
    return fromExtension.parse(JSON.parse(data.toString()));
  } catch {
    return undefined;
  }
}

function tryListen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const failed = () => {
      server.off('listening', done);
      resolve(false);
    };
    const done = () => {
      server.off('error', failed);
      resolve(true);
    };
    server.once('error', failed);
    server.once('listening', done);
    server.listen({ host: '127.0.0.1', port, exclusive: true });
  });
}
