import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocket } from 'ws';
import type { Link, LinkSocket } from '../../src/adapters/link/connect.ts';
import { changedBy } from '../../src/app/bridge/changed.ts';
import { serveFront } from '../../src/bridge/front/stdio.ts';
import { Desk } from './desk.ts';
import { ORIGIN, Rig } from './rig.ts';

/** A client on the other end of a front end's standard streams. */
class Pipes {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  onmessage?: (message: unknown) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  #rest = '';

  async start(): Promise<void> {
    this.stdout.on('data', (chunk: Buffer) => {
      const lines = `${this.#rest}${chunk}`.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.onmessage?.(JSON.parse(line));
    });
  }

  async send(message: unknown): Promise<void> {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    this.stdin.end();
    this.onclose?.();
  }
}

/** Client, front end, hub, link, the extension's answers, its engine on a memory store: all of the chain but processes and pages. */
export class Chain {
  readonly rig: Rig;
  readonly desk = new Desk();
  #link: Link | undefined;
  #socket: WebSocket | undefined;
  #paired: { instance: string; key: string } | undefined;
  readonly #clients: { close(): Promise<void> }[] = [];
  readonly #served: Promise<void>[] = [];
  /** Told of each message on the link, before it is handed on; one that is answered with `true` is lost. */
  onMessage: ((from: 'hub' | 'extension', text: string) => boolean | undefined) | undefined;

  private constructor(rig: Rig) {
    this.rig = rig;
  }

  static async make(): Promise<Chain> {
    const chain = new Chain(await Rig.make());
    await chain.rig.startHub();
    await chain.link();
    return chain;
  }

  /** The worker finds the hub. */
  async link(): Promise<void> {
    const { desk } = this;
    const { link, instance, key } = await this.rig.browser({
      ...this.#paired,
      answer: (call) => desk.answer(call),
      open: (url) => this.#watched(url),
    });
    this.#paired = { instance: instance.instance, key };
    this.#link = link;
    const { sessions } = desk;
    desk.updates.listen((message) => {
      const triggers = { tools: () => desk.workflows.map((workflow) => ({ workflow })) };
      if (this.#link === link) link.changed(changedBy(message, sessions, triggers as never));
    });
  }

  /** The worker dies, with its link, at once; the next one comes. */
  async kill(): Promise<void> {
    this.#socket?.terminate();
    await this.desk.die();
    await turn();
    await this.link();
  }

  async client(era: 'legacy' | 'modern', options: { slim?: boolean } = {}): Promise<ModernClient> {
    const pipes = new Pipes();
    const { stdin, stdout } = pipes;
    const startHub = async () => void (await this.rig.startHub());
    const socket = this.rig.home.socket;
    this.#served.push(serveFront({ socket, version: '1', startHub, stdin, stdout, log: () => undefined, ...options }));
    const info = { name: 'Test client', version: '1' };
    const client =
      era === 'legacy'
        ? (new LegacyClient(info) as unknown as ModernClient)
        : new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect(pipes as never);
    this.#clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
    await Promise.all(this.#served);
    await this.rig.close();
    this.desk.engine.dispose();
  }

  /** A socket that a test sees the messages of, and can cut. */
  #watched(url: string): LinkSocket {
    const socket = new WebSocket(url, { origin: ORIGIN });
    this.#socket = socket;
    const chain = this;
    const watched: LinkSocket = {
      onopen: null,
      onmessage: null,
      onclose: null,
      onerror: null,
      send(text) {
        if (!chain.onMessage?.('extension', text)) socket.send(text);
      },
      close: (code) => socket.close(code),
    };
    socket.on('open', () => watched.onopen?.({} as never));
    socket.on('message', (data) => {
      const text = String(data);
      if (!chain.onMessage?.('hub', text)) watched.onmessage?.({ data: text });
    });
    socket.on('close', () => watched.onclose?.({} as never));
    socket.on('error', () => watched.onerror?.({} as never));
    return watched;
  }
}
