import { expect, test } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/index.ts';
import { commit, event } from '../../contract/rows.ts';
import { storeContract } from '../../contract/store.suite.ts';
import { asTests } from '../../contract/vitest.ts';

asTests(
  storeContract('memory', async () => {
    const store = createMemoryStore();
    return {
      store,
      abortNext: () => store.failNext(new Error('The transaction was aborted.')),
      async reopen() {
        await store.close();
        return store;
      },
      dispose: () => store.close(),
    };
  }),
);

test('failNext: the next commit rejects with just that error, the one after is written', async () => {
  const store = createMemoryStore();
  const full = new Error('full');
  store.failNext(full);
  const [first, second] = await Promise.allSettled([
    store.commit(commit('r1', { events: [event('r1', 1)] })),
    store.commit(commit('r2', { events: [event('r2', 1)] })),
  ]);
  expect(first).toEqual({ status: 'rejected', reason: full });
  expect(second.status).toBe('fulfilled');
  await store.commit(commit('r1', { events: [event('r1', 1)] }));
  expect(await store.events('r1')).toHaveLength(1);
});

test('a value that no database could store: the commit is refused as one would refuse it', async () => {
  const store = createMemoryStore();
  const data = { bad: (() => 1) as unknown as string };
  await expect(store.commit(commit('r1', { events: [{ ...event('r1', 1), data }] }))).rejects.toThrow(
    /could not be cloned/,
  );
  expect(await store.events('r1')).toEqual([]);
});
