import WebSocket from 'ws';

/** A command that Firefox refused, or that it did not answer in time. */
export class BidiError extends Error {
  override readonly name = 'BidiError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

interface Answer {
  id?: number;
  type: 'success' | 'error' | 'event';
  result?: unknown;
  error?: string;
  message?: string;
}

type Remote = { type: string; value?: unknown };

const TIMEOUT_MS = 60_000;

/** A WebDriver BiDi session: just the commands that the tests need, by their names in the standard. */
export class BidiSession {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  #nextId = 1;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id === undefined) return;
      this.#pending.get(answer.id)?.(answer);
      this.#pending.delete(answer.id);
    });
    socket.on('close', () => {
      for (const settle of this.#pending.values()) {
        settle({ type: 'error', error: 'closed', message: 'Firefox closed the connection.' });
      }
      this.#pending.clear();
    });
  }

  /** Connects to the address that Firefox printed and opens a session. */
  static async open(address: string): Promise<BidiSession> {
    const socket = new WebSocket(`${address}/session`);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    const session = new BidiSession(socket);
    // On a machine at its limits Firefox listens long before it answers.
    // Dialogs are left open, as they are for a person: closed by the driver, they would seem to have been answered.
    const capabilities = { alwaysMatch: { unhandledPromptBehavior: { default: 'ignore' } } };
    await session.send('session.new', { capabilities }, 120_000);
    return session;
  }

  /**
   * Runs one command.
   * @throws BidiError when Firefox refuses it or does not answer in `timeoutMs`.
   */
  send<T = Record<string, unknown>>(method: string, params: object = {}, timeoutMs = TIMEOUT_MS): Promise<T> {
    const id = this.#nextId++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new BidiError('timeout', `${method}: no answer in ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(id, (answer) => {
        clearTimeout(timer);
        if (answer.type === 'error') reject(new BidiError(answer.error ?? '', `${method}: ${answer.message}`));
        else resolve(answer.result as T);
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Opens a tab at an address and waits until it has loaded. Returns its context id. */
  async openTab(url: string): Promise<string> {
    const { context } = await this.send<{ context: string }>('browsingContext.create', { type: 'tab' });
    await this.send('browsingContext.navigate', { context, url, wait: 'complete' });
    return context;
  }

  /**
   * Evaluates an expression in a tab, waits for its promise and returns its value, which must be JSON.
   * @param gesture counts it as done by the person.
   * @throws BidiError when it throws.
   */
  async evaluate<T>(context: string, expression: string, gesture = false): Promise<T> {
    const answer = await this.send<{ type: string; result?: Remote; exceptionDetails?: { text: string } }>(
      'script.evaluate',
      {
        // Serialised in the page: BiDi's own serialisation of objects would have to be undone here.
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? 'null')`,
        target: { context },
        awaitPromise: true,
        userActivation: gesture,
      },
    );
    if (answer.type === 'exception') throw new BidiError('exception', answer.exceptionDetails?.text ?? 'it threw');
    return JSON.parse(String(answer.result?.value)) as T;
  }

  /** Clicks the middle of the first element that matches a CSS selector, by trusted input. */
  async click(context: string, selector: string): Promise<void> {
    const { nodes } = await this.send<{ nodes: { sharedId: string }[] }>('browsingContext.locateNodes', {
      context,
      locator: { type: 'css', value: selector },
    });
    const node = nodes[0];
    if (!node) throw new BidiError('no such element', `nothing matches ${selector}`);
    await this.send('input.performActions', {
      context,
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element: { sharedId: node.sharedId } } },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    });
  }

  /** Ends the connection; Firefox itself goes on. */
  close(): void {
    this.#socket.close();
  }
}
