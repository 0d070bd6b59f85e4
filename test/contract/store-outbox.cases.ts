import { equal } from './check.ts';
import { commit, event, told } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

export const outboxCases: StoreCase[] = [
  [
    'what runs tell: written with the commit that tells it, newest first, and still there in another life',
    async (store, { reopen }) => {
      equal(await store.outbox(), [], 'none yet');
      const [a, b] = [
        told('a', 'r1', { createdAt: 1 }),
        told('b', 'r2', { createdAt: 2, kind: 'handoff', to: 'support' }),
      ];
      await Promise.all([
        store.commit(commit('r1', { events: [event('r1', 1)], outbox: [a] })),
        store.commit(commit('r2', { events: [event('r2', 1)], outbox: [b] })),
      ]);
      equal(await store.outbox(), [b, a], 'listed');
      await store.markSent('a', 50);
      equal(await (await reopen()).outbox(), [b, { ...a, sentAt: 50 }], 'in another life');
    },
  ],
  [
    'one that is written again: the newest stands, once, and is still marked',
    async (store) => {
      await store.commit(commit('r1', { events: [event('r1', 1)], outbox: [told('a', 'r1')] }));
      await store.markSent('a', 50);
      const again = told('a', 'r2', { message: 'Again', createdAt: 2000 });
      await store.commit(commit('r2', { events: [event('r2', 1)], outbox: [again] }));
      equal(await store.outbox(), [{ ...again, sentAt: 50 }], 'entries');
    },
  ],
  [
    'one that is removed: its mark goes too, and one that is not there is not marked',
    async (store) => {
      const row = told('a', 'r1');
      await store.commit(commit('r1', { events: [event('r1', 1)], outbox: [row] }));
      await store.markSent('a', 50);
      await store.removeOutbox('a');
      await store.markSent('a', 60);
      await store.removeOutbox('none');
      equal(await store.outbox(), [], 'none');
      await store.commit(commit('r1', { events: [event('r1', 2)], outbox: [row] }));
      equal(await store.outbox(), [row], 'told anew');
    },
  ],
  [
    'a commit that is not written: nothing is told; a run that is removed: neither',
    async (store, { abortNext }) => {
      equal(await store.outbox(), [], 'none yet');
      abortNext();
      await store.commit(commit('r1', { events: [event('r1', 1)], outbox: [told('a', 'r1')] })).catch(() => undefined);
      equal(await store.outbox(), [], 'not written');
      const run = { ...commit('r1').run, status: 'completed' as const };
      await store.commit(commit('r1', { run, events: [event('r1', 1)], outbox: [told('a', 'r1')] }));
      await store.commit(commit('r2', { events: [event('r2', 1)], outbox: [told('b', 'r2')] }));
      await store.removeRun('r1');
      equal(
        (await store.outbox()).map(({ outboxId }) => outboxId),
        ['b'],
        'left',
      );
    },
  ],
];
