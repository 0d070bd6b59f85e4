import { chooseModel, type ModelChoice } from './model-choice.ts';
import { type ListedModel, MODEL_LISTS } from './model-list.ts';
import type { ModelPrice, ModelSettings } from './model-settings.ts';

/** The date that providers append to a model's name. */
const DATED = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** What is known of a model at its provider's own address; what another server has under that name is not known. */
export function listedModel({ account, modelId }: ModelChoice): ListedModel | undefined {
  const models = MODEL_LISTS[account.provider]?.models ?? {};
  if (account.baseUrl !== undefined) return undefined;
  const name = [modelId, modelId.replace(DATED, '')].find((one) => Object.hasOwn(models, one));
  return name === undefined ? undefined : models[name];
}

/** What runs on this computer costs nothing. */
const FREE: ModelPrice = { input: 0, output: 0 };

/** Price of a model: the user's own by `account:model`, then by model; then the list price. Never a guess. */
export function priceOf(settings: ModelSettings, choice: ModelChoice): ModelPrice | undefined {
  const { account, modelId } = choice;
  const own = settings.prices ?? {};
  for (const key of [`${account.id}:${modelId}`, modelId]) if (Object.hasOwn(own, key)) return own[key];
  return account.provider === 'browser' ? FREE : listedModel(choice)?.price;
}

/** Models that the settings name and that have no price, as `account:model`: of these only the tokens are counted. */
export function unpriced(settings: ModelSettings): string[] {
  const found = new Set<string>();
  for (const name of [...Object.keys(settings.names), ...(settings.default === undefined ? [] : [settings.default])]) {
    const choice = chooseModel(settings, name);
    if (choice && !priceOf(settings, choice)) found.add(`${choice.account.id}:${choice.modelId}`);
  }
  return [...found];
}
