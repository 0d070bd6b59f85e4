import { createServer, type Server, type Socket } from 'node:net';
import { FRONT_LINE_MAX, FRONT_VERSION, type FromHubToFront, fromFront, type LinkedBrowser } from '../front-wire.ts';
import type { Home } from '../home.ts';
import { type Lines, linesOver } from '../lines.ts';
import { Pairings } from '../pairings.ts';
import { Browsers } from './browsers.ts';
import { Calls } from './calls.ts';
import { becomeHub } from './elect.ts';
import { PairingOffer } from './pairing.ts';

export interface HubOptions {
  home: Home;
  version: string;
  ports?: readonly number[];
  /** How long the hub stays when no front end is there, milliseconds. */
  idleMs?: number;
  /** One line for the log; never a key, a code or what a call says. */
  log(line: string): void;
  /** The hub has ended. */
  ended(): void;
}

/** Long enough that a client which restarts meets the same hub. */
const IDLE_MS = 5 * 60_000;

interface Front {
  id: number;
  lines: Lines;
  /** A code was made for it, and it is told of the outcome. */
  pairs: boolean;
  sessions: Set<string>;
}

/**
 * The one hub of an OS user: front ends of MCP clients on its socket, browsers on its loopback port, calls between them.
 * @returns `undefined` when another process is the hub already
 * @throws Error for a home that is not this user's, or pairings that cannot be read
 */
export async function startHub(options: HubOptions): Promise<Hub | undefined> {
  const pairings = new Pairings(options.home.pairings);
  await pairings.load();
  const hub = new Hub(options, pairings);
  const won = await becomeHub(hub.server, options.home);
  if (!won) return undefined;
  await hub.begin();
  return hub;
}

export class Hub {
  readonly server: Server;
  readonly #options: HubOptions;
  readonly #browsers: Browsers;
  readonly #calls: Calls;
  readonly #offer: PairingOffer;
  readonly #fronts = new Map<number, Front>();
  readonly #startedAt = Date.now();
  #next = 1;
  #idle: NodeJS.Timeout | undefined;
  #ending = false;

  constructor(options: HubOptions, pairings: Pairings) {
    this.#options = options;
    this.#offer = new PairingOffer(Date.now, (message) => this.#tellPairing({ t: 'unpaired', message }));
    this.#calls = new Calls({
      send: (instance, message) => this.#browsers.send(instance, message),
      known: (instance) => pairings.get(instance) !== undefined,
      answer: (front, message) => this.#fronts.get(front)?.lines.send(message),
    });
    this.#browsers = new Browsers({
      pairings,
      offer: this.#offer,
      ...(options.ports ? { ports: options.ports } : {}),
      events: {
        linked: (instance) => this.#calls.linked(instance),
        answer: (instance, message) => this.#calls.answered(instance, message),
        lost: (instance) => this.#calls.lost(instance),
        changed: (instance, what) => this.#tellAll({ t: 'changed', instance, what }),
        listed: () => this.#tellAll({ t: 'browsers', browsers: this.#browsers.list }),
        paired: (browser) => this.#tellPairing({ t: 'paired', browser }),
      },
    });
    this.server = createServer((socket) => this.#connected(socket));
  }

  get port(): number {
    return this.#browsers.port;
  }

  get browsers(): LinkedBrowser[] {
    return this.#browsers.list;
  }

  async begin(): Promise<void> {
    await this.#browsers.listen();
    const { port } = this.#browsers;
    this.#options.log(port === 0 ? 'none of the link ports is free' : `browsers may link on port ${port}`);
    this.#rest();
  }

  async stop(): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    clearTimeout(this.#idle);
    this.#offer.used();
    this.#calls.close();
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const { lines } of this.#fronts.values()) lines.end();
    await Promise.all([closed, this.#browsers.close()]);
    this.#options.log('stopped');
    this.#options.ended();
  }

  #connected(socket: Socket): void {
    const id = this.#next++;
    const front: Front = {
      id,
      pairs: false,
      sessions: new Set(),
      lines: linesOver(socket, {
        max: FRONT_LINE_MAX,
        line: (value) => this.#said(front, value),
        bad: (message) => this.#options.log(`a front end was let go: ${message}`),
        closed: () => this.#gone(front),
      }),
    };
    this.#fronts.set(id, front);
    clearTimeout(this.#idle);
    front.lines.send({ t: 'hello', v: FRONT_VERSION, version: this.#options.version });
  }

  #gone(front: Front): void {
    this.#fronts.delete(front.id);
    this.#calls.forget(front.id);
    for (const session of front.sessions) this.#browsers.broadcast({ t: 'gone', session });
    this.#rest();
  }

  /** Without front ends the hub goes after a while: they start it again. */
  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#fronts.size > 0 || this.#ending) return;
    this.#idle = setTimeout(() => void this.stop(), this.#options.idleMs ?? IDLE_MS);
  }

  #said(front: Front, value: unknown): void {
    const read = fromFront.safeParse(value);
    if (!read.success) {
      front.lines.end();
      return;
    }
    const message = read.data;
    switch (message.t) {
      case 'hello':
        front.lines.send({ t: 'browsers', browsers: this.#browsers.list });
        return;
      case 'call':
        front.sessions.add(message.caller.session);
        this.#calls.begin(front.id, message);
        return;
      case 'cancel':
        this.#calls.cancel(front.id, message.id);
        return;
      case 'browsers':
        front.lines.send({ t: 'browsers', browsers: this.#browsers.list });
        return;
      case 'pair': {
        const { code, expiresAt } = this.#offer.make();
        // Now, since whoever had asked before is told that theirs is no longer good.
        front.pairs = true;
        front.lines.send({ t: 'code', code, expiresAt, port: this.#browsers.port });
        return;
      }
      case 'unpair':
        void this.#browsers.unpair(message.instance).then(() => front.lines.send({ t: 'done', of: 'unpair' }));
        return;
      case 'status':
        front.lines.send({
          t: 'status',
          status: {
            pid: process.pid,
            version: this.#options.version,
            port: this.#browsers.port,
            fronts: this.#fronts.size,
            browsers: this.#browsers.list,
            startedAt: this.#startedAt,
          },
        });
        return;
      case 'stop':
        front.lines.send({ t: 'done', of: 'stop' });
        void this.stop();
    }
  }

  #tellAll(message: FromHubToFront): void {
    for (const { lines } of this.#fronts.values()) lines.send(message);
  }

  #tellPairing(message: FromHubToFront): void {
    for (const front of this.#fronts.values()) {
      if (!front.pairs) continue;
      front.pairs = false;
      front.lines.send(message);
    }
  }
}
