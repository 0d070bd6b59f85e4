import { equal } from './check.ts';
import { commit, event, rule } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

const use = (ruleId: string, runId: string, at: number) => ({ ruleId, runId, path: 'gate', at });

export const ruleCases: StoreCase[] = [
  [
    'standing rules: written with the commit that gives them, newest first, with their uses',
    async (store, { reopen }) => {
      equal(await store.rules(), [], 'none yet');
      await store.commit(commit('r1', { events: [event('r1', 1)], rules: [rule('a', { createdAt: 1 })] }));
      await store.commit(commit('r2', { events: [event('r2', 1)], rules: [rule('b', { createdAt: 2 })] }));
      await Promise.all([
        store.commit(commit('r1', { events: [event('r1', 2)], ruleUses: [use('a', 'r1', 5), use('b', 'r1', 5)] })),
        store.commit(commit('r2', { events: [event('r2', 2)], ruleUses: [use('a', 'r2', 7)] })),
      ]);
      const listed = [
        { ...rule('b', { createdAt: 2 }), uses: 1, lastUsedAt: 5 },
        { ...rule('a', { createdAt: 1 }), uses: 2, lastUsedAt: 7 },
      ];
      equal(await store.rules(), listed, 'listed');
      equal(await (await reopen()).rules(), listed, 'in another life');
    },
  ],
  [
    'a use that is written again: counted once',
    async (store) => {
      await store.commit(commit('r1', { events: [event('r1', 1)], rules: [rule('a')] }));
      for (const seq of [2, 3])
        await store.commit(commit('r1', { events: [event('r1', seq)], ruleUses: [use('a', 'r1', 5)] }));
      equal((await store.rules())[0]?.uses, 1, 'uses');
    },
  ],
  [
    'a rule that is withdrawn: gone with its uses, and a use that comes late does not bring it back',
    async (store) => {
      await store.commit(
        commit('r1', { events: [event('r1', 1)], rules: [rule('a'), rule('b')], ruleUses: [use('a', 'r1', 5)] }),
      );
      await store.removeRule('a');
      await store.commit(commit('r1', { events: [event('r1', 2)], ruleUses: [use('a', 'r1', 6)] }));
      equal(
        (await store.rules()).map(({ ruleId }) => ruleId),
        ['b'],
        'left',
      );
      await store.removeRule('none');
    },
  ],
  [
    'a commit that is not written: neither is the rule in it',
    async (store, { abortNext }) => {
      abortNext();
      await store.commit(commit('r1', { events: [event('r1', 1)], rules: [rule('a')] })).catch(() => undefined);
      equal(await store.rules(), [], 'rules');
    },
  ],
];
