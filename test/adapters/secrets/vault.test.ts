import { expect, test } from 'vitest';
import { TabloomDatabase } from '../../../src/adapters/dexie/index.ts';
import { createMemorySecretVault, createSecretVault } from '../../../src/adapters/secrets/index.ts';
import { vaultContract } from '../../contract/vault.suite.ts';
import { asTests, fakeIdb } from '../../contract/vitest.ts';

asTests(
  vaultContract('memory vault', async () => ({ vault: createMemorySecretVault(), dispose: async () => undefined })),
);
asTests(
  vaultContract('sealed vault', async () => {
    const db = new TabloomDatabase(fakeIdb());
    return { vault: createSecretVault(db), dispose: async () => db.shut() };
  }),
);

async function sealedOf(db: TabloomDatabase, name: string) {
  const row = await db.secrets.get(name);
  if (!row) throw new Error(`${name} is not stored`);
  return row;
}

test('a sealed secret on disk: no trace of its value, the key cannot be read out, each write looks different', async () => {
  const db = new TabloomDatabase(fakeIdb());
  const vault = createSecretVault(db);
  await vault.set('a', 'correct horse');
  const first = await sealedOf(db, 'a');
  await vault.set('a', 'correct horse');
  const second = await sealedOf(db, 'a');
  expect(Buffer.from(first.sealed).includes('correct')).toBe(false);
  expect([...first.iv]).not.toEqual([...second.iv]);
  expect(Buffer.from(first.sealed).equals(Buffer.from(second.sealed))).toBe(false);
  const [kept] = await db.keys.toArray();
  if (!kept) throw new Error('no key was kept');
  expect(kept.key.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('raw', kept.key)).rejects.toThrow();
});

test('a sealed value that was changed, moved to another name, or lost its key: refused without quoting anything', async () => {
  const db = new TabloomDatabase(fakeIdb());
  const vault = createSecretVault(db);
  await vault.set('a', 'correct horse');
  const row = await sealedOf(db, 'a');
  const changed = new Uint8Array(row.sealed.slice(0));
  changed[0] = ~(changed[0] ?? 0);
  await db.secrets.put({ ...row, name: 'changed', sealed: changed.buffer });
  await db.secrets.put({ ...row, name: 'moved' });
  for (const name of ['changed', 'moved']) {
    const error = await vault.reveal(name).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'secret_missing',
      message: expect.stringContaining(`The secret ${name} can no longer be opened`),
    });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('horse');
  }
  await db.keys.clear();
  await expect(vault.reveal('a')).rejects.toMatchObject({ code: 'secret_missing' });
});
