import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { isReservedSecret } from '../../model/secret-name.ts';
import type { SecretUse } from '../../ports/pages.ts';
import type { SecretVault } from '../../ports/store.ts';

/** Arguments with secrets in place, for the act alone, and the values that must not come out again. */
export interface Filled {
  args: JsonObject;
  values: string[];
}

/**
 * Puts secrets over arguments. @throws TabloomError `template_unresolved` for a secret that is not there or the product's own, `internal` for a pointer to nothing.
 */
export async function fillSecrets(args: JsonObject, uses: readonly SecretUse[], vault: SecretVault): Promise<Filled> {
  if (uses.length === 0) return { args, values: [] };
  const filled = structuredClone(args);
  const values: string[] = [];
  for (const use of uses) {
    let text = '';
    for (const part of use.parts) {
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      const value = isReservedSecret(part.secret) ? undefined : await vault.reveal(part.secret);
      if (value === undefined) {
        throw new TabloomError('template_unresolved', `Add the secret "${part.secret}" in the settings.`, {
          path: `secret.${part.secret}`,
        });
      }
      if (value !== '') values.push(value);
      text += value;
    }
    put(filled, use.pointer, text);
  }
  return { args: filled, values };
}

function put(root: JsonObject, pointer: string, text: string): void {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
  const last = keys.pop();
  let holder: Json | undefined = root;
  for (const key of keys) {
    holder =
      holder !== null && typeof holder === 'object' && Object.hasOwn(holder, key)
        ? (holder as JsonObject)[key]
        : undefined;
  }
  if (last === undefined || holder === null || typeof holder !== 'object') {
    throw new TabloomError('internal', `A secret has no place in the arguments at ${pointer}.`);
  }
  (holder as JsonObject)[last] = text;
}

/**
 * Values that a run must not see come back: of every secret that it has used in this life of the worker, and of every one that its workflow
 * names. In memory only, until the run is released.
 */
export class RunSecrets {
  readonly #vault: SecretVault;
  readonly #seen = new Map<string, Set<string>>();

  constructor(vault: SecretVault) {
    this.#vault = vault;
  }

  /**
   * All values to mask for a call, with those that its workflow names looked up anew: the worker may have died since they were used, and
   * a value may have been changed, in which case the old one stays masked too. The set given back grows as the run uses more.
   * @throws TabloomError `internal` when the vault fails, with `acted: false`
   */
  async values(runId: string, names: readonly string[]): Promise<Set<string>> {
    const seen = this.#seen.get(runId) ?? new Set<string>();
    this.#seen.set(runId, seen);
    for (const value of await Promise.all(names.map((name) => this.#reveal(name)))) if (value) seen.add(value);
    return seen;
  }

  async #reveal(name: string): Promise<string | undefined> {
    try {
      return await this.#vault.reveal(name);
    } catch (error) {
      if (!TabloomError.is(error)) throw error;
      // One that cannot be opened any more cannot be used either.
      if (error.code === 'secret_missing') return undefined;
      const { code, message, ...more } = error.info;
      throw new TabloomError(code, message, { ...more, acted: false });
    }
  }

  forget(runId: string): void {
    this.#seen.delete(runId);
  }
}
