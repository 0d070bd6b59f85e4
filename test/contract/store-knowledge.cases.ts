import type { KnowledgeIndexChange, KnowledgeWrite } from '../../src/model/knowledge.ts';
import type { Store } from '../../src/ports/index.ts';
import { equal, rejected } from './check.ts';
import { commit, event } from './rows.ts';
import type { StoreCase } from './store.suite.ts';

function write(documentId: string, content: string, more: Partial<KnowledgeWrite> = {}): KnowledgeWrite {
  return { documentId, revision: `${documentId}-${content}`, mode: 'append', content, at: 1000, ...more };
}

const contents = async (store: Store, query?: Parameters<Store['knowledge']>[0]): Promise<string[]> =>
  (await store.knowledge(query)).map((row) => row.content);

/** A row of the index of `d`, with as many passages. */
function indexed(documentId: string, n: number, passages = 1): KnowledgeIndexChange['put'][number] {
  const numbers = (...all: number[]) => Uint32Array.from(all);
  return {
    row: {
      documentId,
      revision: `r${n}`,
      title: documentId,
      collections: [],
      updatedAt: 1,
      size: 3,
      passages,
      n,
      terms: 'a\nb\n',
      starts: numbers(0, 1, 2),
      at: numbers(0, 0),
      counts: Uint16Array.from([1, 2]),
      lengths: numbers(3),
    },
    passages: Array.from({ length: passages }, (_, i) => ({ documentId, i, n, headings: ['H'], text: `${n}/${i}` })),
  };
}

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
  [
    'several writes at once, and the first of those after one',
    async (store) => {
      await store.addKnowledge(write('d', '1'), write('e', '2'), write('d', '3'));
      equal(await contents(store, { limit: 2 }), ['1', '2'], 'the first two');
      equal(await contents(store, { documentId: 'd', limit: 1 }), ['1'], 'the first of one');
      const [first] = await store.knowledge();
      equal(await contents(store, { after: first?.n ?? 0, limit: 1 }), ['2'], 'the next');
    },
  ],
  [
    'writes that are erased: only those of the document, and only before the one named; numbers are not given again',
    async (store) => {
      await store.addKnowledge(write('d', '1'), write('e', '2'), write('d', '3'), write('d', '4'));
      const rows = await store.knowledge();
      await store.eraseKnowledge('d', rows[3]?.n ?? 0);
      equal(await contents(store), ['2', '4'], 'left');
      await store.eraseKnowledge('d', (rows[3]?.n ?? 0) + 1);
      await store.addKnowledge(write('d', '5'));
      equal(await contents(store, { after: rows[3]?.n ?? 0 }), ['5'], 'after');
    },
  ],
  [
    'the index: empty at first, changed whole, read again after a reopening',
    async (store, test) => {
      equal(await store.knowledgeIndex(), { seen: 0, rows: [] }, 'empty');
      equal(await store.passages([{ documentId: 'd', i: 0 }]), [undefined], 'no passage');
      const change = { from: 0, seen: 3, put: [indexed('d', 2, 3), indexed('e', 3)], drop: [] };
      equal(await store.changeKnowledgeIndex(change), true, 'changed');
      const next = { from: 3, seen: 5, put: [indexed('d', 4, 2)], drop: ['e', 'none'] };
      equal(await store.changeKnowledgeIndex(next), true, 'changed again');
      const again = await test.reopen();
      equal(
        await again.knowledgeIndex(),
        { seen: 5, rows: [indexed('d', 4).row].map((row) => ({ ...row, passages: 2 })) },
        'index',
      );
      const asked = [1, 0, 2].map((i) => ({ documentId: 'd', i }));
      equal(
        (await again.passages([...asked, { documentId: 'e', i: 0 }])).map((one) => one?.text),
        ['4/1', '4/0', undefined, undefined],
        'passages',
      );
    },
  ],
  [
    'an index that another engine has changed meanwhile is left as it is',
    async (store) => {
      await store.changeKnowledgeIndex({ from: 0, seen: 3, put: [indexed('d', 3)], drop: [] });
      equal(await store.changeKnowledgeIndex({ from: 0, seen: 4, put: [indexed('d', 4)], drop: [] }), false, 'refused');
      equal((await store.knowledgeIndex()).seen, 3, 'seen');
      equal((await store.passages([{ documentId: 'd', i: 0 }]))[0]?.n, 3, 'passage');
    },
  ],
];
