import { KnowledgeBase } from '../../engine/knowledge/base.ts';
import { durationMs } from '../../model/duration.ts';
import { TabloomError } from '../../model/errors.ts';
import { httpErrorCode } from '../../model/http-status.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { KnowledgeHit } from '../../model/knowledge.ts';
import type { Usage } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KnowledgePort } from '../../ports/knowledge.ts';
import type { McpPort, McpTool } from '../../ports/mcp.ts';
import type { ModelPort, ModelReply, ToolCall } from '../../ports/model.ts';
import type { PagePort } from '../../ports/pages.ts';
import type { Store } from '../../ports/store.ts';

interface Call {
  path: string;
  signal: AbortSignal;
}

/**
 * Stands in for everything outside: replies come from the case's mocks, by full path or step id, in order, the last one again and again
 * (SPEC §10). A call without a mock is a failure of the case.
 */
export class Mocks {
  /** Outside calls so far, by step id and by full path. */
  readonly calls = new Map<string, number>();
  /** Calls that had no mock. */
  readonly missing: string[] = [];
  private readonly used = new Map<string, number>();
  private readonly mocks: Record<string, JsonObject[]>;
  private readonly clock: Clock;
  private readonly around: Surroundings;

  constructor(mocks: Record<string, JsonObject[]>, clock: Clock, around: Surroundings = { agents: [], servers: {} }) {
    this.mocks = mocks;
    this.clock = clock;
    this.around = around;
  }

  readonly model: ModelPort = {
    generate: async (request) => {
      const mock = await this.answer({ path: request.call.path, signal: request.signal });
      let text: string;
      if (typeof mock.raw === 'string') text = mock.raw;
      else if (mock.object !== undefined) text = JSON.stringify(mock.object);
      else if (typeof mock.text === 'string') text = mock.text;
      else text = JSON.stringify(mock.output ?? {});
      const toolCalls = toolCallsOf(mock, request.call.path);
      if (toolCalls && mock.text === undefined) text = '';
      const usage = (isObject(mock.usage) ? mock.usage : { inputTokens: 0, outputTokens: 0 }) as unknown as Usage;
      const asks = toolCalls && { toolCalls, finish: 'tool_calls' as const };
      return { text, usage, model: 'mock:mock', finish: 'stop', ...asks } satisfies ModelReply;
    },
    configured: async () => true,
    price: () => undefined,
  };

  readonly pages: PagePort = {
    perform: async (call) => {
      const mock = await this.answer(call);
      return { output: mock.output ?? {}, tabs: call.tabs };
    },
    lease: () => {},
    release: () => {},
  };

  readonly mcp: McpPort = {
    has: (server) => Object.hasOwn(this.around.servers, server),
    tools: async (server) => this.tools(server) ?? unreachable(server),
    call: async ({ call: { path }, server, signal }) => {
      if (!this.tools(server)) unreachable(server);
      const mock = await this.answer({ path, signal });
      return { content: [], structuredContent: mock.output ?? {} };
    },
    known: (server, tool) => this.tools(server)?.find(({ name }) => name === tool),
  };

  /** Tools of a server of the case's library; `undefined` where it is not reachable. */
  tools(server: string): McpTool[] | undefined {
    const found = Object.hasOwn(this.around.servers, server) ? this.around.servers[server] : undefined;
    return found?.reachable === false ? undefined : found?.tools;
  }

  /** The agent whose call a path is, by its id and its own path. */
  private agentOf(path: string): { id: string; path: string } | undefined {
    const owner = /^(.*)\[\d+\]\/[^/]+$/.exec(path)?.[1];
    const id = owner?.slice(owner.lastIndexOf('/') + 1);
    return owner !== undefined && id !== undefined && this.around.agents.includes(id) ? { id, path: owner } : undefined;
  }

  /**
   * Under what the mock for a call is found: its full path, else its step's id. An agent's turns are mocked under the agent; so are its tool
   * calls, in order with the turns, where nothing is there under the tool's own name.
   */
  private keyOf(path: string, id: string, agent: { id: string; path: string } | undefined): string {
    const keys = agent ? [path, ...(path.endsWith(']/model') ? [] : [id]), agent.path, agent.id] : [path, id];
    return keys.find((key) => Object.hasOwn(this.mocks, key)) ?? id;
  }

  /** The case's own knowledge base; a search that has a mock is answered by that. */
  knowledge(store: Store): KnowledgePort {
    const base = new KnowledgeBase(store);
    return {
      search: async (query) => {
        const { signal, call } = query;
        if (!this.mocked(call.path)) return base.search(query);
        const { output } = await this.answer({ path: call.path, signal });
        return (isObject(output) && Array.isArray(output.hits) ? output.hits : []) as unknown as KnowledgeHit[];
      },
      document: (documentId, revision) => base.document(documentId, revision),
      named: (name) => base.named(name),
    };
  }

  private mocked(path: string): boolean {
    return [path, path.slice(path.lastIndexOf('/') + 1)].some((key) => Object.hasOwn(this.mocks, key));
  }

  private async answer({ path, signal }: Call): Promise<JsonObject> {
    const id = path.slice(path.lastIndexOf('/') + 1);
    const agent = this.agentOf(path);
    for (const key of new Set([id, path, ...(agent ? [agent.id, agent.path] : [])]))
      this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    const key = this.keyOf(path, id, agent);
    const list = Object.hasOwn(this.mocks, key) ? this.mocks[key] : undefined;
    const used = this.used.get(key) ?? 0;
    this.used.set(key, used + 1);
    const mock = list?.[Math.min(used, list.length - 1)];
    if (!mock) {
      this.missing.push(path);
      throw new TabloomError('internal', `Step ${path} called outside, but the case has no mock for it.`);
    }
    const error = isObject(mock.error) ? mock.error : undefined;
    const delay = mock.delay ?? error?.delay;
    // A call takes at least one tick of virtual time zero, so that a script can see its step at work.
    await this.sleep(
      mock.hang === true ? undefined : delay === undefined ? 0 : durationMs(delay as string | number),
      signal,
    );
    if (error) throw errorOf(error, path, mock.usage);
    return mock;
  }

  private sleep(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = ms === undefined ? undefined : this.clock.setTimer(ms, resolve);
      signal.addEventListener('abort', () => {
        stop?.();
        reject(new TabloomError('cancelled', 'The call was given up.'));
      });
    });
  }
}

/** What is around the steps of a case: ids of its agents, and the MCP servers of its library. */
export interface Surroundings {
  agents: readonly string[];
  servers: Readonly<Record<string, { reachable?: boolean; tools: McpTool[] }>>;
}

/** @throws TabloomError always */
function unreachable(server: string): never {
  throw new TabloomError('mcp_unavailable', `The MCP server "${server}" cannot be reached.`, { acted: false });
}

function toolCallsOf(mock: JsonObject, path: string): ToolCall[] | undefined {
  if (!Array.isArray(mock.toolCalls)) return undefined;
  return mock.toolCalls.flatMap((call, index) =>
    isObject(call) && typeof call.tool === 'string'
      ? { id: `${path}#${index}`, tool: call.tool, arguments: call.arguments ?? {} }
      : [],
  );
}

function errorOf(error: JsonObject, path: string, usage: Json | undefined): TabloomError {
  const status = typeof error.status === 'number' ? error.status : undefined;
  const code = typeof error.code === 'string' ? error.code : status === undefined ? 'internal' : httpErrorCode(status);
  return new TabloomError(code, typeof error.message === 'string' ? error.message : `mocked ${status ?? code}`, {
    step: path,
    retryAfterMs: typeof error.retryAfter === 'number' ? error.retryAfter * 1000 : undefined,
    acted: typeof error.acted === 'boolean' ? error.acted : undefined,
    details: usage === undefined ? undefined : { attempt: { usage } },
  });
}
