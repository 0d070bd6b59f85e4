import { TabloomError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { SecretUse } from '../../ports/pages.ts';
import type { SecretVault } from '../../ports/store.ts';

const MASK = '••••';

/** Arguments with secrets in place, for the act alone, and the values that must not come out again. */
export interface Filled {
  args: JsonObject;
  values: string[];
}

/**
 * Puts secrets over arguments. @throws TabloomError `template_unresolved` for a secret that is not there, `internal` for a pointer to nothing.
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
      const value = await vault.reveal(part.secret);
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

/** A value without the secrets: each is masked wherever it stands, also as an address writes it; short ones only where they stand alone. */
export function maskSecrets<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  const forms = [...new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret), encodeURI(secret)]))];
  forms.sort((a, b) => b.length - a.length);
  return maskIn(value as Json, forms) as T;
}

function maskIn(value: Json | undefined, forms: string[]): Json | undefined {
  if (typeof value === 'string') {
    let text = value;
    for (const form of forms) text = form.length < 4 ? (text === form ? MASK : text) : text.replaceAll(form, MASK);
    return text;
  }
  if (Array.isArray(value)) return value.map((item) => maskIn(item, forms) as Json);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskIn(key, forms) as string, maskIn(item, forms) as Json]),
  );
}
