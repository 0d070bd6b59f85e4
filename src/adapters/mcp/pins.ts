import { hashJson } from '../../model/canonical.ts';
import type { Json } from '../../model/json.ts';
import type { McpTool, ToolChange } from '../../ports/mcp.ts';

/** Tools by server. */
export type ToolLists = Record<string, McpTool[]>;

/**
 * What each tool was when a person first had it, or last accepted it. A server can describe a tool otherwise at any time: as harmless, so that it
 * is tried again, or with words that are meant for a model. Until a person has looked at a change, the tool is what it was, and is not called.
 */
export class ToolPins {
  readonly #pinned: ToolLists;
  readonly #seen: ToolLists;
  readonly #keep: (pinned: ToolLists, seen: ToolLists) => void;

  /** @param seen tools as servers had them last; of a server without pins they are those */
  constructor(pinned: ToolLists, seen: ToolLists, keep: (pinned: ToolLists, seen: ToolLists) => void) {
    this.#pinned = structuredClone({ ...seen, ...pinned });
    this.#seen = structuredClone(seen);
    this.#keep = keep;
  }

  /** A server has these tools now. @returns the same, each as it is pinned; one that is new is pinned as it is */
  see(server: string, tools: readonly McpTool[]): McpTool[] {
    const pinned = this.#of(this.#pinned, server);
    const fresh = tools.filter(({ name }) => !pinned.some((pin) => pin.name === name));
    this.#pinned[server] = [...pinned, ...fresh];
    this.#seen[server] = [...tools];
    this.#keep(this.#pinned, this.#seen);
    return tools.map(({ name }) => this.tool(server, name) as McpTool);
  }

  /** A tool as it is pinned, as far as its server has it. */
  tool(server: string, name: string): McpTool | undefined {
    if (!this.#of(this.#seen, server).some((tool) => tool.name === name)) return undefined;
    return this.#of(this.#pinned, server).find((tool) => tool.name === name);
  }

  /** How a tool differs from what is pinned; undefined where it does not. */
  change(server: string, name: string): ToolChange | undefined {
    const now = this.#of(this.#seen, server).find((tool) => tool.name === name);
    const before = this.#of(this.#pinned, server).find((tool) => tool.name === name);
    if (!now || !before) return undefined;
    const hash = hashJson(now as unknown as Json);
    return hash === hashJson(before as unknown as Json) ? undefined : { server, tool: name, before, now, hash };
  }

  /** All changes of these servers' tools that nobody has accepted. */
  changes(servers: readonly string[]): ToolChange[] {
    return servers.flatMap((server) =>
      this.#of(this.#seen, server).flatMap(({ name }) => this.change(server, name) ?? []),
    );
  }

  /** Pins a tool as it is now. @returns false where that is not what was looked at, by its hash */
  accept(server: string, name: string, hash: string): boolean {
    const change = this.change(server, name);
    if (change?.hash !== hash) return false;
    this.#pinned[server] = this.#of(this.#pinned, server).map((tool) => (tool.name === name ? change.now : tool));
    this.#keep(this.#pinned, this.#seen);
    return true;
  }

  /** A server is another one from now on. */
  forget(server: string): void {
    delete this.#pinned[server];
    delete this.#seen[server];
    this.#keep(this.#pinned, this.#seen);
  }

  #of(lists: ToolLists, server: string): readonly McpTool[] {
    return Object.hasOwn(lists, server) ? (lists[server] ?? []) : [];
  }
}
