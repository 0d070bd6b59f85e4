import { createModelPort, type ModelPortOptions } from '../../src/adapters/llm/index.ts';
import type { ModelAccount, ModelProvider, ModelSettings } from '../../src/model/model-settings.ts';
import type { ModelPort, ModelRequest } from '../../src/ports/model.ts';

/** The key that test accounts use; it must turn up in no message. */
export const TEST_KEY = 'sk-test-0123456789abcdef';

/** Each way in which a provider can be spoken to. The last is what Ollama, LM Studio, OpenRouter and vLLM speak. */
export const ENDPOINTS = ['openai', 'openai-responses', 'anthropic', 'google', 'openai-compatible'] as const;
export type Endpoint = (typeof ENDPOINTS)[number];

/** Settings with one account, named `main`, that speaks to a test server so. */
export function settingsAt(endpoint: Endpoint, serverUrl: string, account: Partial<ModelAccount> = {}): ModelSettings {
  const provider = endpoint === 'openai-responses' ? 'openai' : endpoint;
  const settings = settingsFor(provider, serverUrl);
  const api = endpoint === 'openai-responses' ? { api: 'responses' as const } : {};
  return { ...settings, accounts: settings.accounts.map((one) => ({ ...one, ...api, ...account })) };
}

/** Settings with one account, named `main`, of a provider at a test server. */
export function settingsFor(
  provider: ModelProvider,
  serverUrl: string,
  more: Partial<ModelSettings> = {},
): ModelSettings {
  return {
    accounts: [
      { id: 'main', provider, baseUrl: `${serverUrl}/${provider === 'google' ? 'v1beta' : 'v1'}`, hasKey: true },
    ],
    names: { fast: 'main:test-model' },
    default: 'fast',
    ...more,
  };
}

/** The real model port with a fixed clock (2026-01-05T09:00:00Z) and one key for every account. */
export function portFor(settings: ModelSettings, more: Partial<ModelPortOptions> = {}): ModelPort {
  return createModelPort({
    settings: () => settings,
    vault: { reveal: async () => TEST_KEY },
    clock: { now: () => Date.parse('2026-01-05T09:00:00Z') },
    ...more,
  });
}

/** A plain request; `more` overrides. */
export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    call: { runId: 'r1', path: 'ask', attempt: 1 },
    messages: [{ role: 'user', content: 'Say ok.' }],
    maxTokens: 100,
    signal: new AbortController().signal,
    ...more,
  };
}
