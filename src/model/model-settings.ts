/**
 * A provider family that a model account can be of. `openai-compatible` is any server with OpenAI's chat completions, `browser` the model
 * that is built into the browser.
 */
export type ModelProvider = 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'browser';

/** One account at a provider, or one local server. Its key is in the vault under `model:<id>`, never here. */
export interface ModelAccount {
  id: string;
  provider: ModelProvider;
  /** Address of the API up to and including its version (`http://localhost:11434/v1`); needed for `openai-compatible`. */
  baseUrl?: string;
  hasKey: boolean;
  /** Which of OpenAI's two APIs is spoken, for `openai`; `chat` unless said otherwise, since every gateway has it. */
  api?: 'chat' | 'responses';
  /** `false`: answers are asked for in one piece, for a server that cannot send them as a stream. */
  stream?: boolean;
}

/** USD per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  /** For what is read from the provider's cache of prompts; absent: as `input`. */
  cached?: number;
}

/** Model settings without keys. Keys go into the vault under `model:<account>`. */
export interface ModelSettings {
  accounts: ModelAccount[];
  /** Names that workflows use, to `account:model`. */
  names: Record<string, string>;
  /** Used where a step names no model: a name or `account:model`. */
  default?: string;
  /** USD per million tokens, by `account:model` or by model, where the user gave one. */
  prices?: Record<string, ModelPrice>;
}

/** Name in the vault of an account's key. */
export function modelKeyName(accountId: string): string {
  return `model:${accountId}`;
}
