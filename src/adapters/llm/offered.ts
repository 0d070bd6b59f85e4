import { isObject } from '../../model/json.ts';
import type { ModelAccount } from '../../model/model-settings.ts';
import { baseUrlOf } from './providers.ts';

/**
 * Names of the models that an account's server says it has, in its order; none where it does not say. Never rejects: it is asked only to
 * give better advice.
 */
export async function offeredModels(
  account: ModelAccount,
  key: string | undefined,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<string[]> {
  try {
    const response = await fetch(`${baseUrlOf(account)}/models`, {
      headers: headersFor(account, key),
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal,
    });
    const body: unknown = response.ok ? await response.json() : undefined;
    if (!isObject(body)) return [];
    const rows = Array.isArray(body.data) ? body.data : Array.isArray(body.models) ? body.models : [];
    return rows.flatMap((row) => {
      const name = isObject(row) ? (row.id ?? row.name) : undefined;
      return typeof name === 'string' && name.length <= 200 ? [name.replace(/^models\//, '')] : [];
    });
  } catch {
    return [];
  }
}

function headersFor({ provider }: ModelAccount, key: string | undefined): Record<string, string> {
  if (key === undefined) return {};
  switch (provider) {
    case 'anthropic':
      return {
        'x-api-key': key,
        'anthropic-version': '2023-06-01',
        'anthropic-dangerous-direct-browser-access': 'true',
      };
    case 'google':
      return { 'x-goog-api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}
