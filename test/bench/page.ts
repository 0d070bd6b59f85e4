import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type KnowledgeFigures, measureKnowledge } from './knowledge.ts';
import { chain, fan, gated, loop, Workbench } from './workbench.ts';

/*
 * The engine on the IndexedDB of a real browser, in a worker as the extension's is, beside a journal written by hand. One script for the
 * page and for the worker that it starts.
 */

/** Milliseconds a step, but for what says otherwise. */
export interface BrowserFigures {
  chain: number;
  fan: number;
  loop: number;
  /** One row appended in one transaction of its own, after another; and many at once, one transaction each. */
  rawJournal: number;
  rawFan: number;
  /** Characters of JSON that the run left in the database, a step, of a short loop and of one ten times as long. */
  bytesShort: number;
  bytesLong: number;
  /** Milliseconds until an engine that has just been made drives all runs that wait, and milliseconds to decide and finish each. */
  ready: number;
  finish: number;
  waiting: number;
  /** Milliseconds. */
  knowledge: KnowledgeFigures;
}

const SEQUENCE = 300;
const AT_ONCE = 300;
const WAITING = 1000;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

let databases = 0;

async function median(rounds: number, work: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await work());
  return times.sort((a, b) => a - b)[rounds >> 1] as number;
}

/** One run of these steps on a database of its own, after one that warms up. @returns milliseconds, and how large the rows are */
async function engineRun(steps: JsonObject[], rounds: number): Promise<{ ms: number; bytes: number }> {
  const bench = new Workbench(createDexieStore({ name: `bench-${databases++}` }));
  const revision = await bench.save('bench', steps);
  let runId = '';
  const once = async (): Promise<number> =>
    timed(async () => {
      const run = await bench.run(revision);
      if (run.status !== 'completed') throw new Error(`the run is ${run.status}: ${run.error?.message}`);
      runId = run.runId;
    });
  await once();
  const ms = await median(rounds, once);
  const rows = [await bench.store.run(runId), await bench.store.events(runId), await bench.store.steps(runId)];
  await bench.close();
  return { ms, bytes: JSON.stringify(rows).length };
}

/** A journal as one would write it by hand: one store, one row a step. */
async function raw(count: number, together: boolean): Promise<number> {
  const db = await new Promise<IDBDatabase>((resolve, reject) => {
    const open = indexedDB.open(`raw-${databases++}`, 1);
    open.onupgradeneeded = () => open.result.createObjectStore('journal', { keyPath: ['runId', 'seq'] });
    open.onsuccess = () => resolve(open.result);
    open.onerror = () => reject(open.error);
  });
  const append = (seq: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const transaction = db.transaction('journal', 'readwrite', { durability: 'relaxed' });
      transaction.objectStore('journal').add({ runId: 'r1', seq, type: 'step.completed', data: { v: seq, tag: 'ok' } });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  let seq = 0;
  const once = () =>
    timed(async () => {
      if (together) await Promise.all(Array.from({ length: count }, () => append(seq++)));
      else for (let n = 0; n < count; n++) await append(seq++);
    });
  await once();
  const ms = await median(3, once);
  db.close();
  return ms / count;
}

async function approvals(): Promise<{ ready: number; finish: number }> {
  const name = `bench-${databases++}`;
  const first = new Workbench(createDexieStore({ name }));
  const revision = await first.save('gated', gated);
  for (let n = 0; n < WAITING; n++) {
    if ((await first.run(revision)).status !== 'waiting') throw new Error('the run does not wait');
  }
  await first.close();
  const second = new Workbench(createDexieStore({ name }));
  const ready = await timed(() => second.engine.recover());
  const runs = second.engine.active.map(({ runId }) => runId);
  if (runs.length !== WAITING) throw new Error(`${runs.length} runs wait`);
  const finish = await timed(async () => {
    for (const runId of runs) await second.approve(runId);
  });
  const done = await second.store.runs({ status: ['completed'] });
  if (done.length !== WAITING) throw new Error(`${done.length} runs have completed`);
  await second.close();
  return { ready, finish: finish / WAITING };
}

async function measure(): Promise<BrowserFigures> {
  const [rawJournal, rawFan] = [await raw(SEQUENCE, false), await raw(AT_ONCE, true)];
  const [sequence, atOnce] = [await engineRun(chain(SEQUENCE), 3), await engineRun(fan(AT_ONCE), 3)];
  const [short, long] = [await engineRun(loop(100), 3), await engineRun(loop(1000), 1)];
  const { ready, finish } = await approvals();
  const store = createDexieStore({ name: `bench-${databases++}` });
  const knowledge = await measureKnowledge(store);
  await store.close();
  return {
    chain: sequence.ms / SEQUENCE,
    fan: atOnce.ms / (AT_ONCE + 1),
    loop: long.ms / 1000,
    rawJournal,
    rawFan,
    bytesShort: short.bytes / 100,
    bytesLong: long.bytes / 1000,
    ready,
    finish,
    waiting: WAITING,
    knowledge,
  };
}

if (typeof document === 'undefined') {
  measure().then(
    (figures) => postMessage({ figures }),
    (error: unknown) => postMessage({ error: String((error as Error)?.stack ?? error) }),
  );
} else {
  Reflect.set(
    globalThis,
    'measured',
    new Promise((resolve) => {
      new Worker('/bench.js').onmessage = ({ data }) => resolve(data);
    }),
  );
}
