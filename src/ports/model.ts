import type { Json, JsonObject } from '../model/json.ts';
import type { Usage } from '../model/run.ts';

export interface ModelMessage {
  role: 'user' | 'assistant';
  content: string;
  /** Pictures that belong to it. */
  files?: ModelFile[];
}

/** A file that a model looks at. */
export interface ModelFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** One call of a hosted model. */
export interface ModelRequest {
  /** Which step attempt asks: `runId`, `path`, `attempt`. For logs, limits and tests, never sent. */
  call: { runId: string; path: string; attempt: number };
  /** A name from the settings (`fast`, `best`) or `provider:model`; absent: the default one. */
  model?: string;
  system?: string;
  messages: ModelMessage[];
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
