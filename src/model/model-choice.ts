import type { ModelAccount, ModelSettings } from './model-settings.ts';

/** An account and the provider's own id of a model there. */
export interface ModelChoice {
  account: ModelAccount;
  modelId: string;
}

/**
 * Finds what a workflow means by a model name: a name of the settings (`fast`), `account:model`, or `provider:model` (the first
 * account of that provider). Without a name it is the default. Only the first colon splits, since models of local servers hold colons
 * themselves (`ollama:llama3.2:3b`).
 * @returns `undefined` where the settings have no such model
 */
export function chooseModel(settings: ModelSettings, name: string | undefined): ModelChoice | undefined {
  const wanted = name ?? settings.default;
  if (wanted === undefined) return undefined;
  const target = Object.hasOwn(settings.names, wanted) ? settings.names[wanted] : wanted;
  if (target === undefined) return undefined;
  const colon = target.indexOf(':');
  if (colon < 1 || colon === target.length - 1) return undefined;
  const head = target.slice(0, colon);
  const account =
    settings.accounts.find((one) => one.id === head) ?? settings.accounts.find((one) => one.provider === head);
  return account && { account, modelId: target.slice(colon + 1) };
}
