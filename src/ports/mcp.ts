import type { Json, JsonObject } from '../model/json.ts';
import type { SecretUse } from './pages.ts';

/** A tool as its server describes it. All of it is the server's word. */
export interface McpTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean };
}

/** A tool that its server describes otherwise than when it was pinned. */
export interface ToolChange {
  server: string;
  tool: string;
  before: McpTool;
  now: McpTool;
  /** SHA-256 of `now`: what is accepted is what was looked at. */
  hash: string;
}

/** One call of a tool. */
export interface McpCall {
  /** Which step attempt asks. For logs and tests, never sent. */
  call: { runId: string; path: string; attempt: number };
  server: string;
  tool: string;
  arguments: JsonObject;
  /** Values to put over `arguments` at the last moment; pointers are relative to `arguments`. They must not be stored, logged or returned. */
  secrets: SecretUse[];
  /** Names of all secrets that the workflow uses: none of their values may come back. */
  secretNames: readonly string[];
  signal: AbortSignal;
  /** Same over all attempts of the step (SPEC §6). */
  idempotencyKey: string;
}

/** What a tool gave back, as the protocol has it. */
export interface McpResult {
  content: Json[];
  structuredContent?: Json;
  isError?: boolean;
}

/**
 * Servers that speak the Model Context Protocol, under the names that the settings give them. Errors are `TabloomError`s:
 * `mcp_unavailable` when a server cannot be reached or does not answer as the protocol says, `auth_failed`, `rate_limited`, `bad_request`.
 * Each says by `acted: false` when the call was not delivered. Does not retry: the engine does.
 */
export interface McpPort {
  /** Whether there is a server of that name in the settings. */
  has(server: string): boolean;
  /** All tools of a server, each as it is pinned; asked for anew unless that was done a moment ago. */
  tools(server: string, signal?: AbortSignal): Promise<McpTool[]>;
  /** @throws TabloomError `bad_request` with `reason: 'tool_changed'`, before anything is sent, for a tool that is not what is pinned */
  call(call: McpCall): Promise<McpResult>;
  /** A tool as it is pinned, where its server had it when it was last asked, also in an earlier life of the worker; `undefined` when that is not known. */
  known(server: string, tool: string): McpTool | undefined;
}
