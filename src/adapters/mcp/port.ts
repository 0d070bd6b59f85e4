import { TabloomError } from '../../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { McpServer, McpSettings } from '../../model/mcp-settings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { McpPort, McpTool } from '../../ports/mcp.ts';
import type { SecretVault } from '../../ports/store.ts';
import { maskSecrets } from '../browser/masks.ts';
import { fillSecrets } from '../browser/secrets.ts';
import { ToolPins } from './pins.ts';
import { McpSession } from './session.ts';
import { unreadable } from './wire.ts';

/** How long a list of tools is taken for what the server has, milliseconds. */
const LIST_MS = 60_000;
/** Pages of one list of tools; a server that has more goes round in circles. */
const MAX_PAGES = 50;

export interface McpPortOptions {
  /** Asked at each call, so that a change in the settings holds for the next one. */
  settings(): McpSettings;
  /** Version of this client, said to servers. */
  version: string;
  vault: Pick<SecretVault, 'reveal'>;
  clock: Pick<Clock, 'now'>;
  /** What tools are, over all lives of the worker. */
  pins?: ToolPins;
  /** For tests and for runtimes with another `fetch`. */
  fetch?: typeof globalThis.fetch;
}

interface Known {
  server: McpServer;
  session: McpSession;
  list?: { at: number; tools: McpTool[] };
}

/** MCP servers of the settings, over Streamable HTTP by plain `fetch`. Runs in an extension's service worker and under Node alike. */
export function createMcpPort(options: McpPortOptions): McpPort {
  const { clock, vault } = options;
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  const servers = new Map<string, Known>();
  const pins = options.pins ?? new ToolPins({}, {}, () => undefined);

  const find = (name: string) => options.settings().servers.find((server) => server.name === name);

  function serverOf(name: string): Known {
    const server = find(name);
    if (!server)
      throw new TabloomError('mcp_unavailable', `There is no MCP server "${name}": add it in Settings.`, {
        acted: false,
      });
    let known = servers.get(name);
    // Another address is another server.
    if (!known || known.server.url !== server.url) {
      const client = { name: 'tabloom', version: options.version };
      known = { server, session: new McpSession({ server, client, now: () => clock.now(), fetch }) };
      servers.set(name, known);
    }
    return known;
  }

  async function list({ server, session }: Known, signal: AbortSignal | undefined): Promise<McpTool[]> {
    const tools: McpTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await session.request('tools/list', cursor === undefined ? {} : { cursor }, signal);
      if (!Array.isArray(result.tools)) throw unreadable(server);
      tools.push(...result.tools.flatMap(toolOf));
      cursor = typeof result.nextCursor === 'string' && result.nextCursor !== '' ? result.nextCursor : undefined;
      if (cursor === undefined) return tools;
    }
    throw unreadable(server);
  }

  return {
    has: (server) => find(server) !== undefined,

    async tools(name, signal) {
      const known = serverOf(name);
      if (known.list && clock.now() < known.list.at + LIST_MS) {
        const held = known.list.tools.flatMap((tool) => pins.tool(name, tool.name) ?? []);
        if (held.length === known.list.tools.length) return held;
      }
      try {
        const tools = pins.see(name, await list(known, signal));
        known.list = { at: clock.now(), tools };
        return tools;
      } catch (error) {
        // The list is asked for before the call: whatever has failed, the call was not sent.
        if (!TabloomError.is(error)) throw error;
        const { code, message, ...more } = error.info;
        throw new TabloomError(code === 'network' ? 'mcp_unavailable' : code, message, { ...more, acted: false });
      }
    },

    async call({ server, tool, arguments: args, secrets, secretNames, signal, idempotencyKey }) {
      const known = serverOf(server);
      if (pins.change(server, tool)) throw changed(server, tool);
      const { args: filled, values } = await fillSecrets(args, secrets, vault as SecretVault).catch(notSent);
      const named = await Promise.all(secretNames.map((name) => vault.reveal(name).catch(() => undefined)));
      const hidden = [...values, ...named.filter((value) => value !== undefined)];
      try {
        const params = { name: tool, arguments: filled, _meta: { 'tabloom/idempotencyKey': idempotencyKey } };
        const result = maskSecrets(await known.session.request('tools/call', params, signal), hidden);
        const { content, structuredContent, isError } = result;
        if (!Array.isArray(content) && structuredContent === undefined) throw unreadable(known.server);
        return {
          content: Array.isArray(content) ? content : [],
          ...(structuredContent === undefined ? {} : { structuredContent }),
          isError: isError === true,
        };
      } catch (error) {
        // A list that no longer holds is asked for anew.
        if (TabloomError.is(error) && error.code === 'bad_request') delete known.list;
        throw TabloomError.is(error) ? masked(error, hidden) : error;
      }
    },

    known(server, tool) {
      return find(server) && pins.tool(server, tool);
    },
  };
}

function masked(error: TabloomError, hidden: readonly string[]): TabloomError {
  const { code, message, ...more } = maskSecrets(error.info as unknown as JsonObject, hidden);
  return new TabloomError(String(code), String(message), more as object);
}

function changed(server: string, tool: string): TabloomError {
  return new TabloomError(
    'bad_request',
    `Look in Settings at what "${server}" now says of its tool ${tool}, and accept it or not: it is not what it was.`,
    { acted: false, details: { reason: 'tool_changed', server, tool } },
  );
}

/** Secrets that are not there: nothing was sent. */
function notSent(error: unknown): never {
  if (!TabloomError.is(error)) throw error;
  const { code, message, ...more } = error.info;
  throw new TabloomError(code, message, { ...more, acted: false });
}

/** A tool as a server describes it, without what is not as the protocol says. */
function toolOf(value: Json): McpTool[] {
  if (!isObject(value) || typeof value.name !== 'string' || value.name === '') return [];
  const { name, title, description, inputSchema, outputSchema } = value;
  const hints = isObject(value.annotations) ? value.annotations : {};
  const annotations: McpTool['annotations'] = {};
  for (const key of ['readOnlyHint', 'destructiveHint', 'idempotentHint'] as const)
    if (typeof hints[key] === 'boolean') annotations[key] = hints[key];
  return [
    {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema: isObject(inputSchema) ? inputSchema : { type: 'object' },
      ...(isObject(outputSchema) ? { outputSchema } : {}),
      annotations,
    },
  ];
}
