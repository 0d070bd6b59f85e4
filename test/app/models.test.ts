import { describe, expect, it } from 'vitest';
import { createMemoryStore, createVirtualClock } from '../../src/adapters/memory/index.ts';
import { createMemorySecretVault } from '../../src/adapters/secrets/index.ts';
import { Models } from '../../src/app/models.ts';
import type { ModelAccount, ModelSettings } from '../../src/model/model-settings.ts';

const ONE: ModelAccount = { id: 'one', provider: 'openai', hasKey: false };
const OTHER: ModelAccount = { id: 'other', provider: 'anthropic', hasKey: false };

async function setUp() {
  const vault = createMemorySecretVault();
  const models = new Models({ store: createMemoryStore(), vault, clock: createVirtualClock() });
  await models.load();
  const settings: ModelSettings = { accounts: [ONE, OTHER], names: {}, default: 'one:m' };
  await models.set(settings, 'key-of-one');
  await models.set(settings, 'key-of-other', 'other');
  const keys = async () => (await vault.names()).sort();
  const change = (part: Partial<ModelAccount>): ModelSettings => ({
    ...settings,
    accounts: [{ ...ONE, ...part }, OTHER],
  });
  return { vault, models, keys, change };
}

describe('the key of a model account', () => {
  it.each([
    ['provider', { provider: 'google' }],
    ['address', { baseUrl: 'http://other.example/v1' }],
  ] as const)('its %s changes: the key is dropped, those of other accounts stay', async (_, part) => {
    const { models, keys, change } = await setUp();
    await models.set(change(part));
    expect(await keys()).toEqual(['model:other']);
    expect((await models.get()).accounts.map(({ hasKey }) => hasKey)).toEqual([false, true]);
  });

  it('its address changes and a new key comes with it: the new one is kept', async () => {
    const { models, vault, change } = await setUp();
    await models.set(change({ baseUrl: 'http://other.example/v1' }), 'new-key', 'one');
    expect(await vault.reveal('model:one')).toBe('new-key');
  });

  it('its address changes and the key that comes is of another account: dropped all the same', async () => {
    const { models, keys, change } = await setUp();
    await models.set(change({ baseUrl: 'http://other.example/v1' }), 'new-key', 'other');
    expect(await keys()).toEqual(['model:other']);
  });

  it('something else changes: the key stays', async () => {
    const { models, keys, change } = await setUp();
    await models.set({ ...change({ hasKey: true }), default: 'one:n', names: { fast: 'one:n' } });
    expect(await keys()).toEqual(['model:one', 'model:other']);
  });

  it('while the change is being stored the old key is gone already and the new one not yet there', async () => {
    const store = createMemoryStore();
    const vault = createMemorySecretVault();
    const models = new Models({ store, vault, clock: createVirtualClock() });
    await models.load();
    await models.set({ accounts: [ONE], names: {} }, 'key-of-one');
    const setSetting = store.setSetting.bind(store);
    let during: string[] | undefined;
    store.setSetting = async (key, value) => {
      during = await vault.names();
      await setSetting(key, value);
    };
    await models.set({ accounts: [{ ...ONE, baseUrl: 'http://other.example/v1' }], names: {} }, 'new-key');
    expect(during).toEqual([]);
    expect(await vault.names()).toEqual(['model:one']);
  });

  it('the account goes: its key goes too', async () => {
    const { models, keys, change } = await setUp();
    await models.set({ ...change({}), accounts: [OTHER] });
    expect(await keys()).toEqual(['model:other']);
  });
});

describe('two windows save the settings', () => {
  it('at the same moment, different parts: both are kept, and no key is lost', async () => {
    const { models, keys, change } = await setUp();
    const base = await models.get();
    const answers = await Promise.all([
      models.set({ ...change({}), names: { fast: 'one:n' } }, undefined, undefined, base),
      models.set({ ...change({}), default: 'other:m' }, undefined, undefined, base),
    ]);
    expect(answers).toEqual([[], []]);
    expect(await models.get()).toMatchObject({ names: { fast: 'one:n' }, default: 'other:m' });
    expect(await keys()).toEqual(['model:one', 'model:other']);
  });

  it('the same account, another address each: the second is told what the first has made of it, nothing of it is saved and no key goes', async () => {
    const { models, vault, change } = await setUp();
    const base = await models.get();
    await models.set(change({ baseUrl: 'http://first.example/v1' }), 'first', 'one', base);
    const conflicts = await models.set(change({ baseUrl: 'http://second.example/v1' }), 'second', 'one', base);
    expect(conflicts).toEqual([
      {
        part: 'account',
        key: 'one',
        mine: 'openai http://second.example/v1',
        theirs: 'openai http://first.example/v1',
      },
    ]);
    expect((await models.get()).accounts[0]).toMatchObject({ baseUrl: 'http://first.example/v1', hasKey: true });
    expect(await vault.reveal('model:one')).toBe('first');
  });
});
