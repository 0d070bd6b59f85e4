import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { systemClock } from '../../src/adapters/clock.ts';
import {
  connectLink,
  type Link,
  type LinkAnswer,
  type LinkSocket,
  type NoLink,
} from '../../src/adapters/link/connect.ts';
import { CallError, HubClient } from '../../src/bridge/front/hub-client.ts';
import type { FromHubToFront } from '../../src/bridge/front-wire.ts';
import { type Home, homeOf, makeHome } from '../../src/bridge/home.ts';
import { type Hub, startHub } from '../../src/bridge/hub/hub.ts';
import { toErrorInfo } from '../../src/model/errors.ts';
import type { LinkInstance } from '../../src/model/link.ts';

export const ORIGIN = `chrome-extension://${'abcdefghijklmnop'.repeat(2)}`;

/** A home of its own, and all that a test opens in it; `close` ends it. */
export class Rig {
  readonly home: Home;
  readonly #folder: string;
  readonly #open: { close(): unknown }[] = [];
  hub: Hub | undefined;
  started = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.home = homeOf({ TABLOOM_HOME: folder });
  }

  static async make(): Promise<Rig> {
    const rig = new Rig(await mkdtemp(join(tmpdir(), 'tb-')));
    await makeHome(rig.home);
    return rig;
  }

  /** A hub on a port of the system's choice, so that tests do not meet each other. */
  async startHub(ports: readonly number[] = [0]): Promise<Hub | undefined> {
    this.started += 1;
    const hub = await startHub({
      home: this.home,
      version: '0.0.0',
      ports,
      log: () => undefined,
      ended: () => undefined,
    });
    if (hub) this.hub = hub;
    return hub;
  }

  front(options: { start?: () => Promise<void>; startMs?: number } = {}): HubClient {
    const start = options.start ?? (async () => void (await this.startHub()));
    const front = new HubClient({
      socket: this.home.socket,
      start,
      ...(options.startMs ? { startMs: options.startMs } : {}),
    });
    this.#open.push(front);
    return front;
  }

  /** Pairs a new browser, or links a paired one by its key. */
  async browser(options: {
    answer?: LinkAnswer;
    label?: string;
    origin?: string;
    instance?: string;
    key?: string;
    closed?: (unpaired: boolean) => void;
    ports?: readonly number[];
    open?: (url: string) => LinkSocket;
  }): Promise<{ link: Link; instance: LinkInstance; key: string }> {
    const instance: LinkInstance = {
      instance: options.instance ?? randomUUID(),
      browser: 'chromium',
      label: options.label ?? 'Work',
      version: '1.2.3',
    };
    const proof = options.key === undefined ? { code: await this.code() } : { key: options.key };
    const met = await this.connect(instance, proof, options);
    if (!('port' in met)) throw new Error(`no link: ${JSON.stringify(met)}`);
    return { link: met, instance, key: met.key };
  }

  async connect(
    instance: LinkInstance,
    proof: { key: string } | { code: string },
    options: {
      answer?: LinkAnswer;
      origin?: string;
      closed?: (unpaired: boolean) => void;
      ports?: readonly number[];
      open?: (url: string) => LinkSocket;
    } = {},
  ): Promise<Link | NoLink> {
    const met = await connectLink({
      open:
        options.open ?? ((url) => new WebSocket(url, { origin: options.origin ?? ORIGIN }) as unknown as LinkSocket),
      clock: systemClock,
      nonce: () => randomBytes(32).toString('hex'),
      instance,
      proof,
      ports: options.ports ?? [this.hub?.port ?? 0],
      answer: options.answer ?? (async () => null),
      closed: options.closed ?? (() => undefined),
      failure: (error) => {
        const { code, message } = toErrorInfo(error);
        return { code, message };
      },
    });
    if ('port' in met) this.#open.push(met);
    return met;
  }

  /** The code that `tabloom mcp pair` would show. */
  async code(): Promise<string> {
    const front = this.front();
    const told = await new Promise<FromHubToFront>((resolve, reject) => {
      front.pair((message) => message.t === 'code' && resolve(message)).catch(reject);
    });
    // Or it would start a hub again when a test ends one.
    front.close();
    return (told as Extract<FromHubToFront, { t: 'code' }>).code;
  }

  async close(): Promise<void> {
    for (const one of this.#open.reverse()) one.close();
    await this.hub?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The code of the error that a call ends with. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    return `done: ${JSON.stringify(await call)}`;
  } catch (error) {
    if (error instanceof CallError) return error.code;
    throw error;
  }
}

export const caller = (name = 'Test client') => ({ session: randomUUID(), name });
