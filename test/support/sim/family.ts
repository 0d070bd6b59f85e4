import { compilePlan, type Plan } from '../../../src/engine/plan.ts';
import type { StepRunRow, Wait } from '../../../src/model/run.ts';
import { registry } from '../../../src/steps/index.ts';
import type { World } from '../engine.ts';
import type { Family } from './workflows.ts';

export function broken(what: string): never {
  throw new Error(`broken: ${what}`);
}

/** Plans of a family's workflows, by workflow and by run. */
export class Plans {
  private readonly plans = new Map<string, Plan>();
  private readonly runs = new Map<string, Plan>();

  constructor({ definition, called }: Family) {
    for (const one of [definition, ...called]) this.plans.set(one.id, compilePlan(one, '', registry));
  }

  /** Told of each run as it is committed. */
  learn(runId: string, workflowId: string): void {
    this.runs.set(runId, this.plans.get(workflowId) as Plan);
  }

  ofRun(runId: string): Plan {
    return this.runs.get(runId) ?? broken(`nobody has heard of the run ${runId}`);
  }
}

/** Stores the workflows of a family and starts the outermost. */
export async function startFamily(world: World, { definition, called }: Family): Promise<void> {
  for (const one of called) await world.save(one);
  const revision = await world.save(definition);
  const started = await world.engine.start({ revision, input: {}, trigger: { type: 'manual' } });
  if (!started.ok) broken(`the start was refused: ${started.message}`);
  world.runId = started.runId;
}

/** A step that waits, in whatever run, and how the outermost run names it. */
export interface Waiting {
  row: StepRunRow;
  root: string;
  path: string;
}

/** Steps of all unfinished runs that wait for something of their own. */
export async function waitingIn(world: World): Promise<Waiting[]> {
  const found: Waiting[] = [];
  for (const run of await world.memory.runs({ status: ['running', 'waiting', 'paused'] }))
    for (const row of await world.memory.steps(run.runId)) {
      if (row.status !== 'waiting' || !row.wait) continue;
      const { parent } = run;
      found.push({ row, root: parent?.root ?? run.runId, path: parent ? `${parent.prefix}/${row.path}` : row.path });
    }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** Whose limit of tokens a step waits to see raised, and what it is. */
export function limitOf({ row }: Waiting): { runId: string; tokens: number } {
  const { data, subject } = row.wait as Wait;
  const { limit } = data as unknown as { limit: { tokens: number } };
  return { runId: subject ?? row.runId, tokens: limit.tokens };
}
