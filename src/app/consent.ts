import { compilePlan } from '../engine/plan.ts';
import type { StepRegistry } from '../engine/step-type.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { chooseModel } from '../model/model-choice.ts';
import type { ModelAccount, ModelSettings } from '../model/model-settings.ts';
import type { WorkflowDefinition } from '../model/workflow.ts';
import type { Store } from '../ports/store.ts';

const KEY = 'consent';

/** Whether a person allowed that what workflows read from pages is sent to a model account. */
export interface Consent {
  account: string;
  /** Where it is sent: the address, or the provider's name where the account has no address of its own. */
  where: string;
  /** When it was given, epoch milliseconds; absent where it was not. */
  given?: number;
}

/** Where an account's texts go, in one word that changes when they go elsewhere: consent for one place is none for another. */
const whereOf = ({ provider, baseUrl }: ModelAccount): string => baseUrl ?? provider;

/** A server on this very machine: nothing leaves it. */
function staysHere({ provider, baseUrl }: ModelAccount): boolean {
  if (provider === 'browser') return true;
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false;
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** Accounts outside this machine, each with what the person said. */
export async function consents(store: Store, settings: ModelSettings): Promise<Consent[]> {
  const kept = (await store.setting(KEY)) ?? {};
  return settings.accounts
    .filter((account) => !staysHere(account))
    .map((account) => {
      const where = whereOf(account);
      const row = Object.hasOwn(kept, account.id) ? kept[account.id] : undefined;
      const given = isObject(row) && row.where === where && typeof row.at === 'number' ? row.at : undefined;
      return { account: account.id, where, ...(given === undefined ? {} : { given }) };
    });
}

/** Keeps or takes back the consent for an account; for one that is not there nothing happens. */
export async function setConsent(
  store: Store,
  settings: ModelSettings,
  account: string,
  at: number | undefined,
): Promise<void> {
  const found = settings.accounts.find(({ id }) => id === account);
  const { [account]: _, ...others } = (await store.setting(KEY)) ?? {};
  const next: JsonObject = found && at !== undefined ? { ...others, [account]: { where: whereOf(found), at } } : others;
  await store.setSetting(KEY, next);
}

/** Ids of the accounts that a workflow's recipes and agents send to. A model named by a template counts as the default one. */
export function accountsOf(definition: WorkflowDefinition, registry: StepRegistry, settings: ModelSettings): string[] {
  const found = new Set<string>();
  for (const { def, type } of compilePlan(definition, '', registry).steps.values()) {
    if (!type.model) continue;
    const named = type.model(def, definition);
    const choice = chooseModel(settings, named?.includes('{{') ? undefined : named);
    if (choice) found.add(choice.account.id);
  }
  return [...found];
}
