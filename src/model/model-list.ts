import type { ModelPrice, ModelProvider } from './model-settings.ts';

/** What is known of a model. A model that is not listed can be used like any other; it has no price then. */
export interface ListedModel {
  price: ModelPrice;
  /** `false`: it takes no pictures. */
  pictures?: false;
}

/** What a provider's own pages said, on a day. */
export interface ModelList {
  /** Address of the page with the prices. */
  source: string;
  /** When the page was read, ISO date. Lists get old: what the user sets wins. */
  read: string;
  models: Readonly<Record<string, ListedModel>>;
}

const listed = (input: number, cached: number | undefined, output: number): ListedModel => ({
  price: { input, output, ...(cached === undefined ? {} : { cached }) },
});

/**
 * Models and list prices in USD per million tokens, by provider. Where a provider has tiers it is the ordinary one (short prompts, no
 * batch), and of a price that a provider has already said will rise, the later one.
 */
export const MODEL_LISTS: Readonly<Partial<Record<ModelProvider, ModelList>>> = {
  openai: {
    source: 'https://developers.openai.com/api/docs/pricing',
    read: '2026-06-04',
    models: {
      'gpt-5.5': listed(5, 0.5, 30),
      'gpt-5.4': listed(2.5, 0.25, 15),
      'gpt-5.4-mini': listed(0.75, 0.075, 4.5),
      'gpt-5.4-nano': listed(0.2, 0.02, 1.25),
      'gpt-5.2': listed(1.75, 0.175, 14),
      'gpt-5.1': listed(1.25, 0.125, 10),
      'gpt-5': listed(1.25, 0.125, 10),
      'gpt-5-mini': listed(0.25, 0.025, 2),
      'gpt-5-nano': listed(0.05, 0.005, 0.4),
      'gpt-4.1': listed(2, 0.5, 8),
      'gpt-4.1-mini': listed(0.4, 0.1, 1.6),
      'gpt-4.1-nano': listed(0.1, 0.025, 0.4),
      'gpt-4o': listed(2.5, 1.25, 10),
      'gpt-4o-mini': listed(0.15, 0.075, 0.6),
      'gpt-3.5-turbo': { ...listed(0.5, undefined, 1.5), pictures: false },
      'o3-mini': { ...listed(1.1, 0.55, 4.4), pictures: false },
    },
  },
  anthropic: {
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    read: '2026-10-24',
    models: {
      'claude-opus-5-5': listed(4, 0.2, 20),
      'claude-opus-5': listed(5, 0.5, 25),
      'claude-opus-4-8': listed(5, 0.5, 25),
      'claude-opus-4-7': listed(5, 0.5, 25),
      'claude-opus-4-6': listed(5, 0.5, 25),
      'claude-opus-4-5': listed(5, 0.5, 25),
      'claude-sonnet-5-5': listed(2, 0.1, 10),
      'claude-sonnet-5': listed(2, 0.2, 10),
      'claude-sonnet-4-6': listed(3, 0.3, 15),
      'claude-sonnet-4-5': listed(3, 0.3, 15),
      'claude-sonnet-4': listed(3, 0.3, 15),
      // Prompts of more than 100,000 tokens cost five times as much; these are its prices for those.
      'claude-haiku-5-5': listed(0.5, 0.05, 2.5),
      'claude-haiku-4-5': listed(1, 0.1, 5),
      'claude-3-5-haiku': listed(0.8, 0.08, 4),
    },
  },
  google: {
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    read: '2026-10-07',
    models: {
      'gemini-3.8-flash': listed(1.5, undefined, 7.5),
      'gemini-3.5-flash': listed(1.5, undefined, 9),
      'gemini-3.5-flash-lite': listed(0.3, undefined, 2.5),
      'gemini-3.1-pro-preview': listed(2, undefined, 12),
      'gemini-2.5-pro': listed(1.25, undefined, 10),
      'gemini-2.5-flash': listed(0.3, undefined, 2.5),
      'gemini-2.5-flash-lite': listed(0.1, undefined, 0.4),
    },
  },
};
