import { Dexie } from 'dexie';
import { expect, test } from 'vitest';
import { createDexieStore } from '../../../src/adapters/dexie/index.ts';
import { declareVersions, SCHEMA } from '../../../src/adapters/dexie/schema.ts';
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
