import { forceCloseDatabase } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import { abortsAfterCommit } from '../../../src/adapters/dexie/early-commit.ts';
import { storeError } from '../../../src/adapters/dexie/errors.ts';
import { createDexieStore, TabloomDatabase } from '../../../src/adapters/dexie/index.ts';
import { newestVersion, SCHEMA } from '../../../src/adapters/dexie/schema.ts';
import { abortNextWrite } from '../../contract/dexie-store.ts';
import { commit, event, run } from '../../contract/rows.ts';
import { fakeIdb } from '../../contract/vitest.ts';

/** Notes the durability of every transaction that writes commits. */
async function watchTransactions(database: TabloomDatabase): Promise<string[]> {
  const seen: string[] = [];
  const backend = await database.backend();
  const original = backend.transaction.bind(backend);
  backend.transaction = (stores, mode, options) => {
    if (mode === 'readwrite' && String(stores).split(',').includes('runs')) seen.push(options?.durability ?? 'default');
    return original(stores, mode, options);
  };
  return seen;
}

const one = (runId: string, seq: number, strict = false) => commit(runId, { events: [event(runId, seq)], strict });

test('commits asked for in one micro-task: one transaction, strict as soon as one of them asks for it', async () => {
  const database = new TabloomDatabase(fakeIdb());
  const store = createDexieStore({ database });
  const seen = await watchTransactions(database);
  await Promise.all([store.commit(one('r1', 1)), store.commit(one('r2', 1)), store.commit(one('r3', 1))]);
  await Promise.all([store.commit(one('r1', 2)), store.commit(one('r2', 2, true))]);
  await store.commit(one('r1', 3));
  expect(seen).toEqual(['relaxed', 'strict', 'relaxed']);
});

test('commits asked for while a transaction is under way: they share the next one', async () => {
  const database = new TabloomDatabase(fakeIdb());
  const store = createDexieStore({ database });
  const seen = await watchTransactions(database);
  const first = store.commit(one('r1', 1));
  await Promise.resolve()
    .then(() => undefined)
    .then(() => undefined);
  await Promise.all([first, ...[2, 3, 4, 5].map((seq) => store.commit(one('r1', seq)))]);
  expect(seen.length).toBeLessThanOrEqual(2);
  expect((await store.events('r1')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
});

test('a shared transaction that is aborted: each commit is tried alone, and all are written', async () => {
  const idb = fakeIdb();
  const store = createDexieStore(idb);
  await store.runs();
  const aborted = abortNextWrite(idb);
  await Promise.all([store.commit(one('r1', 1)), store.commit(one('r2', 1)), store.commit(one('r1', 2))]);
  expect(aborted()).toBe(1);
  expect((await store.events('r1')).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await store.run('r2')).toEqual(run('r2'));
});

test('every transaction aborts: each commit rejects, and those of a run after its first say why', async () => {
  const idb = fakeIdb();
  const store = createDexieStore(idb);
  await store.runs();
  abortNextWrite(idb, 3);
  const asked = [store.commit(one('r1', 1)), store.commit(one('r2', 1)), store.commit(one('r1', 2))];
  const [first, second, third] = await Promise.allSettled(asked);
  const abortedWrite = {
    status: 'rejected',
    reason: { message: expect.stringMatching(/aborted the write and nothing of it was stored/) },
  };
  expect(first).toMatchObject(abortedWrite);
  expect(second).toMatchObject(abortedWrite);
  expect(third).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringMatching(/earlier commit of run r1 was not written/) },
  });
  expect(await store.runs()).toEqual([]);
});

test('a connection that the browser cuts: the next commit and the next query open it again', async () => {
  const database = new TabloomDatabase(fakeIdb());
  const store = createDexieStore({ database });
  await store.commit(one('r1', 1));
  forceCloseDatabase((await database.backend()) as unknown as Parameters<typeof forceCloseDatabase>[0]);
  await store.commit(one('r1', 2));
  forceCloseDatabase((await database.backend()) as unknown as Parameters<typeof forceCloseDatabase>[0]);
  expect(await store.events('r1')).toHaveLength(2);
});

test('another page brings a newer version: this connection lets it, and refuses everything from then on', async () => {
  const idb = fakeIdb();
  const store = createDexieStore(idb);
  await store.commit(one('r1', 1));
  const later = new TabloomDatabase({
    ...idb,
    versions: [...SCHEMA, { version: newestVersion(SCHEMA) + 1, stores: { later: 'id' } }],
  });
  await later.open();
  await expect(store.commit(one('r1', 2))).rejects.toThrow(/updated or deleted by another page of Tabloom; reload/);
  await expect(store.runs()).rejects.toThrow(/updated or deleted by another page of Tabloom; reload/);
  expect(await later.events.count()).toBe(1);
});

test('a closed store: every call says so', async () => {
  const store = createDexieStore(fakeIdb());
  await store.close();
  await expect(store.commit(one('r1', 1))).rejects.toThrow(/was closed; open the store again/);
  await expect(store.workflows()).rejects.toThrow(/was closed; open the store again/);
  await expect(store.setSetting('k', {})).rejects.toThrow(/was closed; open the store again/);
});

test.each([
  ['QuotaExceededError', /no room left/],
  ['UnknownError', /restart the browser/],
  ['SomethingElse', /The database failed \(boom\)/],
])('%s: becomes a sentence that says what to do', (name, sentence) => {
  const wrapped = Object.assign(new Error('wrapped'), { name: 'AbortError', inner: new DOMException('boom', name) });
  for (const error of [new DOMException('boom', name), wrapped]) {
    const made = storeError(error);
    expect(made.message).toMatch(sentence);
    expect(made).toMatchObject({ name: 'TabloomError', code: 'internal', info: { details: { name } } });
  }
});

test('early commit: taken where a failed request still aborts, not where it does not, and nothing is left of the question', async () => {
  const database = new TabloomDatabase(fakeIdb());
  const backend = await database.backend();
  expect(await abortsAfterCommit(backend)).toBe(true);
  expect(await database.settings.count()).toBe(0);
  const original = backend.transaction.bind(backend);
  backend.transaction = (...asked) => {
    const transaction = original(...asked);
    // As Firefox does: what fails after `commit` aborts nothing.
    transaction.addEventListener('error', (event) => event.preventDefault());
    return transaction;
  };
  expect(await abortsAfterCommit(backend)).toBe(false);
  expect(await database.settings.count()).toBe(0);
  database.shut();
  expect(await abortsAfterCommit(backend)).toBe(false);
});

test('a value that cannot be stored: the commit says so, and the ones beside it are written', async () => {
  const store = createDexieStore(fakeIdb());
  const data = { bad: (() => 1) as unknown as string };
  const [bad, good] = await Promise.allSettled([
    store.commit(commit('r1', { events: [{ ...event('r1', 1), data }] })),
    store.commit(one('r2', 1)),
  ]);
  expect(bad).toMatchObject({
    status: 'rejected',
    reason: { code: 'internal', message: expect.stringMatching(/not plain data/) },
  });
  expect(good.status).toBe('fulfilled');
});

test('what a run is looked up by: written when it changes, and not with every step', async () => {
  const database = new TabloomDatabase(fakeIdb());
  const store = createDexieStore({ database });
  let written = 0;
  const backend = await database.backend();
  const original = backend.transaction.bind(backend);
  backend.transaction = (stores, mode, options) => {
    if (mode === 'readwrite' && String(stores).split(',').includes('runKeys')) written += 1;
    return original(stores, mode, options);
  };
  const states = ['queued', 'running', 'running', 'running', 'waiting', 'completed'] as const;
  for (const [index, status] of states.entries()) {
    const row = run('r1', { status, ...(status === 'completed' && { endedAt: 9 }) });
    await store.commit(commit('r1', { events: [event('r1', index + 1)], run: row }));
    expect(await store.runs({ status: [status] })).toEqual([row]);
  }
  expect(written).toBe(4);
});

test('two writers in turn on one run: it is found by the state that was written last', async () => {
  const idb = fakeIdb();
  const [first, second] = [createDexieStore(idb), createDexieStore(idb)];
  const states = ['running', 'waiting', 'running', 'waiting', 'waiting', 'running'] as const;
  for (const [index, status] of states.entries()) {
    const row = run('r1', { status });
    await (index % 2 === 0 ? first : second).commit(commit('r1', { events: [event('r1', index + 1)], run: row }));
    expect(await first.runs({ status: [status] })).toEqual([row]);
    expect(await first.runs({ status: [status === 'running' ? 'waiting' : 'running'] })).toEqual([]);
  }
});

test('a commit that is refused: the state that it would have given is not taken for stored', async () => {
  const store = createDexieStore(fakeIdb());
  await store.commit(one('r1', 1));
  const waiting = (seq: number) => commit('r1', { events: [event('r1', seq)], run: run('r1', { status: 'waiting' }) });
  await expect(store.commit(waiting(1))).rejects.toThrow();
  await store.commit(waiting(2));
  expect(await store.runs({ status: ['waiting'] })).toHaveLength(1);
  expect(await store.runs({ status: ['running'] })).toEqual([]);
});
