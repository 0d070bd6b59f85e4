import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { LinkCaller } from '../../model/link.ts';
import {
  FRONT_LINE_MAX,
  FRONT_VERSION,
  type FromFront,
  type FromHubToFront,
  fromHubToFront,
  type HubStatus,
  type LinkedBrowser,
} from '../front-wire.ts';
import { type Lines, linesOver } from '../lines.ts';

/** An error of a browser or of the way to it, as the client is told. */
export class CallError extends Error {
  readonly code: string;
  readonly details: Json | undefined;
  /** The call was handed over and its answer was lost with the link or the hub. */
  readonly lost: boolean;

  constructor(code: string, message: string, options: { details?: Json | undefined; lost?: boolean } = {}) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.details = options.details;
    this.lost = options.lost ?? false;
  }
}

export interface CallRequest {
  instance: string;
  caller: LinkCaller;
  method: string;
  params: Json;
  /**
   * What to do when the answer is lost: `send` it again, for reads and for what the browser does once under its key; or `ask` what became
   * of it, for what may have half happened.
   */
  again: 'send' | 'ask';
  signal?: AbortSignal | undefined;
  progress?: ((progress: Json) => void) | undefined;
  /** How long to wait for a browser that is not linked at the moment, milliseconds. */
  patience?: number;
  /** Until when all of it may take, epoch milliseconds. */
  until?: number;
}

export interface HubClientOptions {
  socket: string;
  /** Starts the hub; called when nobody answers on its socket. Resolves when it was started, not when it is ready. */
  start(): Promise<void>;
  /** How long a hub may take to answer, from its start, milliseconds. */
  startMs?: number;
  onBrowsers?(browsers: LinkedBrowser[]): void;
  onChanged?(instance: string, what: string[]): void;
  log?(line: string): void;
}

const START_MS = 10_000;
/** How long a browser may take to come back: its worker may have died, or the browser be starting. */
const PATIENCE_MS = 10_000;
/** How long the browser may wait for the end of a call that it is asked about, milliseconds. */
const OUTCOME_MS = 20_000;
/** A link that breaks with each try is not tried for ever. */
const TRIES = 4;

interface Waiting {
  done(value: Json): void;
  failed(error: CallError): void;
  progress?: ((progress: Json) => void) | undefined;
}

interface Connection {
  lines: Lines;
  calls: Map<string, Waiting>;
  /** What else waits for an answer of this hub. */
  lost: Set<(error: CallError) => void>;
}

/**
 * One front end's way to the hub. Starts the hub when there is none, and again when it dies; what was in flight then is asked for again:
 * what is safe to repeat is sent again; of acts the browser is asked what became of them.
 */
export class HubClient {
  readonly #options: HubClientOptions;
  #connecting: Promise<Connection> | undefined;
  #connection: Connection | undefined;
  #listeners = new Set<(message: FromHubToFront) => void>();
  #browsers: LinkedBrowser[] = [];
  #closed = false;
  #next = 1;

  constructor(options: HubClientOptions) {
    this.#options = options;
  }

  /** As the hub has last told. */
  get browsers(): readonly LinkedBrowser[] {
    return this.#browsers;
  }

  /** @throws CallError `hub_away` when no hub can be had */
  async list(): Promise<LinkedBrowser[]> {
    const { browsers } = await this.#ask({ t: 'browsers' }, 'browsers');
    return browsers;
  }

  async status(): Promise<HubStatus> {
    return (await this.#ask({ t: 'status' }, 'status')).status;
  }

  /** Whether a hub answers; starts none. */
  static running(socket: string): Promise<boolean> {
    return open(socket).then(
      (found) => {
        found.destroy();
        return true;
      },
      () => false,
    );
  }

  /** @param heard called with the code, then with the outcome, after which nothing more comes */
  async pair(heard: (message: Extract<FromHubToFront, { t: 'code' | 'paired' | 'unpaired' }>) => void): Promise<void> {
    const listener = (message: FromHubToFront) => {
      if (message.t !== 'code' && message.t !== 'paired' && message.t !== 'unpaired') return;
      if (message.t !== 'code') this.#listeners.delete(listener);
      heard(message);
    };
    this.#listeners.add(listener);
    (await this.#connect()).lines.send({ t: 'pair' } satisfies FromFront);
  }

  async unpair(instance: string): Promise<void> {
    await this.#ask({ t: 'unpair', instance }, 'done');
  }

  async stopHub(): Promise<void> {
    await this.#ask({ t: 'stop' }, 'done');
  }

  /**
   * @returns what the browser answered
   * @throws CallError with the browser's code and sentence; `browser_away`, `browser_unknown`, `hub_away`; `outcome_unknown` for a write
   *   that may or may not have been carried out; `cancelled`
   */
  async call(request: CallRequest): Promise<Json> {
    const key = randomUUID();
    let method = request.method;
    let params = request.params;
    for (let tries = 1; ; tries++) {
      try {
        const value = await this.#once({ ...request, method, params }, key);
        if (method === request.method) return value;
        const told = outcomeOf(value, request);
        if (told !== undefined) return told.value;
        // It never arrived: it is sent now as if for the first time.
        method = request.method;
        params = request.params;
      } catch (error) {
        if (!(error instanceof CallError) || !error.lost || request.signal?.aborted) throw error;
        if (tries >= TRIES) throw request.again === 'send' ? error : unknown(request);
        if (request.again === 'ask') {
          method = 'outcome';
          params = { key, ...(request.until === undefined ? {} : { waitMs: left(request.until, OUTCOME_MS) }) };
        }
        await sleep(50 * 2 ** tries);
      }
    }
  }

  close(): void {
    this.#closed = true;
    this.#connection?.lines.end();
  }

  async #once(request: CallRequest, key: string): Promise<Json> {
    const connection = await this.#connect();
    const id = `c${this.#next++}`;
    const { instance, caller, method, params, signal } = request;
    return new Promise<Json>((done, failed) => {
      const stop = () => {
        connection.lines.send({ t: 'cancel', id } satisfies FromFront);
        connection.calls.delete(id);
        failed(new CallError('cancelled', 'The client took the call back.'));
      };
      const settled =
        <T>(settle: (value: T) => void) =>
        (value: T) => {
          connection.calls.delete(id);
          signal?.removeEventListener('abort', stop);
          settle(value);
        };
      if (signal?.aborted) return stop();
      signal?.addEventListener('abort', stop, { once: true });
      connection.calls.set(id, { done: settled(done), failed: settled(failed), progress: request.progress });
      const most = request.patience ?? PATIENCE_MS;
      const patience = request.until === undefined ? most : left(request.until, most);
      connection.lines.send({ t: 'call', id, key, instance, caller, method, params, patience } satisfies FromFront);
    });
  }

  /** Asks the hub itself; again when it goes away before it has answered. */
  async #ask<T extends FromHubToFront['t']>(message: FromFront, wanted: T): Promise<Extract<FromHubToFront, { t: T }>> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#askOnce(await this.#connect(), message, wanted);
      } catch (error) {
        if (!(error instanceof CallError) || !error.lost || tries >= TRIES) throw error;
      }
    }
  }

  #askOnce<T extends FromHubToFront['t']>(
    { lines, lost }: Connection,
    message: FromFront,
    wanted: T,
  ): Promise<Extract<FromHubToFront, { t: T }>> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(late);
        lost.delete(failed);
        this.#listeners.delete(listener);
      };
      const failed = (error: CallError) => {
        end();
        reject(error);
      };
      const late = setTimeout(
        () => failed(new CallError('hub_away', 'The Tabloom hub did not answer: see tabloom mcp status.')),
        this.#options.startMs ?? START_MS,
      );
      const listener = (heard: FromHubToFront) => {
        if (heard.t !== wanted) return;
        end();
        resolve(heard as Extract<FromHubToFront, { t: T }>);
      };
      this.#listeners.add(listener);
      lost.add(failed);
      lines.send(message);
    });
  }

  #connect(): Promise<Connection> {
    if (this.#closed) return Promise.reject(new CallError('hub_away', 'This front end has ended.'));
    this.#connecting ??= this.#open().catch((error: unknown) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #open(): Promise<Connection> {
    const socket = await this.#reach();
    return new Promise((resolve, reject) => {
      const calls = new Map<string, Waiting>();
      const lost = new Set<(error: CallError) => void>();
      let greeted = false;
      const connection: Connection = {
        calls,
        lost,
        lines: linesOver(socket, {
          max: FRONT_LINE_MAX,
          line: (value) => {
            const read = fromHubToFront.safeParse(value);
            if (!read.success) return connection.lines.end();
            if (read.data.t === 'hello' && !greeted) {
              greeted = true;
              if (read.data.v !== FRONT_VERSION) {
                connection.lines.end();
                return reject(new CallError('hub_version', OTHER_VERSION));
              }
              this.#connection = connection;
              connection.lines.send({ t: 'hello', v: FRONT_VERSION, pid: process.pid } satisfies FromFront);
              return resolve(connection);
            }
            this.#heard(connection, read.data);
          },
          bad: (message) => this.#options.log?.(message),
          closed: () => {
            reject(new CallError('hub_away', 'The Tabloom hub went away before it answered.'));
            if (this.#connection !== connection) return;
            this.#connection = undefined;
            this.#connecting = undefined;
            const gone = new CallError('link_lost', 'The Tabloom hub went away before the answer.', { lost: true });
            for (const failed of [...[...calls.values()].map((one) => one.failed), ...lost]) failed(gone);
            // The next hub tells of its browsers as soon as it is there.
            if (!this.#closed) void this.#connect().catch(() => undefined);
          },
        }),
      };
    });
  }

  /** A connection to the hub, which is started where there is none. */
  async #reach(): Promise<Socket> {
    const { socket, start, startMs = START_MS } = this.#options;
    const until = Date.now() + startMs;
    let started = false;
    for (;;) {
      try {
        return await open(socket);
      } catch {
        if (this.#closed || Date.now() > until)
          throw new CallError('hub_away', 'The Tabloom hub could not be started: see tabloom mcp status.');
      }
      if (!started) {
        started = true;
        await start();
      }
      await sleep(25);
    }
  }

  #heard(connection: Connection, message: FromHubToFront): void {
    switch (message.t) {
      case 'result':
        connection.calls.get(message.id)?.done(message.value);
        break;
      case 'failed': {
        const { code, message: sentence, details } = message.error;
        connection.calls
          .get(message.id)
          ?.failed(new CallError(code, sentence, { details: details as Json, lost: message.lost === true }));
        break;
      }
      case 'progress':
        connection.calls.get(message.id)?.progress?.(message.progress);
        break;
      case 'browsers':
        this.#browsers = message.browsers;
        this.#options.onBrowsers?.(message.browsers);
        break;
      case 'changed':
        this.#options.onChanged?.(message.instance, message.what);
        break;
    }
    for (const listener of [...this.#listeners]) listener(message);
  }
}

const OTHER_VERSION =
  'Restart the client: the Tabloom hub is of another version. If that does not help, run "tabloom mcp stop" first.';

/** @returns `undefined` when the call has never arrived. @throws CallError as the call itself would have */
function outcomeOf(told: Json, request: CallRequest): { value: Json } | undefined {
  const outcome = told as { state?: string; value?: Json; error?: JsonObject };
  if (outcome.state === 'done') return { value: outcome.value ?? null };
  if (outcome.state === 'never') return undefined;
  if (outcome.state === 'failed') {
    const { code, message, details } = outcome.error as { code: string; message: string; details?: Json };
    throw new CallError(code, message, { details });
  }
  throw unknown(request);
}

function unknown({ method, params }: CallRequest): CallError {
  const what = isObject(params) && typeof params.tool === 'string' ? params.tool : method;
  return new CallError(
    'outcome_unknown',
    `Look at the page before you repeat this: the link broke while the browser was at it, and whether ${what} was carried out is not known.`,
  );
}

/** Milliseconds until a moment, at most so many. */
function left(until: number, most: number): number {
  return Math.min(Math.max(Math.round(until - Date.now()), 0), most);
}

function open(socket: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const attempt = connect(socket);
    attempt.once('connect', () => {
      attempt.off('error', reject);
      resolve(attempt);
    });
    attempt.once('error', reject);
  });
}
