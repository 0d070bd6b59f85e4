import { describe, expect, it } from 'vitest';
import { createMemoryStore, seededRandom } from '../../src/adapters/memory/index.ts';
import { KnowledgeBase } from '../../src/engine/knowledge/base.ts';
import { alike, SearchIndex } from '../../src/engine/knowledge/search-index.ts';
import { indexOf } from '../../src/engine/knowledge/segment.ts';
import { termsOf } from '../../src/engine/knowledge/tokens.ts';
import type {
  KnowledgeDocument,
  KnowledgeIndexRow,
  KnowledgePassage,
  KnowledgeWrite,
} from '../../src/model/knowledge.ts';
import type { Store } from '../../src/ports/store.ts';

const document = (documentId: string, content: string, more: Partial<KnowledgeDocument> = {}): KnowledgeDocument => ({
  documentId,
  revision: 'r',
  title: documentId,
  content,
  collections: [],
  updatedAt: 1,
  ...more,
});
const write = (documentId: string, content: string, more: Partial<KnowledgeWrite> = {}): KnowledgeWrite => ({
  documentId,
  revision: `${documentId} ${content}`,
  mode: 'replace',
  content,
  at: 1,
  ...more,
});
const ids = async (base: KnowledgeBase, query: string) =>
  (await base.search({ query, limit: 10 })).map(({ documentId }) => documentId);

/** BM25 as it is defined, by walking through everything. */
function ranked(all: { row: KnowledgeIndexRow; passages: KnowledgePassage[] }[], query: string) {
  const entries = all.flatMap(({ row, passages }) =>
    passages.map(({ i, headings, text }) => {
      const counts = new Map<string, number>();
      const heads = termsOf([row.title, ...headings].join(' '));
      for (const term of heads) counts.set(term, (counts.get(term) ?? 0) + 3);
      const words = termsOf(text);
      for (const term of words) counts.set(term, (counts.get(term) ?? 0) + 1);
      return { key: `${row.documentId}/${i}`, counts, length: heads.length + words.length };
    }),
  );
  const average = entries.reduce((sum, { length }) => sum + length, 0) / entries.length;
  const scores = new Map<string, number>();
  for (const asked of new Set(termsOf(query))) {
    for (const { key, counts, length } of entries) {
      const gains = [...counts].map(([term, count]) => {
        const weight = term === asked ? 1 : alike(term, asked) ? 0.5 : 0;
        const holders = entries.filter((one) => one.counts.has(term)).length;
        const rarity = Math.log(1 + (entries.length - holders + 0.5) / (holders + 0.5));
        return (weight * rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average));
      });
      const gain = Math.max(0, ...gains);
      if (gain > 0) scores.set(key, (scores.get(key) ?? 0) + gain);
    }
  }
  return scores;
}

describe('the ranking', () => {
  it('is BM25, also for words that begin alike, whatever was put in and taken out before', () => {
    const random = seededRandom(7);
    const stems = ['zebra', 'zebras', 'zebrafish', 'car', 'cart', 'carts', 'house', 'housing', 'ab', 'Grüße', '東京'];
    const text = (count: number) =>
      Array.from({ length: count }, () => stems[Math.floor(random.next() * stems.length)]).join(' ');
    const index = new SearchIndex();
    const all = Array.from({ length: 30 }, (_, n) => {
      const parts = Array.from(
        { length: 1 + (n % 4) },
        () => `# ${text(1)}\n${text(1 + Math.floor(random.next() * 40))}`,
      );
      index.put(indexOf(document(`d${n}`, text(9)), 1).row);
      return indexOf(document(`d${n}`, parts.join('\n'), { title: text(1) }), 2);
    });
    for (const { row } of all) index.put(row);
    index.put(indexOf(document('gone', text(50)), 1).row);
    index.remove('gone');
    for (const query of ['zebra', 'carts house', 'housing grusse ab', '東京 car', 'zebr', text(4)]) {
      const wanted = ranked(all, query);
      const found = index.search(query, 1000, { every: true });
      expect(found.map(({ entry, i }) => `${entry.documentId}/${i}`).sort()).toEqual([...wanted.keys()].sort());
      for (const { entry, i, score } of found)
        expect(score, query).toBeCloseTo(wanted.get(`${entry.documentId}/${i}`) as number, 3);
    }
  });

  it('looks at one collection alone, and at each passage where it is asked to', () => {
    const index = new SearchIndex();
    const parts = '# A\nzebra\n# B\nnothing\n# C\nzebra zebra';
    index.put(indexOf(document('one', parts, { collections: ['x'] }), 1).row);
    index.put(indexOf(document('two', 'zebra', { collections: ['y'] }), 1).row);
    expect(index.search('zebra', 9, { collection: 'x' }).map(({ i }) => i)).toEqual([2]);
    expect(index.search('zebra', 9, { collection: 'x', every: true }).map(({ i }) => i)).toEqual([2, 0]);
    expect(index.search('zebra', 9, { collection: 'none' })).toEqual([]);
  });
});

describe('the stored index', () => {
  it('is read by the next base, which reads no write that is in it', async () => {
    const store = createMemoryStore();
    await store.addKnowledge(write('a', 'zebra'), write('b', 'zebra crossing'), write('c', 'x', { mode: 'remove' }));
    expect(await ids(new KnowledgeBase(store), 'crossing')).toEqual(['b']);
    const asked: unknown[] = [];
    const knowledge: Store['knowledge'] = (query) => {
      asked.push(query);
      return store.knowledge(query);
    };
    const next = new KnowledgeBase(Object.assign(Object.create(store) as Store, { knowledge }));
    expect(await ids(next, 'crossing')).toEqual(['b']);
    expect(asked).toEqual([{ after: 3, limit: 100 }]);
  });

  it('follows removals and what is begun anew after them', async () => {
    const store = createMemoryStore();
    const base = new KnowledgeBase(store);
    await store.addKnowledge(write('a', 'zebra', { title: 'Old', collections: ['c'] }));
    expect(await ids(base, 'zebra')).toEqual(['a']);
    await store.addKnowledge(write('a', '', { mode: 'remove' }));
    expect([await ids(base, 'zebra'), await base.named('#c'), await base.named('a')]).toEqual([[], [], []]);
    expect((await base.document('a', 'a zebra'))?.content).toBe('zebra');
    await store.addKnowledge(write('a', 'horse', { mode: 'append' }));
    expect(await base.entries()).toMatchObject([{ documentId: 'a', title: 'a', collections: [], size: 5 }]);
    expect(await ids(base, 'old')).toEqual([]);
  });

  it('that fails stops nothing: neither a search nor the next one', async () => {
    const store = createMemoryStore();
    await store.addKnowledge(write('a', 'zebra'));
    const away = () => Promise.reject(new Error('away'));
    const broken = { knowledgeIndex: away, changeKnowledgeIndex: away, passages: away };
    const base = new KnowledgeBase(Object.assign(Object.create(store) as Store, broken));
    expect(await ids(base, 'zebra')).toEqual(['a']);
    await store.addKnowledge(write('b', 'zebra'));
    expect(await base.search({ query: 'zebra', limit: 5 })).toMatchObject([{ excerpt: 'zebra' }, { excerpt: 'zebra' }]);
  });

  it('of two engines at once is one: each finds all, and shows the passage that it has ranked', async () => {
    const store = createMemoryStore();
    const [one, two] = [new KnowledgeBase(store), new KnowledgeBase(store)];
    await store.addKnowledge(write('a', '# A\nzebra\n# B\nhorse'));
    await Promise.all([ids(one, 'zebra'), ids(two, 'zebra')]);
    // While the first one ranks, the second indexes another text of the same document.
    const passages: Store['passages'] = async (asked) => {
      await store.addKnowledge(write('a', '# A\nother\n# B\nfoal'), write('b', 'zebra'));
      await ids(two, 'zebra');
      return store.passages(asked);
    };
    const slow = new KnowledgeBase(Object.assign(Object.create(store) as Store, { passages }));
    expect(await slow.search({ query: 'zebra', limit: 5 })).toMatchObject([{ documentId: 'a', excerpt: '# A zebra' }]);
    expect([await ids(one, 'zebra'), await ids(two, 'zebra')]).toEqual([['b'], ['b']]);
    expect((await store.knowledgeIndex()).seen).toBe(3);
  });

  it('is filled in parts, each stored, so that a large base is not begun from the start again', async () => {
    const store = createMemoryStore();
    await store.addKnowledge(...Array.from({ length: 250 }, (_, i) => write(`d${i}`, `${i}word`)));
    const steps: number[] = [];
    let dies = true;
    const changeKnowledgeIndex: Store['changeKnowledgeIndex'] = async (change) => {
      steps.push(change.seen);
      return store.changeKnowledgeIndex(change);
    };
    const knowledge: Store['knowledge'] = (query) =>
      dies && (query?.after ?? 0) >= 100 ? Promise.reject(new Error('away')) : store.knowledge(query);
    const base = () =>
      new KnowledgeBase(Object.assign(Object.create(store) as Store, { knowledge, changeKnowledgeIndex }));
    await expect(ids(base(), '7word')).rejects.toThrow('away');
    dies = false;
    expect(await ids(base(), '207word')).toEqual(['d207']);
    expect(steps).toEqual([100, 200, 250]);
  });
});
