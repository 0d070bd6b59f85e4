import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { KnowledgeBase } from '../../src/engine/knowledge/base.ts';
import { excerptOf } from '../../src/engine/knowledge/excerpt.ts';
import { breakBefore, passagesOf } from '../../src/engine/knowledge/passages.ts';
import { SearchIndex } from '../../src/engine/knowledge/search-index.ts';
import { indexOf as indexed } from '../../src/engine/knowledge/segment.ts';
import { termsOf } from '../../src/engine/knowledge/tokens.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { documentOf, type KnowledgeDocument, type KnowledgeWrite } from '../../src/model/knowledge.ts';
import type { Store } from '../../src/ports/store.ts';
import { look, World, workflow } from '../support/engine.ts';

const append = (id: string, content: string): JsonObject => ({
  id,
  type: 'kb_write',
  document: 'd',
  content,
  mode: 'append',
});

/** What the document `d` holds now. */
const textOf = async (store: Store) => (await new KnowledgeBase(store).document('d'))?.content;

/** A store whose commits of a write to the knowledge base go wrong as told, in turn: not written at all, or written without an answer. */
function failing(store: Store, faults: ('lost' | 'unanswered')[]): Store {
  return Object.assign(Object.create(store) as Store, {
    commit: async (commit: Parameters<Store['commit']>[0]) => {
      const fault = commit.knowledge ? faults.shift() : undefined;
      if (fault === 'lost') throw new Error('the disk is away');
      await store.commit(commit);
      if (fault === 'unanswered') throw new Error('the disk has gone away');
    },
  });
}

describe('a write of a step', () => {
  it.each([
    ['was not written: it is written by the next try', ['lost'] as const],
    ['was not written twice: it is written once', ['lost', 'lost'] as const],
    ['was written, but nobody was told: it is not written again', ['unanswered'] as const],
    ['was written, in the second try, but nobody was told', ['lost', 'unanswered'] as const],
  ])('whose commit %s', async (_, faults) => {
    const world = new World({ wrap: (store) => failing(store, [...faults]) });
    await world.start(workflow([look('a'), append('one', '1'), append('two', '2')]));
    await world.runOut();
    expect((await world.run()).status).toBe('completed');
    expect(await textOf(world.memory)).toBe('1\n2');
  });

  it('of an engine that dies between the work and the commit is made once, by the engine after it', async () => {
    let world: World | undefined;
    let died = false;
    world = new World({
      wrap: (store) =>
        Object.assign(Object.create(store) as Store, {
          commit: (commit: Parameters<Store['commit']>[0]) => {
            if (!commit.knowledge || died) return store.commit(commit);
            died = true;
            world?.engine.dispose();
            return new Promise<void>(() => undefined);
          },
        }),
    });
    await world.start(workflow([look('a'), append('one', '1'), look('b')]));
    expect([died, await textOf(world.memory)]).toEqual([true, undefined]);
    await world.crash();
    await world.runOut();
    expect((await world.run()).status).toBe('completed');
    expect([await textOf(world.memory), (await world.memory.knowledge()).length]).toEqual(['1', 1]);
  });

  it('of two engines on one store is made once', async () => {
    const world = new World();
    await world.start(workflow([{ id: 'w', type: 'wait', for: '1s' }, append('one', '1')]));
    const second = world.makeEngine();
    await second.recover();
    await world.runOut();
    second.dispose();
    expect([await textOf(world.memory), (await world.memory.knowledge()).length]).toEqual(['1', 1]);
  });
});

describe('the documents that a run names', () => {
  const put = (documentId: string, content: string, more: Partial<KnowledgeWrite> = {}): KnowledgeWrite => ({
    documentId,
    revision: `${documentId} ${content}`,
    mode: 'replace',
    content,
    at: 1,
    ...more,
  });

  it('are kept as they were at its start, over a death too, and stand in its journal', async () => {
    const world = new World();
    await world.memory.addKnowledge(put('policy', 'old', { collections: ['finance'] }));
    const steps: JsonObject[] = [
      { id: 'w', type: 'wait', signal: 'go' },
      { id: 'ask', type: 'recipe', prompt: 'x', context: ['#finance'] },
    ];
    await world.start(workflow(steps, { context: ['policy'] }));
    await world.memory.addKnowledge(put('policy', 'new'));
    await world.crash();
    const [created] = await world.events();
    expect(created?.data.documents).toEqual([
      { documentId: 'policy', revision: 'policy old', title: 'policy', size: 3, names: ['policy', '#finance'] },
    ]);
    expect((await new KnowledgeBase(world.memory).document('policy', 'policy old'))?.content).toBe('old');
  });

  it('cannot be told while the store fails: then there is no run', async () => {
    const world = new World({
      wrap: (store) =>
        Object.assign(Object.create(store) as Store, { knowledge: () => Promise.reject(new Error('away')) }),
    });
    const result = await world.start(workflow([look('a')], { context: ['policy'] }));
    expect(result).toMatchObject({ ok: false, code: 'internal', message: expect.stringContaining('away') });
    expect(await world.memory.runs()).toEqual([]);
  });

  it('leave no trace in a run that names none', async () => {
    const world = new World();
    await world.memory.addKnowledge(put('policy', 'old'));
    await world.start(workflow([look('a')]));
    expect((await world.events())[0]?.data).not.toHaveProperty('documents');
  });
});

describe('a document', () => {
  const write = (content: string, more: Partial<KnowledgeWrite> = {}): KnowledgeWrite => ({
    documentId: 'd',
    revision: content,
    mode: 'append',
    content,
    at: 1,
    ...more,
  });

  it('is what its writes since the last replace come to; title and collections stay until they are changed', () => {
    const writes = [
      write('a', { title: 'T', collections: ['c'] }),
      write('b\n'),
      write('c'),
      write('d', { mode: 'replace' }),
      write('e', { title: 'U' }),
    ];
    expect(documentOf(writes, 'c')).toMatchObject({ content: 'a\nb\nc', title: 'T', collections: ['c'] });
    expect(documentOf(writes)).toMatchObject({ content: 'd\ne', title: 'U', collections: ['c'], revision: 'e' });
    expect(documentOf(writes, 'never')).toBeUndefined();
    expect(documentOf([])).toBeUndefined();
    expect(documentOf([write('a')])?.title).toBe('d');
  });
});

describe('words', () => {
  it.each([
    ['Grüße, MÜLLER! 3.5 kg', ['gruße', 'muller', '3', '5', 'kg']],
    ['naïve café', ['naive', 'cafe']],
    ['東京都 Tokyo', ['東京', '京都', 'tokyo']],
    ['猫', ['猫']],
    ['iPhone15の値段', ['iphone15', 'の値', '値段']],
    ['हिन्दी', ['हिन्दी']],
    ['  …—!? ', []],
  ])('of %j', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });
});

describe('passages', () => {
  it('begin at headings, and know those above them; a # in code is none', () => {
    const text = '# Travel\nintro\n## Trains\nsecond class\n```\n# no heading\n```\n## Planes ##\nnever\n# Meals\nfood';
    expect(passagesOf(text).map(({ headings, text: part }) => [headings.join(' > '), part.split('\n').at(-1)])).toEqual(
      [
        ['Travel', 'intro'],
        ['Travel > Trains', '```'],
        ['Travel > Planes', 'never'],
        ['Meals', 'food'],
      ],
    );
  });

  it('that are too long are cut where a reader would, and nothing is lost', () => {
    const text = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
    const parts = passagesOf(text).map((part) => part.text);
    expect(parts.every((part) => part.length <= 1200)).toBe(true);
    expect(parts.join(' ')).toBe(text);
    expect(passagesOf('')).toEqual([]);
  });

  it('never cut a character in two', () => {
    expect(breakBefore('🧵'.repeat(10), 5)).toBe(4);
    expect(passagesOf('🧵'.repeat(2000)).every(({ text }) => text.isWellFormed())).toBe(true);
  });
});

describe('the index', () => {
  const document = (documentId: string, content: string, more: Partial<KnowledgeDocument> = {}): KnowledgeDocument => ({
    documentId,
    revision: 'r',
    title: documentId,
    content,
    collections: [],
    updatedAt: 1,
    ...more,
  });
  const indexOf = (...documents: KnowledgeDocument[]) => {
    const index = new SearchIndex();
    for (const each of documents) index.put(indexed(each, 1).row);
    return index;
  };
  const ids = (index: SearchIndex, query: string, limit = 5) =>
    index.search(query, limit).map(({ entry }) => entry.documentId);

  it('puts the document first that holds more of the words, and the rarer ones', () => {
    const index = indexOf(
      document('a', 'red car'),
      document('b', 'red house'),
      document('c', 'blue house'),
      document('d', 'red door'),
    );
    expect(ids(index, 'red house')[0]).toBe('b');
    expect(ids(index, 'blue red')[0]).toBe('c');
    expect(ids(index, 'green')).toEqual([]);
    expect(ids(index, '!?')).toEqual([]);
  });

  it('counts the title more than the text, and finds what has no text', () => {
    const index = indexOf(
      document('a', 'about trains and other things'),
      document('b', 'other things', { title: 'Trains' }),
      document('c', ''),
    );
    expect(ids(index, 'trains')).toEqual(['b', 'a']);
    expect(ids(index, 'c')).toEqual(['c']);
  });

  it('finds words that begin alike, after the word itself', () => {
    const index = indexOf(document('a', 'zebras run'), document('b', 'zebra runs'));
    expect(ids(index, 'zebra')).toEqual(['b', 'a']);
    expect(ids(index, 'zebras')).toEqual(['a', 'b']);
    expect(ids(index, 'zeb')).toEqual([]);
  });

  it('gives each document once, with the passage that fits best', () => {
    const long = document(
      'a',
      `# One\nnothing here\n# Two\n${'filler '.repeat(60)}the zebra crossing ${'filler '.repeat(60)}\n# Three\nend`,
    );
    const [found, ...more] = indexOf(long).search('zebra', 5);
    expect(more).toEqual([]);
    const passage = indexed(long, 1).passages[found?.i ?? -1];
    expect(passage?.headings).toEqual(['Two']);
    const excerpt = excerptOf(passage?.text ?? '', 'zebra');
    expect(excerpt).toMatch(/^… .*the zebra crossing.* …$/);
    expect(excerpt.length).toBeLessThan(260);
  });

  it('forgets what a document held before', () => {
    const index = indexOf(document('a', 'first words'), document('a', 'second text'));
    expect(ids(index, 'first')).toEqual([]);
    expect(ids(index, 'second')).toEqual(['a']);
  });

  it('gives the same order for documents that fit alike', () => {
    expect(ids(indexOf(document('b', 'same'), document('a', 'same')), 'same')).toEqual(['a', 'b']);
  });

  it('of the base sees what was written since, and is not thrown off by a store that failed once', async () => {
    const store = createMemoryStore();
    let fail = true;
    const knowledge: Store['knowledge'] = (query) =>
      fail ? Promise.reject(new Error('away')) : store.knowledge(query);
    const base = new KnowledgeBase(Object.assign(Object.create(store) as Store, { knowledge }));
    await expect(base.search({ query: 'x', limit: 5 })).rejects.toThrow('away');
    fail = false;
    const add = (documentId: string) =>
      store.addKnowledge({
        documentId,
        revision: documentId,
        mode: 'replace',
        content: 'word',
        collections: ['c'],
        at: 1,
      });
    await add('a');
    const two = await Promise.all([base.search({ query: 'word', limit: 5 }), base.search({ query: 'word', limit: 5 })]);
    await add('b');
    const three = await base.search({ query: 'word', limit: 5 });
    expect([...two, three].map((hits) => hits.length)).toEqual([1, 1, 2]);
    expect((await base.named('#c')).map(({ documentId }) => documentId)).toEqual(['a', 'b']);
    expect(await base.named('#none')).toEqual([]);
    expect(await base.named('none')).toEqual([]);
  });
});
