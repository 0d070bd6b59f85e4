import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { IDBKeyRange as FakeKeyRange, indexedDB as fakeIndexedDB } from 'fake-indexeddb';
import { createDexieStore } from '../../src/adapters/dexie/index.ts';
import { createMemoryStore } from '../../src/adapters/memory/index.ts';
import { decide } from '../../src/engine/decide.ts';
import { createState } from '../../src/engine/fold.ts';
import { createMachine } from '../../src/engine/machine.ts';
import { compilePlan } from '../../src/engine/plan.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { WorkflowDefinition } from '../../src/model/workflow.ts';
import type { Store } from '../../src/ports/store.ts';
import { registry } from '../../src/steps/index.ts';
import { chain, computing, fan, graph, loop, nextNumber, Workbench } from './workbench.ts';

export interface Measure {
  name: string;
  steps: number;
  /** Median over the rounds, microseconds a step: on the wall, and of processor time (all threads, garbage collection too). */
  wall: number;
  cpu: number;
}

const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] as number;

/** Runs `work` once to warm up, then as often as `rounds` says. */
async function measure(name: string, steps: number, rounds: number, work: () => Promise<void>): Promise<Measure> {
  await work();
  const walls: number[] = [];
  const cpus: number[] = [];
  for (let round = 0; round < rounds; round++) {
    collect();
    const used = process.cpuUsage();
    const from = performance.now();
    await work();
    walls.push(((performance.now() - from) * 1000) / steps);
    const { user, system } = process.cpuUsage(used);
    cpus.push((user + system) / steps);
  }
  return { name, steps, wall: middle(walls), cpu: middle(cpus) };
}

setFlagsFromString('--expose-gc');
/** Collects garbage, so that none of it is counted for what comes next. */
const collect = runInNewContext('gc') as () => void;

async function onStore(
  make: () => Store,
  name: string,
  steps: number,
  rounds: number,
  list: JsonObject[],
): Promise<Measure> {
  const bench = new Workbench(make());
  const revision = await bench.save('bench', list);
  const measured = await measure(name, steps, rounds, async () => {
    const run = await bench.run(revision);
    if (run.status !== 'completed') throw new Error(`the run is ${run.status}: ${run.error?.message}`);
  });
  await bench.close();
  return measured;
}

const fakeIdb = (): Store =>
  createDexieStore({ name: `bench-${Math.random()}`, indexedDB: fakeIndexedDB, IDBKeyRange: FakeKeyRange });

/** Diamonds one after another: `n0 -> (n1, n2) -> n3 -> …`. */
function diamonds(count: number): Record<string, string[]> {
  const before: Record<string, string[]> = { n0: [] };
  for (let n = 1; n < count; n++) {
    const place = (n - 1) % 3;
    before[`n${n}`] = place === 0 ? [`n${n - 1}`] : place === 1 ? [`n${n - 2}`] : [`n${n - 2}`, `n${n - 1}`];
  }
  return before;
}

/** What nobody can do without: a promise and an entry in a map for each step. */
async function floor(count: number): Promise<void> {
  const outputs = new Map<number, unknown>();
  for (let n = 0; n < count; n++) outputs.set(n, await nextNumber(n));
}

/** Deciding alone: what starts when, what goes in and what comes out, with nothing written and nothing hashed. */
async function scheduling(count: number): Promise<Measure> {
  const definition = { format: 'tabloom/v1', id: 'bench', name: 'Bench', sites: [], steps: computing(count) };
  const plan = compilePlan(definition as unknown as WorkflowDefinition, 'r'.repeat(64), registry);
  return measure(`deciding ${count}`, count, 9, async () => {
    const data = { workflowId: 'bench', workflowName: 'Bench', revision: plan.revision, input: {}, trigger: {} };
    const machine = createMachine(createState(plan, 'run', { type: 'run.created', at: 1, data }));
    let decision = decide(machine, { type: 'start' }, 1, () => 0);
    while (decision.effects.some(({ type }) => type === 'continue'))
      decision = decide(machine, { type: 'continue' }, 1, () => 0);
    if (machine.state.run.status !== 'completed') throw new Error(`the run is ${machine.state.run.status}`);
  });
}

/** All that is measured in this process. */
export async function measureNode(): Promise<Measure[]> {
  const onMemory = (name: string, steps: number, rounds: number, list: JsonObject[]) =>
    onStore(createMemoryStore, name, steps, rounds, list);
  const onFake = (name: string, steps: number, rounds: number, list: JsonObject[]) =>
    onStore(fakeIdb, name, steps, rounds, list);
  return [
    await measure('floor: await and a map', 10_000, 7, () => floor(10_000)),
    await scheduling(1000),
    await onMemory('memory, chain 100', 100, 101, chain(100)),
    await onMemory('memory, fan-out 100 and a join', 101, 101, fan(100)),
    await onMemory('memory, loop 1000', 1000, 9, loop(1000)),
    await onMemory('memory, diamonds 500', 500, 9, graph(diamonds(500))),
    await onMemory('memory, loop 100', 100, 21, loop(100)),
    await onMemory('memory, loop 10000', 10_000, 1, loop(10_000)),
    await onMemory('memory, chain 1000', 1000, 5, chain(1000)),
    await onMemory('memory, chain 10000', 10_000, 1, chain(10_000)),
    await onFake('simulated IndexedDB, chain 100', 100, 31, chain(100)),
    await onFake('simulated IndexedDB, fan-out 100 and a join', 101, 31, fan(100)),
    await onFake('simulated IndexedDB, loop 100', 100, 15, loop(100)),
    await onFake('simulated IndexedDB, loop 1000', 1000, 5, loop(1000)),
    await onFake('simulated IndexedDB, loop 10000', 10_000, 1, loop(10_000)),
  ];
}

/** Kibibytes of heap that one ended run leaves in the engine, over `count` runs of a hundred steps. */
export async function heapKept(count: number): Promise<number> {
  const written = createMemoryStore();
  // A store that keeps nothing of a run, so that what is left is the engine's.
  const bench = new Workbench({ ...written, commit: async () => undefined });
  const revision = await bench.save('bench', loop(100));
  for (let n = 0; n < 10; n++) await bench.run(revision);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < count; n++) await bench.run(revision);
  collect();
  const after = process.memoryUsage().heapUsed;
  await bench.close();
  return (after - before) / 1024 / count;
}

/**
 * Runs that wait for an approval, made by one process, then decided and finished by another.
 * @returns microseconds of processor time, and on the wall, for each run in the second process, its start aside
 * @throws Error when one of them was not finished right
 */
export function approvalsAcross(count: number): { wall: number; cpu: number } {
  const dir = mkdtempSync(join(tmpdir(), 'tabloom-approvals-'));
  try {
    const phase = (name: 'start' | 'resume'): { wall: number; cpu: number } => {
      const script = join(import.meta.dirname, 'approvals.mjs');
      const child = spawnSync(process.execPath, [script, name, String(count), dir], { encoding: 'utf8' });
      if (child.status !== 0) throw new Error(`${name}: ${child.stderr || child.signal}`);
      return JSON.parse(child.stdout) as { wall: number; cpu: number };
    };
    phase('start');
    return phase('resume');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
