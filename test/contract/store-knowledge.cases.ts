import type { KnowledgeWrite } from '../../src/model/knowledge.ts';
import type { Store } from '../../src/ports/index.ts';
import { equal, rejected } from './check.ts';
import { commit, event } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

function write(documentId: string, content: string, more: Partial<KnowledgeWrite> = {}): KnowledgeWrite {
  return { documentId, revision: `${documentId}-${content}`, mode: 'append', content, at: 1000, ...more };
}

const contents = async (store: Store, query?: Parameters<Store['knowledge']>[0]): Promise<string[]> =>
  (await store.knowledge(query)).map((row) => row.content);

export const knowledgeCases: StoreCase[] = [
  [
    'writes to the knowledge base: all of them, in order, to the letter',
    async (store) => {
      const first = write('d', 'Grüße 🧵\n', {
        title: 'D',
        mode: 'replace',
        collections: ['c'],
        by: { runId: 'r1', path: 'a' },
      });
      await store.addKnowledge(first);
      await store.addKnowledge(write('e', 'other'));
      await store.addKnowledge(write('d', 'more'));
      const rows = await store.knowledge();
      equal(
        rows.map(({ documentId }) => documentId),
        ['d', 'e', 'd'],
        'order',
      );
      const { n, ...row } = rows[0] ?? { n: 0 };
      equal(row, first, 'row');
      equal(
        rows.every((each, i) => each.n > (rows[i - 1]?.n ?? 0)),
        true,
        'numbers grow',
      );
      equal(await contents(store, { after: n }), ['other', 'more'], 'after the first');
      equal(await contents(store, { documentId: 'd' }), ['Grüße 🧵\n', 'more'], 'of one');
      equal(await contents(store, { documentId: 'd', after: n }), ['more'], 'of one, after');
      equal(await contents(store, { documentId: 'none' }), [], 'of none');
    },
  ],
  [
    'a commit with writes: they are there with its events, and stay when its run is removed',
    async (store, test) => {
      const writes = [write('d', '1'), write('d', '2')];
      const ended = { ...commit('r1').run, status: 'completed' as const };
      await store.commit(commit('r1', { run: ended, events: [event('r1', 1)], knowledge: writes }));
      equal(await contents(store), ['1', '2'], 'written');
      await store.removeRun('r1');
      equal(await contents(await test.reopen()), ['1', '2'], 'kept');
    },
  ],
  [
    'a commit whose event is there already, or that is aborted: none of its writes is there',
    async (store, test) => {
      await store.commit(commit('r1', { events: [event('r1', 1)], knowledge: [write('d', '1')] }));
      const clash = commit('r1', { events: [event('r1', 1)], knowledge: [write('d', '2')] });
      equal((await rejected(store.commit(clash), 'clash')).name, 'StoreConflict', 'conflict');
      test.abortNext();
      await rejected(store.commit(commit('r1', { events: [event('r1', 2)], knowledge: [write('d', '3')] })), 'abort');
      equal(await contents(store), ['1'], 'writes');
      await store.commit(commit('r1', { events: [event('r1', 2)], knowledge: [write('d', '4')] }));
      equal(await contents(store), ['1', '4'], 'the next');
    },
  ],
  [
    'commits of several runs at once: no write is lost, whichever document they add to',
    async (store) => {
      const runs = Array.from({ length: 8 }, (_, i) => `r${i}`);
      await Promise.all(
        runs.map((id) => store.commit(commit(id, { events: [event(id, 1)], knowledge: [write('d', id)] }))),
      );
      equal((await contents(store, { documentId: 'd' })).sort(), runs, 'all');
    },
  ],
];
