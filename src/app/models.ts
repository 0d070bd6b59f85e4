import { createModelPort } from '../adapters/llm/index.ts';
import { Turns } from '../engine/turns.ts';
import { TabloomError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type ModelConflict, mergeModels } from '../model/merge-models.ts';
import { chooseModel } from '../model/model-choice.ts';
import { type ModelAccount, type ModelSettings, modelKeyName } from '../model/model-settings.ts';
import type { Clock } from '../ports/clock.ts';
import type { ModelPort } from '../ports/model.ts';
import type { SecretVault, Store } from '../ports/store.ts';
import { type ModelTest, type Reach, testModel } from './model-test.ts';

const KEY = 'models';
const EMPTY: ModelSettings = { accounts: [], names: {} };
/** The model settings and the port that uses them. Kept in memory, since the port asks for them at each call. */
export class Models {
  readonly port: ModelPort;
  readonly #store: Store;
  readonly #vault: SecretVault;
  readonly #clock: Clock;
  readonly #reach: Reach;
  readonly #turns = new Turns();
  #settings: ModelSettings = EMPTY;

  constructor(parts: {
    store: Store;
    vault: SecretVault;
    clock: Clock;
    fetch?: typeof globalThis.fetch;
    reach?: Partial<Omit<Reach, 'fetch'>>;
  }) {
    this.#store = parts.store;
    this.#vault = parts.vault;
    this.#clock = parts.clock;
    this.#reach = {
      fetch: parts.fetch ?? globalThis.fetch.bind(globalThis),
      online: () => true,
      granted: async () => true,
      ...parts.reach,
    };
    this.port = createModelPort({
      settings: () => this.#settings,
      vault: parts.vault,
      clock: parts.clock,
      fetch: parts.fetch,
    });
  }

  async load(): Promise<void> {
    this.#settings = ((await this.#store.setting(KEY)) as unknown as ModelSettings | undefined) ?? EMPTY;
  }

  /** The settings, with what the vault says of each account's key. */
  async get(): Promise<ModelSettings> {
    const names = new Set(await this.#vault.names());
    return {
      ...this.#settings,
      accounts: this.#settings.accounts.map((one) => ({ ...one, hasKey: names.has(modelKeyName(one.id)) })),
    };
  }

  /**
   * Saves settings, and a key if one is given. A key goes to the address that it was given for and to no other: it is removed with its
   * account, and when the account's provider or address changes and no key comes with the change.
   * @param base what the sender had been given: only what differs from it is changed, part by part
   * @returns parts that somebody else has changed too, and differently: nothing is saved then
   * @throws TabloomError `bad_request` when two accounts share an id, or a key is given for no account
   */
  set(wanted: ModelSettings, apiKey?: string, account?: string, base?: ModelSettings): Promise<ModelConflict[]> {
    return this.#turns.after('set', async () => {
      const { settings, conflicts } = base
        ? mergeModels(base, wanted, this.#settings)
        : { settings: wanted, conflicts: [] };
      if (conflicts.length === 0) await this.#save(settings, apiKey, account);
      return conflicts;
    });
  }

  async #save(settings: ModelSettings, apiKey?: string, account?: string): Promise<void> {
    const ids = settings.accounts.map((one) => one.id);
    const twice = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twice !== undefined)
      throw new TabloomError('bad_request', `Rename one of the accounts "${twice}": each needs its own id.`);
    const owner = apiKey === undefined ? undefined : (account ?? accountOfDefault(settings));
    if (apiKey !== undefined && (owner === undefined || !ids.includes(owner)))
      throw new TabloomError('bad_request', 'Add an account first: the key belongs to none.');

    // In this order: no key is ever there together with an address that it was not given for, also where one of these fails.
    for (const before of this.#settings.accounts) {
      const after = settings.accounts.find(({ id }) => id === before.id);
      if (!after || !sameAddress(before, after)) await this.#vault.remove(modelKeyName(before.id));
    }
    await this.#store.setSetting(KEY, settings as unknown as JsonObject);
    this.#settings = settings;
    if (apiKey === undefined || owner === undefined) return;
    if (apiKey.trim() === '') await this.#vault.remove(modelKeyName(owner));
    else await this.#vault.set(modelKeyName(owner), apiKey.trim());
  }

  /** What the popup shows: whether steps that name no model can be run, and with which one. */
  async summary(): Promise<{ configured: boolean; label: string }> {
    const name = this.#settings.default;
    const target = name === undefined ? undefined : (this.#settings.names[name] ?? name);
    return { configured: await this.port.configured(undefined), label: target ?? '' };
  }

  /** Asks a model for one word, and says what is wrong where it does not answer. Never rejects. */
  test(name?: string): Promise<ModelTest> {
    const parts = {
      port: this.port,
      clock: this.#clock,
      reach: this.#reach,
      key: (account: string) => this.#vault.reveal(modelKeyName(account)),
    };
    return testModel(parts, this.#settings, chooseModel(this.#settings, name), name);
  }
}

function sameAddress(one: ModelAccount, other: ModelAccount): boolean {
  return one.provider === other.provider && (one.baseUrl ?? '') === (other.baseUrl ?? '');
}

/** The account that the default model is of; without a default the only one. */
function accountOfDefault({ accounts, names, default: name }: ModelSettings): string | undefined {
  if (name === undefined) return accounts.length === 1 ? accounts[0]?.id : undefined;
  const target = Object.hasOwn(names, name) ? names[name] : name;
  return target?.slice(0, target.indexOf(':'));
}
