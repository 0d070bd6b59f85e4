import { createHash } from 'node:crypto';
import type { ModelSettings } from '../../app/protocol.ts';
import { UsageError } from '../args.ts';
import type { Background } from './background.ts';

type Provider = ModelSettings['accounts'][number]['provider'];

/** A model that a run shall use. The key itself is not in here: only the name of the variable that holds it. */
export interface ModelSetup {
  provider: Provider;
  model: string;
  baseUrl?: string;
  apiKeyEnv?: string;
}

/** Ids of the accounts that the command writes, those of earlier versions too; the person's own accounts are left alone. */
const OURS = /^cli(-(openai|anthropic|google|[0-9a-f]{12}))?$/;
/** Names that workflows may use and that the command fills where they are free. */
const NAMES = ['fast', 'best'];

const KEY_VARIABLES: Partial<Record<Provider, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
};
/** Whose a model is when its name does not say so before a colon. */
const FAMILIES: [RegExp, Provider][] = [
  [/^(gpt-|o\d|chatgpt-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'google'],
];
/** Used by the demo when there is a key and no `--model`. */
const DEFAULT_MODELS = { openai: 'gpt-4.1-mini', anthropic: 'claude-haiku-4-5' } as const;

/**
 * Understands `--model`, `--base-url` and `--api-key-env`.
 * @returns `undefined` when no model is asked for.
 * @throws UsageError when they do not fit together, or the variable is empty.
 */
export function chooseModel(
  asked: { model?: string; baseUrl?: string; apiKeyEnv?: string },
  env: NodeJS.ProcessEnv,
): ModelSetup | undefined {
  const { model, baseUrl, apiKeyEnv } = asked;
  if (model === undefined) {
    if (baseUrl !== undefined || apiKeyEnv !== undefined) throw new UsageError('Name the model too: --model NAME.');
    return undefined;
  }
  if (apiKeyEnv !== undefined && !env[apiKeyEnv]) {
    throw new UsageError(
      `The environment variable ${apiKeyEnv} is empty: put the key into it, or leave --api-key-env out.`,
    );
  }
  if (baseUrl !== undefined) {
    if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
      throw new UsageError(`--base-url "${baseUrl}" is no address: write it as http://localhost:11434/v1.`);
    }
    return { provider: 'openai-compatible', model, baseUrl, apiKeyEnv };
  }
  const named = /^(openai|anthropic|google):(.+)$/.exec(model);
  const provider = (named?.[1] as Provider | undefined) ?? FAMILIES.find(([form]) => form.test(model))?.[1];
  if (provider === undefined) {
    throw new UsageError(
      `Say whose model "${model}" is: --model openai:${model}, or give --base-url for a server of your own.`,
    );
  }
  const variable = apiKeyEnv ?? KEY_VARIABLES[provider];
  if (variable === undefined || !env[variable]) {
    throw new UsageError(
      `${provider} needs a key: put it into ${variable}, or name another variable with --api-key-env.`,
    );
  }
  return { provider, model: named?.[2] ?? model, apiKeyEnv: variable };
}

/** The model of the demo by the keys in the environment, OpenAI first; `undefined` when there is none. */
export function modelFromKeys(env: NodeJS.ProcessEnv): ModelSetup | undefined {
  for (const provider of ['openai', 'anthropic'] as const) {
    const apiKeyEnv = KEY_VARIABLES[provider] as string;
    if (env[apiKeyEnv]) return { provider, model: DEFAULT_MODELS[provider], apiKeyEnv };
  }
  return undefined;
}

/** The account of a provider, or of one address: each has its own, so that the key of one is never sent to another. */
export function accountOf({ provider, baseUrl }: Pick<ModelSetup, 'provider' | 'baseUrl'>): string {
  if (baseUrl === undefined) return `cli-${provider}`;
  return `cli-${createHash('sha256').update(`${provider} ${baseUrl}`).digest('hex').slice(0, 12)}`;
}

/**
 * Settings with the command's account in them and as the default. Names that a workflow may use are filled where they are free. Accounts
 * of earlier calls go, with their keys, unless a name of the person's leads to them.
 */
export function withModel(settings: ModelSettings, setup: ModelSetup): ModelSettings {
  const account = accountOf(setup);
  const target = `${account}:${setup.model}`;
  const names = { ...settings.names };
  for (const name of NAMES) if (names[name] === undefined || OURS.test(accountIn(names[name]))) names[name] = target;
  const used = new Set(Object.values(names).map(accountIn));
  const kept = settings.accounts.filter(({ id }) => id !== account && (!OURS.test(id) || used.has(id)));
  const before = settings.accounts.find(({ id }) => id === account);
  return {
    ...settings,
    accounts: [
      {
        ...before,
        id: account,
        provider: setup.provider,
        baseUrl: setup.baseUrl,
        hasKey: setup.apiKeyEnv !== undefined,
      },
      ...kept,
    ],
    names,
    default: target,
  };
}

function accountIn(target: string): string {
  return target.slice(0, Math.max(0, target.indexOf(':')));
}

/**
 * Sets the model in the profile. The key goes from the environment into the extension's vault: into no argument, file or log. Where none
 * is named, one that an earlier call left is removed.
 */
export async function configureModel(background: Background, setup: ModelSetup, env: NodeJS.ProcessEnv): Promise<void> {
  const settings = withModel(await background.ask('models.get', {}), setup);
  const apiKey = setup.apiKeyEnv === undefined ? '' : (env[setup.apiKeyEnv] ?? '');
  await background.ask('models.set', { settings, apiKey, account: accountOf(setup) });
}

/** The model in words, for the person. */
export function modelWords(setup: ModelSetup): string {
  return `${setup.model} (${setup.provider}${setup.baseUrl === undefined ? '' : ` at ${setup.baseUrl}`})`;
}
