import { join } from 'node:path';
import { IDBKeyRange as FakeKeyRange, indexedDB as fakeIndexedDB } from 'fake-indexeddb';
import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { openLogStore } from './log-store.ts';
import { chain, fan, gated, graph, loop, Workbench } from './workbench.ts';

/**
 * Our engine in the form that the side-by-side benchmark of workflow engines asks for. Each step is outside work: its intent is committed
 * before, its result after, in the store that `cp` names. The time of the run's own creation and end counts too.
 */
export const name = 'tabloom';
/**
 * `memory`: the memory store; `log`: the same with a file behind it, so that another process can go on; `fake-idb`: the product's Dexie
 * store on a simulated IndexedDB, so its CPU cost without a disk.
 */
export const checkpoints = ['memory', 'log', 'fake-idb'];

/** @param {{cp: string, dir?: string, shapes: {step: (value: unknown) => Promise<import('../../src/model/json.ts').Json>, diamond: (n: number) => Record<string, string[]>}}} given */
export default async function adapter({ cp, dir, shapes }) {
  const bench = new Workbench(await storeOf(cp, dir), shapes.step);
  /** @type {string[] | undefined} */
  let waiting;
  /** @type {import('../../src/model/workflow.ts').Revision | undefined} */
  let revision;

  /**
   * @param {string} id
   * @param {import('../../src/model/json.ts').JsonObject[]} steps
   * @returns a function that runs the steps once and resolves to how many step runs the store has as completed, but for `less`
   */
  async function prepared(id, steps, less = 0) {
    const saved = await bench.save(id, steps);
    return async () => {
      const { runId } = await bench.run(saved);
      const rows = await bench.store.steps(runId);
      return rows.filter(({ status }) => status === 'completed').length - less;
    };
  }

  const approvals = {
    start: async () => {
      revision ??= await bench.save('gated', gated);
      if ((await bench.run(revision)).status !== 'waiting') throw new Error('the run does not wait');
    },
    /** @param {number} i */
    resume: async (i) => {
      if (!waiting) {
        await bench.engine.recover();
        waiting = bench.engine.active.map((run) => run.runId);
      }
      const runId = /** @type {string} */ (waiting[i]);
      const { status } = await bench.approve(runId);
      const post = (await bench.store.steps(runId)).find(({ path }) => path === 'post');
      return status === 'completed' && JSON.stringify(post?.output).includes('3');
    },
  };

  return {
    /** @param {number} n */
    chain: (n) => prepared('chain', chain(n)),
    /** @param {number} n */
    fan: (n) => prepared('fan', fan(n)),
    // The loop itself is a step run too, which nobody else counts.
    /** @param {number} n */
    loop: (n) => prepared('loop', loop(n), 1),
    /** @param {number} n */
    dag: (n) => prepared('dag', graph(shapes.diamond(n))),
    ...(cp === 'log' && { approvals: () => approvals }),
    close: () => bench.close(),
  };
}

/**
 * @param {string} cp
 * @param {string | undefined} dir
 */
async function storeOf(cp, dir) {
  if (cp === 'memory') return createMemoryStore();
  if (cp === 'log') return openLogStore(join(dir ?? '.', 'journal.log'));
  return createDexieStore({ name: `bench-${process.pid}`, indexedDB: fakeIndexedDB, IDBKeyRange: FakeKeyRange });
}
