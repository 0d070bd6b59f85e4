import { TabloomError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import {
  codeKey,
  type FromExtension,
  type FromHub,
  fromHub,
  HANDSHAKE_MS,
  type Handshake,
  LINK_MESSAGE_MAX,
  LINK_PATH,
  LINK_PING_MS,
  LINK_PORTS,
  LINK_VERSION,
  type LinkCaller,
  type LinkInstance,
  linkKey,
  proofOf,
  sameText,
} from '../../model/link.ts';
import type { Clock } from '../../ports/clock.ts';

/** What is needed of a WebSocket. */
export interface LinkSocket {
  send(text: string): void;
  close(code?: number): void;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
}

/** Why a call is given up: its client has taken it back. Otherwise the link is down, and the client will ask what became of the call. */
export const TAKEN_BACK = 'taken back';

/** A call of an MCP client. */
export interface LinkCall {
  key: string;
  caller: LinkCaller;
  method: string;
  params: Json;
  /** Aborts when nobody waits for the answer here any more; its reason is `TAKEN_BACK` when the client itself does not want it. */
  signal: AbortSignal;
  progress(progress: Json): void;
}

/** What answers calls; throws `TabloomError`s, whose code and sentence go to the client. */
export type LinkAnswer = (call: LinkCall) => Promise<Json>;

export interface ConnectOptions {
  open(url: string): LinkSocket;
  clock: Clock;
  /** 32 random bytes, as hex. */
  nonce(): string;
  instance: LinkInstance;
  /** From pairing; or the code of a pairing that is to be made now. */
  proof: { key: string } | { code: string };
  ports?: readonly number[];
  answer: LinkAnswer;
  /** A client has gone: what was opened for its session can be let go. */
  gone?(session: string): void;
  /** The link is down; `unpaired` when the hub has taken the pairing back. */
  closed(unpaired: boolean): void;
  failure(error: unknown): { code: string; message: string; details?: Json };
}

export interface Link {
  port: number;
  /** The lasting key, as hex: new after a pairing. */
  key: string;
  /** Tells clients that something they may have subscribed to has changed (resource addresses, or names of lists). */
  changed(what: string[]): void;
  /** Tells the hub that the pairing is taken back, and closes. */
  unpair(): void;
  close(): void;
}

/**
 * Why there is no link. `no_hub`: nothing that speaks our protocol listens. `unpaired`: a hub does, and does not know us. `not_ours`: one
 * does, and could not prove that it has our key. `refused`: it says why.
 */
export type NoLink = { reason: 'no_hub' | 'unpaired' | 'not_ours' | 'refused'; message?: string };

/**
 * Looks for our hub on each port it may have, and links with the first that proves to be ours.
 * @throws nothing: what is not there is told as `NoLink`, the most telling of what the ports gave
 */
export async function connectLink(options: ConnectOptions): Promise<Link | NoLink> {
  let best: NoLink = { reason: 'no_hub' };
  const rank = ['no_hub', 'not_ours', 'unpaired', 'refused'];
  for (const port of options.ports ?? LINK_PORTS) {
    const met = await tryPort(port, options);
    if ('port' in met) return met;
    if (rank.indexOf(met.reason) > rank.indexOf(best.reason)) best = met;
  }
  return best;
}

function tryPort(port: number, options: ConnectOptions): Promise<Link | NoLink> {
  const { clock, instance, proof } = options;
  return new Promise((resolve) => {
    let socket: LinkSocket;
    try {
      socket = options.open(`ws://127.0.0.1:${port}${LINK_PATH}`);
    } catch {
      resolve({ reason: 'no_hub' });
      return;
    }
    const send = (message: FromExtension) => socket.send(JSON.stringify(message));
    let cancel = clock.setTimer(HANDSHAKE_MS, () => end({ reason: 'no_hub' }));
    const end = (met: NoLink) => {
      cancel();
      quiet(socket);
      socket.close();
      resolve(met);
    };
    const handshake: Handshake = { instance: instance.instance, extension: options.nonce(), hub: '' };
    const key = 'key' in proof ? proof.key : codeKey(proof.code);
    let lasting = key;

    socket.onopen = () => {
      cancel();
      cancel = clock.setTimer(HANDSHAKE_MS, () => end({ reason: 'no_hub' }));
      const pairing = 'code' in proof ? { pairing: true } : {};
      send({ t: 'hello', v: LINK_VERSION, ...instance, nonce: handshake.extension, ...pairing });
    };
    socket.onerror = () => end({ reason: 'no_hub' });
    socket.onclose = () => end({ reason: 'no_hub' });
    socket.onmessage = ({ data }) => {
      const message = read(data);
      switch (message?.t) {
        case 'prove': {
          handshake.hub = message.nonce;
          if (!sameText(message.mac, proofOf('hub', key, handshake))) return end({ reason: 'not_ours' });
          if ('code' in proof) lasting = linkKey(key, handshake);
          return send({ t: 'proof', mac: proofOf('extension', key, handshake) });
        }
        case 'unpaired':
          return end({ reason: 'unpaired' });
        case 'refused':
          return end({ reason: 'refused', message: message.message });
        case 'welcome':
          if (handshake.hub === '') return end({ reason: 'not_ours' });
          cancel();
          return resolve(serve(socket, port, lasting, options));
        default:
          return end({ reason: 'no_hub' });
      }
    };
  });
}

/** Answers calls until the link is down. */
function serve(socket: LinkSocket, port: number, key: string, options: ConnectOptions): Link {
  const { clock } = options;
  const running = new Map<string, AbortController>();
  let open = true;
  let heard = clock.now();
  let cancelPing = (): void => undefined;
  const send = (message: FromExtension) => {
    if (open) socket.send(JSON.stringify(message));
  };
  const down = (unpaired: boolean) => {
    if (!open) return;
    open = false;
    cancelPing();
    quiet(socket);
    socket.close();
    for (const controller of running.values()) controller.abort();
    options.closed(unpaired);
  };
  const ping = () => {
    cancelPing = clock.setTimer(LINK_PING_MS, () => {
      // A hub that has been stopped by the machine's sleep answers again; one that is gone does not.
      if (clock.now() - heard > 2 * LINK_PING_MS + HANDSHAKE_MS) return down(false);
      send({ t: 'ping' });
      ping();
    });
  };
  ping();

  const call = async (message: Extract<FromHub, { t: 'call' }>) => {
    const controller = new AbortController();
    running.set(message.id, controller);
    try {
      const value = await options.answer({
        key: message.key,
        caller: message.caller,
        method: message.method,
        params: message.params,
        signal: controller.signal,
        progress: (progress) => send({ t: 'progress', id: message.id, progress }),
      });
      const text = JSON.stringify({ t: 'result', id: message.id, value });
      if (text.length > LINK_MESSAGE_MAX)
        throw new TabloomError(
          'output_too_large',
          `Ask for less: the result has ${text.length} characters, ${LINK_MESSAGE_MAX} can be sent.`,
        );
      if (open) socket.send(text);
    } catch (error) {
      send({ t: 'failed', id: message.id, error: options.failure(error) });
    } finally {
      running.delete(message.id);
    }
  };

  socket.onclose = () => down(false);
  socket.onerror = () => down(false);
  socket.onmessage = ({ data }) => {
    heard = clock.now();
    const message = read(data);
    if (message?.t === 'call') void call(message);
    else if (message?.t === 'cancel') running.get(message.id)?.abort(TAKEN_BACK);
    else if (message?.t === 'gone') options.gone?.(message.session);
    else if (message?.t === 'unpair') down(true);
    else if (message?.t !== 'pong') down(false);
  };
  return {
    port,
    key,
    changed: (what) => send({ t: 'changed', what: what.slice(0, 100) }),
    unpair() {
      send({ t: 'unpair' });
      down(false);
    },
    close: () => down(false),
  };
}

/** @returns `undefined` for what is no message of a hub */
function read(data: unknown): FromHub | undefined {
  if (typeof data !== 'string' || data.length > LINK_MESSAGE_MAX) return undefined;
  try {
    return fromHub.parse(JSON.parse(data));
  } catch {
    return undefined;
  }
}

function quiet(socket: LinkSocket): void {
  socket.onopen = null;
  socket.onmessage = null;
  socket.onerror = null;
  socket.onclose = null;
}
