import type { Readable, Writable } from 'node:stream';

/** Why a call failed: the browser refused it, it did not answer in time, or the connection is gone. */
export type CdpFailure = 'protocol' | 'timeout' | 'closed';

/** Every failure of this client. `method` is the call that failed. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
  readonly failure: CdpFailure;
  readonly method: string;

  constructor(failure: CdpFailure, method: string, detail: string) {
    super(`${method}: ${detail}`);
    this.failure = failure;
    this.method = method;
  }
}

/** One entry of `Target.getTargets`, as far as this client reads it. */
export interface TargetInfo {
  targetId: string;
  type: string;
  url: string;
  title: string;
  attached: boolean;
}

type Params = Record<string, unknown>;
type Listener = (params: Params) => void;

interface Pending {
  method: string;
  resolve: (result: unknown) => void;
  reject: (error: CdpError) => void;
  timer: NodeJS.Timeout;
}

/** No call waits longer than this unless it says so: some CDP calls never answer on a hidden tab. */
const CALL_TIMEOUT_MS = 15_000;

/** Anything that takes CDP calls: the browser itself, or a session with one of its targets. */
export interface CdpCaller {
  /**
   * Makes one call and returns its result.
   * @throws CdpError when the browser refuses it, does not answer in `timeoutMs`, or goes away.
   */
  send<T = Params>(method: string, params?: Params, timeoutMs?: number): Promise<T>;
  /** Listens to an event; the returned function stops it. */
  on(event: string, listener: Listener): () => void;
}

/**
 * A CDP connection over the two pipes of `--remote-debugging-pipe`: no port is opened, so no other program of the
 * machine can drive the browser, and the browser ends when this process does.
 */
export class CdpConnection implements CdpCaller {
  readonly #input: Writable;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #nextId = 1;
  #closed = false;

  /** @param input the browser's descriptor 3, which we write; @param output its descriptor 4, which we read. */
  constructor(input: Writable, output: Readable) {
    this.#input = input;
    let chunks: Buffer[] = [];
    output.on('data', (chunk: Buffer) => {
      let start = 0;
      for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
        chunks.push(chunk.subarray(start, end));
        const text = Buffer.concat(chunks).toString('utf8');
        chunks = [];
        start = end + 1;
        this.#receive(text);
      }
      if (start < chunk.length) chunks.push(chunk.subarray(start));
    });
    output.on('close', () => this.#end());
    output.on('error', () => this.#end());
    // A write to a browser that just died; the pending calls are rejected by the other pipe's end.
    input.on('error', () => this.#end());
  }

  /** True once the browser has gone or {@link close} was called. */
  get closed(): boolean {
    return this.#closed;
  }

  send<T = Params>(method: string, params: Params = {}, timeoutMs = CALL_TIMEOUT_MS): Promise<T> {
    return this.sendTo<T>(undefined, method, params, timeoutMs);
  }

  /** Like {@link send}, to the session `sessionId`; sessions use it, callers need not. */
  sendTo<T>(sessionId: string | undefined, method: string, params: Params, timeoutMs: number): Promise<T> {
    if (this.#closed) return Promise.reject(new CdpError('closed', method, 'the browser is closed'));
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new CdpError('timeout', method, `no answer in ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(id, { method, resolve: resolve as Pending['resolve'], reject, timer });
      this.#input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  on(event: string, listener: Listener): () => void {
    return this.onKey(event, listener);
  }

  /** Listens to the events of one session, or of the browser where `sessionId` is absent. */
  onKey(event: string, listener: Listener, sessionId = ''): () => void {
    const key = `${sessionId}:${event}`;
    const set = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, set.add(listener));
    return () => set.delete(listener);
  }

  /** All targets that the browser tells of: pages, workers, popups. */
  async targets(): Promise<TargetInfo[]> {
    const { targetInfos } = await this.send<{ targetInfos: TargetInfo[] }>('Target.getTargets');
    return targetInfos;
  }

  /**
   * Attaches to a page. Workers are refused: an attached debugger keeps a service worker alive and lets `eval` pass its
   * CSP, so what is seen through it is not what users get.
   * @throws CdpError when the target is gone, or is no page.
   */
  async attach(targetId: string): Promise<CdpSession> {
    const target = (await this.targets()).find((candidate) => candidate.targetId === targetId);
    if (!target || target.type.includes('worker')) {
      throw new CdpError('protocol', 'Target.attachToTarget', target ? 'never attaches to a worker' : 'no such target');
    }
    const { sessionId } = await this.send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
    return new CdpSession(this, sessionId, targetId);
  }

  /** Closes our end; the browser then ends by itself. */
  close(): void {
    this.#input.end();
    this.#end();
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as {
      id?: number;
      method?: string;
      params?: Params;
      result?: unknown;
      error?: { message: string };
      sessionId?: string;
    };
    if (message.id === undefined) {
      const set = this.#listeners.get(`${message.sessionId ?? ''}:${message.method}`);
      for (const listener of [...(set ?? [])]) listener(message.params ?? {});
      return;
    }
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    this.#pending.delete(message.id);
    clearTimeout(pending.timer);
    if (message.error) pending.reject(new CdpError('protocol', pending.method, message.error.message));
    else pending.resolve(message.result);
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const { method, reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new CdpError('closed', method, 'the browser closed before it answered'));
    }
    this.#pending.clear();
  }
}

/** A flat session with one page. */
export class CdpSession implements CdpCaller {
  readonly #connection: CdpConnection;
  readonly #sessionId: string;
  readonly targetId: string;

  constructor(connection: CdpConnection, sessionId: string, targetId: string) {
    this.#connection = connection;
    this.#sessionId = sessionId;
    this.targetId = targetId;
  }

  send<T = Params>(method: string, params: Params = {}, timeoutMs = CALL_TIMEOUT_MS): Promise<T> {
    return this.#connection.sendTo<T>(this.#sessionId, method, params, timeoutMs);
  }

  on(event: string, listener: Listener): () => void {
    return this.#connection.onKey(event, listener, this.#sessionId);
  }

  /** Ends the session and leaves the page open. Does nothing when the page is gone already. */
  async detach(): Promise<void> {
    await this.#connection.send('Target.detachFromTarget', { sessionId: this.#sessionId }).catch(() => undefined);
  }
}
