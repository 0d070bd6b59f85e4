import { createMcpPort, type ToolLists, ToolPins } from '../adapters/mcp/index.ts';
import { TabloomError, toErrorInfo } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { MCP_NAME, MCP_NAME_MAX, type McpSettings, mayBeMcp } from '../model/mcp-settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { McpPort, McpTool, ToolChange } from '../ports/mcp.ts';
import type { SecretVault, Store } from '../ports/store.ts';

const KEY = 'mcp';
/** Tools as they were last seen: what a step may do must be known at once when the worker starts. */
const SEEN = 'mcpTools';
/** Tools as they were when a person first had them, or accepted them. */
const PINS = 'mcpPins';
const EMPTY: McpSettings = { servers: [] };
/** How long a server may take to say what it has, when nobody else says how long, milliseconds. */
const PATIENCE = 8000;

/** The MCP servers of the settings and the port that speaks to them. Kept in memory, since the port asks for them at each call. */
export class McpServers {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #parts: { vault: SecretVault; version: string; fetch?: typeof globalThis.fetch };
  #settings: McpSettings = EMPTY;
  #port: McpPort | undefined;
  #pins = new ToolPins({}, {}, () => undefined);

  constructor(parts: {
    store: Store;
    vault: SecretVault;
    clock: Clock;
    version: string;
    fetch?: typeof globalThis.fetch;
  }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#parts = parts;
  }

  /** @throws Error when it was not loaded */
  get port(): McpPort {
    if (!this.#port) throw new Error('the MCP servers were not loaded');
    return this.#port;
  }

  async load(): Promise<void> {
    this.#settings = ((await this.#store.setting(KEY)) as unknown as McpSettings | undefined) ?? EMPTY;
    const { vault, version, fetch } = this.#parts;
    const lists = async (key: string) => ((await this.#store.setting(key)) ?? {}) as unknown as ToolLists;
    this.#pins = new ToolPins(await lists(PINS), await lists(SEEN), (pinned, seen) => void this.#keep(pinned, seen));
    this.#port = createMcpPort({
      settings: () => this.#settings,
      version,
      vault,
      clock: this.#clock,
      pins: this.#pins,
      ...(fetch ? { fetch } : {}),
    });
  }

  /** What cannot be kept is asked for again in the next life. The pins first: without them a change would look like something new. */
  async #keep(pinned: ToolLists, seen: ToolLists): Promise<void> {
    await this.#store.setSetting(PINS, pinned as unknown as JsonObject).catch(() => undefined);
    await this.#store.setSetting(SEEN, seen as unknown as JsonObject).catch(() => undefined);
  }

  /** Tools that are not what they were, and are not called until a person has accepted that. */
  changes(): ToolChange[] {
    return this.#pins.changes(this.#settings.servers.map(({ name }) => name));
  }

  /**
   * A person accepts what a tool is now.
   * @param hash of what was looked at
   * @throws TabloomError `bad_request` where it is something else by now
   */
  accept(server: string, tool: string, hash: string): ToolChange[] {
    if (!this.#pins.accept(server, tool, hash))
      throw new TabloomError('bad_request', `Look again: ${tool} of "${server}" is no longer what was shown.`);
    return this.changes();
  }

  get(): McpSettings {
    return this.#settings;
  }

  /** @throws TabloomError `bad_request` for names and addresses that cannot be used, with a sentence that says why */
  async set(settings: McpSettings): Promise<McpSettings> {
    const names = settings.servers.map(({ name }) => name);
    for (const { name, url } of settings.servers) {
      if (!MCP_NAME.test(name) || name.length > MCP_NAME_MAX)
        throw new TabloomError(
          'bad_request',
          `Name the server "${name}" with letters, digits, single hyphens and underscores.`,
        );
      if (names.indexOf(name) !== names.lastIndexOf(name))
        throw new TabloomError('bad_request', `Rename one of the servers "${name}": each needs its own name.`);
      if (!mayBeMcp(url))
        throw new TabloomError(
          'bad_request',
          `Give the server "${name}" an https address, or an http address on this machine.`,
        );
    }
    await this.#store.setSetting(KEY, settings as unknown as JsonObject);
    // Another address is another server; so is one that was removed and is added again.
    for (const { name, url } of this.#settings.servers)
      if (!settings.servers.some((one) => one.name === name && one.url === url)) this.#pins.forget(name);
    this.#settings = settings;
    return settings;
  }

  /** Tools of a server, for preflight; `undefined` where it does not answer in time. Never rejects. */
  async tools(server: string): Promise<McpTool[] | undefined> {
    const answer = await this.#ask(server);
    return Array.isArray(answer) ? answer : undefined;
  }

  /** Names of a server's tools, or why there are none. Never rejects. */
  async test(server: string): Promise<{ ok: boolean; tools: string[]; message: string }> {
    const answer = await this.#ask(server);
    if (Array.isArray(answer)) return { ok: true, tools: answer.map(({ name }) => name), message: '' };
    return { ok: false, tools: [], message: answer.message };
  }

  async #ask(server: string): Promise<McpTool[] | { message: string }> {
    const controller = new AbortController();
    const late = new TabloomError('timeout', `The MCP server "${server}" did not answer in ${PATIENCE / 1000} s.`);
    const cancel = this.#clock.setTimer(PATIENCE, () => controller.abort(late));
    const stopped = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(late));
    });
    try {
      return await Promise.race([this.port.tools(server, controller.signal), stopped]);
    } catch (error) {
      return { message: toErrorInfo(error).message };
    } finally {
      cancel();
    }
  }
}
