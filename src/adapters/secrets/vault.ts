import { TabloomError } from '../../model/errors.ts';
import type { SecretVault } from '../../ports/index.ts';
import { storeError } from '../dexie/errors.ts';
import type { TabloomDatabase } from '../dexie/index.ts';

const KEY_ID = 'secrets';
const IV_BYTES = 12;

/**
 * Secrets in the database, sealed with AES-GCM by a key that cannot be read out, only used, and only by this extension in this profile.
 * Each value has a fresh IV and is bound to its name, so a sealed value moved under another name does not open. Values are in no error.
 * @throws TabloomError `secret_missing` from `reveal` when a stored value cannot be opened; `internal` when the database fails.
 */
export function createSecretVault(db: TabloomDatabase): SecretVault {
  return {
    names: () => guarded(() => db.secrets.toCollection().primaryKeys()),
    async set(name, value) {
      const key = await guarded(() => theKey(db));
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(parameters(name, iv), key, new TextEncoder().encode(value));
      await guarded(() => db.secrets.put({ name, iv, sealed }));
    },
    async reveal(name) {
      const [row, kept] = await guarded(() => Promise.all([db.secrets.get(name), db.keys.get(KEY_ID)]));
      if (!row) return undefined;
      try {
        if (!kept) throw unreadable(name);
        return new TextDecoder().decode(
          await crypto.subtle.decrypt(parameters(name, row.iv as BufferSource), kept.key, row.sealed),
        );
      } catch {
        // Whatever WebCrypto says is left out: it helps nobody.
        throw unreadable(name);
      }
    },
    remove: (name) => guarded(() => db.secrets.delete(name)),
  };
}

/** The one key, made at the first use. Two contexts that make one at the same time end with the same: the first that is stored. */
async function theKey(db: TabloomDatabase): Promise<CryptoKey> {
  const kept = await db.keys.get(KEY_ID);
  if (kept) return kept.key;
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  return db.transaction('rw', db.keys, async () => {
    const first = await db.keys.get(KEY_ID);
    if (first) return first.key;
    await db.keys.add({ id: KEY_ID, key: made });
    return made;
  });
}

function parameters(name: string, iv: BufferSource): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(`tabloom secret ${name}`) };
}

function unreadable(name: string): TabloomError {
  return new TabloomError(
    'secret_missing',
    `The secret ${name} can no longer be opened in this profile; enter it again in Settings.`,
  );
}

async function guarded<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error);
  }
}
