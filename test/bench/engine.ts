import { createMemoryStore, seededRandom } from '../../src/adapters/memory/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { hashJson } from '../../src/model/canonical.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import { registry } from '../../src/steps/index.ts';

export interface Measure {
  name: string;
  steps: number;
  /** Median over the rounds, microseconds a step. */
  usPerStep: number;
}

const realClock = {
  now: () => Math.round(performance.timeOrigin + performance.now()),
  setTimer(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

function makeEngine(store = createMemoryStore()) {
  const engine = new Engine({
    store,
    clock: realClock,
    random: seededRandom('bench'),
    registry,
    ports: {
      model: {
        generate: async () => {
          throw new Error('nothing is asked of a model here');
        },
        configured: async () => true,
        price: () => undefined,
      },
      // The floor of all outside work: one promise.
      pages: {
        perform: async (call) => ({ output: { v: 1, tag: 'ok' }, tabs: call.tabs }),
        lease: () => {},
        release: () => {},
      },
    },
    onFault: (message) => {
      throw new Error(message);
    },
  });
  return { engine, store };
}

function definition(steps: JsonObject[]): WorkflowDefinition {
  return {
    format: 'tabloom/v1',
    id: 'bench',
    name: 'Bench',
    sites: ['https://app.example/*'],
    timeout: '1h',
    steps,
  } as unknown as WorkflowDefinition;
}

/** A step with work outside, so that each pays for an intent and a result. */
const act = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'browser_action',
  action: 'navigate',
  arguments: { url: 'https://app.example/' },
  ...more,
});

async function startRun(workflow: WorkflowDefinition) {
  const { engine, store } = makeEngine();
  const revision = {
    workflowId: workflow.id,
    revision: hashJson(workflow as unknown as Json),
    definition: workflow,
    createdAt: 0,
  };
  await store.saveWorkflow(
    {
      workflowId: workflow.id,
      name: workflow.name,
      revision: revision.revision,
      enabled: true,
      createdAt: 0,
      updatedAt: 0,
    },
    revision,
  );
  const started = await engine.start({ revision, input: {}, trigger: {} });
  if (!started.ok) throw new Error(started.message);
  return { engine, store, runId: started.runId };
}

async function untilDone(engine: Engine): Promise<void> {
  while (engine.inFlight > 0 || !engine.settled) await new Promise((resolve) => setImmediate(resolve));
}

async function wholeRun(steps: JsonObject[]): Promise<number> {
  const from = performance.now();
  const { engine, store, runId } = await startRun(definition(steps));
  await untilDone(engine);
  const took = performance.now() - from;
  const run = await store.run(runId);
  if (run?.status !== 'completed') throw new Error(`the run is ${run?.status}: ${run?.error?.message}`);
  engine.dispose();
  return took;
}

async function approvals(count: number): Promise<number> {
  const over = Array.from({ length: count }, (_, n) => n);
  const gate = { id: 'ok', type: 'approval', title: 'May it?' };
  const { engine, store, runId } = await startRun(
    definition([{ id: 'each', type: 'loop', over, concurrency: 10, steps: [gate, act('do')] }]),
  );
  await untilDone(engine);
  const pending = await store.approvals({ runId, status: 'pending' });
  if (pending.length !== count) throw new Error(`${pending.length} of ${count} wait`);
  const from = performance.now();
  for (const { path, hash } of pending) {
    const result = await engine.send({
      commandId: path,
      at: 0,
      by: 'bench',
      roles: ['owner'],
      command: { type: 'decide', runId, path, hash, decision: 'approved' },
    });
    if (!result.ok) throw new Error(result.message);
  }
  await untilDone(engine);
  const took = performance.now() - from;
  if ((await store.run(runId))?.status !== 'completed') throw new Error('the run has not completed');
  engine.dispose();
  return took;
}

/** What nobody can do without: a promise and an entry in a map for each step. */
async function floor(count: number): Promise<number> {
  const from = performance.now();
  const outputs = new Map<string, unknown>();
  for (let n = 0; n < count; n++) outputs.set(`s${n}`, await (async () => ({ v: n, tag: 'ok' }))());
  return performance.now() - from;
}

async function measure(name: string, steps: number, rounds: number, run: () => Promise<number>): Promise<Measure> {
  await run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await run());
  times.sort((a, b) => a - b);
  return { name, steps, usPerStep: ((times[times.length >> 1] as number) * 1000) / steps };
}

const many = (count: number, make: (n: number) => JsonObject) => Array.from({ length: count }, (_, n) => make(n));

/** All measurements of the engine on the memory store, with work outside that takes no time. */
export async function measureEngine(): Promise<Measure[]> {
  const chain = (count: number) => () => wholeRun(many(count, (n) => act(`s${n}`)));
  const fan = [
    ...many(100, (n) => act(`s${n}`, { dependsOn: [] })),
    act('join', { dependsOn: many(100, (n) => ({ id: `s${n}` })).map((step) => step.id as string) }),
  ];
  const loop = (count: number) => () =>
    wholeRun([{ id: 'each', type: 'loop', over: many(count, (n) => ({ n })), maxItems: count, steps: [act('do')] }]);
  const pure = (count: number) => () =>
    wholeRun(
      many(count, (n) => ({
        id: `s${n}`,
        type: 'deterministic_command',
        operation: 'identity',
        arguments: { value: n },
      })),
    );
  return [
    await measure('floor: await + Map', 10_000, 7, () => floor(10_000)),
    await measure('chain 100', 100, 9, chain(100)),
    await measure('chain 1000', 1000, 5, chain(1000)),
    await measure('chain 10000', 10_000, 1, chain(10_000)),
    await measure('chain 1000, computing', 1000, 5, pure(1000)),
    await measure('fan-out 100 + join', 101, 9, () => wholeRun(fan)),
    await measure('loop 1000', 1000, 5, loop(1000)),
    await measure('loop 10000', 10_000, 1, loop(10_000)),
    await measure('100 approvals resumed', 100, 5, () => approvals(100)),
    await measure('1000 approvals resumed', 1000, 1, () => approvals(1000)),
  ];
}
