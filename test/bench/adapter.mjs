import { IDBKeyRange as FakeKeyRange, indexedDB as fakeIndexedDB } from 'fake-indexeddb';
import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import { createMemoryStore, seededRandom } from '../../src/adapters/memory/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { hashJson } from '../../src/model/canonical.ts';
import { z } from '../../src/model/zod.ts';
import { registry } from '../../src/steps/index.ts';

/**
 * Our engine in the form that the side-by-side benchmark of workflow engines asks for. Each step is outside work: its intent is committed
 * before, its result after, in the store that `cp` names. The time of the run's own creation and end counts too.
 */
export const name = 'tabloom';
/** `memory`: the memory store; `fake-idb`: the product's Dexie store on a simulated IndexedDB, so its CPU cost without a disk. */
export const checkpoints = ['memory', 'fake-idb'];

const realClock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  setTimer(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The benchmark's step as a step type: an async function of one value. */
const bodyType = (body) => ({
  type: 'body',
  title: 'Body',
  summary: 'The step of the benchmark.',
  keys: { value: z.unknown() },
  effect: () => 'read',
  works: true,
  templated: ['value'],
  run: async ({ fields }) => ({ output: await body(fields.value) }),
});

const nothing = () => {
  throw new Error('The benchmark asks neither a model nor a page.');
};

export default async function adapter({ cp, shapes }) {
  const store = cp === 'memory' ? createMemoryStore() : dexieStore();
  const engine = new Engine({
    store,
    clock: realClock,
    random: seededRandom('bench'),
    registry: new Map([...registry, ['body', bodyType(shapes.step)]]),
    ports: {
      model: { generate: nothing, configured: async () => false, price: () => undefined },
      pages: { perform: nothing, lease() {}, release() {} },
    },
    onFault: (message) => {
      throw new Error(message);
    },
  });

  /** @returns a function that runs the steps once and resolves to how many step runs the store has as completed, but for `less`. */
  async function prepared(id, steps, less = 0) {
    const definition = { format: 'tabloom/v1', id, name: id, sites: [], timeout: '1h', steps };
    const revision = { workflowId: id, revision: hashJson(definition), definition, createdAt: 0 };
    const row = { workflowId: id, name: id, revision: revision.revision, enabled: true, createdAt: 0, updatedAt: 0 };
    await store.saveWorkflow(row, revision);
    return async () => {
      const started = await engine.start({ revision, input: {}, trigger: {} });
      if (!started.ok) throw new Error(started.message);
      while (engine.inFlight > 0 || !engine.settled) await new Promise((done) => setImmediate(done));
      const rows = await store.steps(started.runId);
      return rows.filter(({ status }) => status === 'completed').length - less;
    };
  }

  const many = (count, make) => Array.from({ length: count }, (_, i) => make(i));
  const body = (id, value, more = {}) => ({ id, type: 'body', value, ...more });

  return {
    chain: (n) =>
      prepared(
        'chain',
        many(n, (i) => body(`s${i}`, i === 0 ? 0 : `{{step.s${i - 1}.v}}`)),
      ),
    fan: (n) =>
      prepared('fan', [
        ...many(n, (i) => body(`s${i}`, i, { dependsOn: [] })),
        body('join', '{{step.s0.v}}', { dependsOn: many(n, (i) => `s${i}`) }),
      ]),
    // The loop itself is a step run too, which nobody else counts.
    loop: (n) =>
      prepared(
        'loop',
        [{ id: 'each', type: 'loop', over: many(n, (i) => i), maxItems: n, steps: [body('do', '{{loop_item}}')] }],
        1,
      ),
    dag: (n) =>
      prepared(
        'dag',
        Object.entries(shapes.diamond(n)).map(([id, before]) => body(id, 1, { dependsOn: before })),
      ),
    close: async () => {
      engine.dispose();
      await store.close?.();
    },
  };
}

function dexieStore() {
  return createDexieStore({ name: `bench-${process.pid}`, indexedDB: fakeIndexedDB, IDBKeyRange: FakeKeyRange });
}
