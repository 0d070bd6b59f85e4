import { Dexie } from 'dexie';
import { expect, test } from 'vitest';
import { createDexieStore } from '../../../src/adapters/dexie/index.ts';
import { keysOf } from '../../../src/adapters/dexie/run-keys.ts';
import { declareVersions, SCHEMA } from '../../../src/adapters/dexie/schema.ts';
import { KnowledgeBase } from '../../../src/engine/knowledge/base.ts';
import type { KnowledgeWrite } from '../../../src/model/knowledge.ts';
import { layoutOf, openUpgraded, seedOlder } from '../../contract/older-database.ts';
import { approval, commit, event, rule, run } from '../../contract/rows.ts';
import { fakeIdb } from '../../contract/vitest.ts';

test('an older database: opening it brings every row along', async () => {
  const idb = fakeIdb();
  await seedOlder(idb);
  expect(await layoutOf(idb)).toBe('old');
  expect(await openUpgraded(idb)).toBe('new');
});

test('an upgrade that fails in the middle: the older database is untouched, and the next try succeeds', async () => {
  const idb = fakeIdb();
  await seedOlder(idb);
  await expect(openUpgraded(idb, { fail: true })).rejects.toThrow(/a row could not be moved/);
  expect(await layoutOf(idb)).toBe('old');
  expect(await openUpgraded(idb)).toBe('new');
});

test('the shipped versions: numbered upwards, each opens after the one before it', async () => {
  const numbers = SCHEMA.map(({ version }) => version);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
  const idb = fakeIdb();
  for (let count = 1; count <= SCHEMA.length; count++) {
    const db = new Dexie('tabloom', idb);
    declareVersions(db, SCHEMA.slice(0, count));
    await db.open();
    db.close();
  }
  const store = createDexieStore(idb);
  await store.commit(commit('r1', { events: [event('r1', 1)] }));
  expect(await store.events('r1')).toHaveLength(1);
});

test('a database of version 1, before there were standing rules: everything in it is still there, and rules can be kept', async () => {
  const idb = fakeIdb();
  const db = new Dexie('tabloom', idb);
  declareVersions(db, SCHEMA.slice(0, 1));
  const waiting = approval('a1', 'r1');
  await db.table('runs').add(run('r1', { status: 'waiting' }));
  await db.table('events').add(event('r1', 1));
  await db.table('approvals').add(waiting);
  await db.table('settings').add({ key: 'drafts', value: { kept: true } });
  db.close();
  const store = createDexieStore(idb);
  expect(await store.approvals({ status: 'pending' })).toEqual([waiting]);
  expect(await store.runs()).toHaveLength(1);
  expect(await store.runs({ status: ['waiting'] })).toEqual([run('r1', { status: 'waiting' })]);
  expect(await store.runs({ workflowId: 'expenses' })).toHaveLength(1);
  expect(await store.events('r1')).toEqual([event('r1', 1)]);
  expect(await store.setting('drafts')).toEqual({ kept: true });
  expect(await store.rules()).toEqual([]);
  await store.commit(commit('r1', { events: [event('r1', 2)], rules: [rule('one')] }));
  expect(await store.rules()).toMatchObject([{ ruleId: 'one', uses: 0 }]);
});

test('a database of version 2, before the knowledge base was indexed: its documents are there, found, and can be written to', async () => {
  const idb = fakeIdb();
  const db = new Dexie('tabloom', idb);
  declareVersions(db, SCHEMA.slice(0, 2));
  const write = (documentId: string, content: string, more: Partial<KnowledgeWrite> = {}): KnowledgeWrite => ({
    documentId,
    revision: `${documentId} ${content}`,
    mode: 'append',
    content,
    at: 1,
    ...more,
  });
  const old = [
    write('policy', 'Trains are paid for', { title: 'Policy', collections: ['finance'], mode: 'replace' }),
    ...Array.from({ length: 150 }, (_, i) => write('log', `line ${i}`)),
    write('policy', 'Ferries too'),
  ];
  await db.table('knowledge').bulkAdd(old);
  const started = run('r1', { status: 'waiting' });
  await db.table('runs').add(started);
  await db.table('runKeys').add(keysOf(started));
  await db.table('settings').add({ key: 'drafts', value: { kept: true } });
  db.close();
  let store = createDexieStore(idb);
  expect((await store.knowledge()).map(({ n: _, ...row }) => row)).toEqual(old);
  expect(await store.knowledgeIndex()).toEqual({ seen: 0, rows: [] });
  expect([await store.setting('drafts'), await store.runs()]).toEqual([{ kept: true }, [started]]);
  let base = new KnowledgeBase(store);
  expect((await base.search({ query: 'ferries', limit: 5 })).map((hit) => hit.documentId)).toEqual(['policy']);
  expect((await base.search({ query: 'line 149', limit: 5 })).map((hit) => hit.documentId)).toEqual(['log']);
  await store.close();
  // The index stays: the next life reads it, and none of the writes that are in it.
  store = createDexieStore(idb);
  expect((await store.knowledgeIndex()).seen).toBe(152);
  const asked: unknown[] = [];
  const watched: typeof store = Object.assign(Object.create(store) as typeof store, {
    knowledge: (query: Parameters<typeof store.knowledge>[0]) => {
      asked.push(query);
      return store.knowledge(query);
    },
  });
  base = new KnowledgeBase(watched);
  await store.addKnowledge(write('policy', 'Planes never'));
  expect((await base.search({ query: 'planes', limit: 5 })).map((hit) => hit.documentId)).toEqual(['policy']);
  expect(asked).toEqual([{ after: 152, limit: 100 }, { documentId: 'policy' }]);
});

test('a database of a newer version: refused with what to do, and not written to', async () => {
  const idb = fakeIdb();
  const db = new Dexie('tabloom', idb);
  declareVersions(db, [...SCHEMA, { version: 99, stores: { later: 'id' } }]);
  await db.open();
  db.close();
  const store = createDexieStore(idb);
  await expect(store.runs()).rejects.toThrow(/newer version of Tabloom; update the extension/);
  await expect(store.commit(commit('r1', { events: [event('r1', 1)] }))).rejects.toThrow(/newer version of Tabloom/);
});
