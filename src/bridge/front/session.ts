import { randomUUID } from 'node:crypto';
import type { Json } from '../../model/json.ts';
import type { LinkCaller } from '../../model/link.ts';
import type { LinkedBrowser } from '../front-wire.ts';
import { CallError, type HubClient } from './hub-client.ts';

export interface AskOptions {
  /** As the client has named it, by label or by id; absent: the one it has selected, or the only one. */
  browser?: string | undefined;
  again?: 'send' | 'ask';
  signal?: AbortSignal | undefined;
  progress?: ((progress: Json) => void) | undefined;
  patience?: number;
  /** Bound on all of it, milliseconds: waiting for the browser, the call itself, and asking for it again. */
  withinMs?: number;
}

/** One MCP client: who it is, which browser it has chosen, and its way there. */
export class FrontSession {
  readonly #hub: HubClient;
  readonly #id = randomUUID();
  #name = 'MCP client';
  #version: string | undefined;
  #selected: string | undefined;
  readonly #listeners = new Set<(what: readonly string[]) => void>();

  constructor(hub: HubClient) {
    this.#hub = hub;
  }

  /** Called with what a browser says has changed: `tools`, `resources`, addresses. @returns what ends it */
  onChange(listener: (what: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Something has changed in a browser, or in the list of browsers. */
  changed(what: readonly string[]): void {
    for (const listener of [...this.#listeners]) listener(what);
  }

  /** The client's own name, as it says it. It is shown to people and in audits, and gives no right. */
  named(name: string | undefined, version: string | undefined): void {
    if (name) this.#name = name.slice(0, 100);
    this.#version = version?.slice(0, 60);
  }

  get caller(): LinkCaller {
    return { session: this.#id, name: this.#name, ...(this.#version ? { version: this.#version } : {}) };
  }

  get hub(): HubClient {
    return this.#hub;
  }

  get selected(): string | undefined {
    return this.#selected;
  }

  /** From now on calls that name no browser go there. @throws CallError as `choose` */
  async select(browser: string): Promise<LinkedBrowser> {
    const found = await this.choose(browser);
    this.#selected = found.instance;
    return found;
  }

  /**
   * The browser that a call is for. Never guessed: with several and none named or selected it is an error that lists them.
   * @throws CallError `browser_unknown`, `browser_ambiguous`, `browser_none`
   */
  async choose(named?: string): Promise<LinkedBrowser> {
    const browsers = await this.#hub.list();
    if (browsers.length === 0) throw new CallError('browser_none', NONE_PAIRED);
    if (named !== undefined) {
      const found = browsers.filter(({ instance, label }) => instance === named || label === named);
      if (found.length === 1) return found[0] as LinkedBrowser;
      const why = found.length === 0 ? `no browser is called "${named}"` : `several browsers are called "${named}"`;
      throw new CallError('browser_unknown', `Name one of these browsers, ${why}: ${listed(browsers)}.`);
    }
    const selected = browsers.find(({ instance }) => instance === this.#selected);
    if (selected) return selected;
    if (browsers.length === 1) return browsers[0] as LinkedBrowser;
    const linked = browsers.filter((one) => one.linked);
    if (linked.length === 1 && this.#selected === undefined) return linked[0] as LinkedBrowser;
    throw new CallError(
      'browser_ambiguous',
      `Say which browser: give "browser", or call browser_select first. There are ${listed(browsers)}.`,
    );
  }

  /** @returns what the browser answered, and which one it was. @throws CallError */
  async ask(method: string, params: Json, options: AskOptions = {}): Promise<{ value: Json; browser: LinkedBrowser }> {
    const browser = await this.choose(options.browser);
    const value = await this.#hub.call({
      instance: browser.instance,
      caller: this.caller,
      method,
      params,
      again: options.again ?? 'send',
      signal: options.signal,
      progress: options.progress,
      ...(options.patience === undefined ? {} : { patience: options.patience }),
      ...(options.withinMs === undefined ? {} : { until: Date.now() + options.withinMs }),
    });
    return { value, browser };
  }
}

const NONE_PAIRED =
  'Pair a browser first: run "tabloom mcp pair" in a terminal, and enter its code in the extension, under Settings, MCP clients.';

export function listed(browsers: readonly LinkedBrowser[]): string {
  return browsers
    .map(({ label, instance, browser, linked }) => {
      const twice = browsers.filter((one) => one.label === label).length > 1;
      return `"${twice ? instance : label}" (${browser}, ${linked ? 'linked' : 'not linked now'})`;
    })
    .join(', ');
}
