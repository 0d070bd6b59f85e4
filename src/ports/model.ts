import type { Json, JsonObject } from '../model/json.ts';
import type { Usage } from '../model/run.ts';

/** A file that a model looks at. */
export interface ModelFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** A tool that a model may ask for. */
export interface ToolDefinition {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: JsonObject;
}

/** A model's wish that a tool be called. Nothing has been checked. */
export interface ToolCall {
  /** The provider's own id, by which the answer to it is given. */
  id: string;
  tool: string;
  /** What the model wrote; a text where that is no JSON. */
  arguments: Json;
  /** What the provider wants to see again with this call (a signature of its thoughts, say). */
  provider?: JsonObject;
}

/** What came of a tool call, as a text for the model. */
export interface ToolAnswer {
  id: string;
  tool: string;
  text: string;
  isError?: boolean;
}

export type ModelMessage =
  | { role: 'user'; content: string; files?: ModelFile[] }
  | { role: 'assistant'; content: string; toolCalls?: ToolCall[] }
  | { role: 'tool'; answers: ToolAnswer[] };

/** One call of a hosted model. */
export interface ModelRequest {
  /**
   * Which step attempt asks: `runId`, `path`, `attempt`. For logs, limits and tests, never sent. `own`: the path in its own run, where `path`
   * is that from the outermost one.
   */
  call: { runId: string; path: string; own?: string; attempt: number };
  /** A name from the settings (`fast`, `best`) or `provider:model`; absent: the default one. */
  model?: string;
  system?: string;
  messages: ModelMessage[];
  /** Tools that it may ask for; none unless given. */
  tools?: ToolDefinition[];
  /** Ask for an object by this JSON Schema, by the provider's own mechanism where it has one. */
  schema?: JsonObject;
  temperature?: number;
  maxTokens: number;
  signal: AbortSignal;
  /** Gets each piece of the reply as it comes; where the answer is not streamed, nothing. */
  onText?: (delta: string) => void;
}

export interface ModelReply {
  /** The reply's text as the provider gave it; for structured output the JSON text. */
  text: string;
  /** Tools that the model asks for, in its order; absent where it asks for none. */
  toolCalls?: ToolCall[];
  usage: Usage;
  /** `provider:model` that answered. */
  model: string;
  finish: 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'other';
  meta?: Json;
}

/**
 * Hosted models. Errors are `TabloomError`s with the codes of SPEC §4 (`rate_limited` with `retryAfterMs`, `provider_unavailable`,
 * `auth_failed`, `quota_exceeded`, `bad_request`, `network`, `content_blocked`). Does not retry: the engine does.
 */
export interface ModelPort {
  generate(request: ModelRequest): Promise<ModelReply>;
  /** Whether a model of that name can be called, for preflight. */
  configured(model: string | undefined): Promise<boolean>;
  /** Price per million tokens in USD, where known. */
  price(model: string | undefined): { input: number; output: number } | undefined;
}
