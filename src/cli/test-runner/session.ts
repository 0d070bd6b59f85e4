import type { VirtualClock } from '../../adapters/memory/index.ts';
import { createMemoryStore, seededRandom } from '../../adapters/memory/index.ts';
import { stepsOfTree } from '../../engine/children/tree.ts';
import { Engine } from '../../engine/engine.ts';
import { hashJson } from '../../model/canonical.ts';
import type { Command, CommandResult } from '../../model/commands.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { type Entries, type EntryDefinition, nameOf } from '../../model/library.ts';
import type { RunRow, StepRunRow } from '../../model/run.ts';
import type { Revision, WorkflowDefinition } from '../../model/workflow.ts';
import { registry } from '../../steps/index.ts';
import { Mocks, type Surroundings } from './mocks.ts';

/** One case at work: the real engine on a memory store under a virtual clock, that can be killed and recovered. */
export class Session {
  readonly store = createMemoryStore();
  readonly clock: VirtualClock;
  readonly mocks: Mocks;
  readonly faults: string[] = [];
  engine: Engine;
  runId = '';
  /** Recipes and agents of the case's library. */
  entries: Entries = { recipes: {}, agents: {} };
  private readonly random = seededRandom(1);
  private commands = 0;

  constructor(clock: VirtualClock, mocks: Record<string, JsonObject[]>, around?: Surroundings) {
    this.clock = clock;
    this.mocks = new Mocks(mocks, clock, around);
    this.engine = this.makeEngine();
  }

  private makeEngine(): Engine {
    return new Engine({
      store: this.store,
      clock: this.clock,
      random: this.random,
      registry,
      ports: {
        model: this.mocks.model,
        pages: this.mocks.pages,
        mcp: this.mocks.mcp,
        knowledge: this.mocks.knowledge(this.store),
      },
      onFault: (message) => this.faults.push(message),
    });
  }

  /** Waits until everything that follows from the present moment has happened. */
  async settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (!this.engine.settled);
  }

  /** Keeps a recipe or an agent as its newest revision. */
  async saveEntry(definition: EntryDefinition): Promise<void> {
    const [{ kind, id }, now] = [nameOf(definition), this.clock.now()];
    const revision = hashJson(definition as unknown as Json);
    const row = { kind, id, name: definition.name, revision, createdAt: now, updatedAt: now };
    await this.store.saveEntry(row, { kind, id, revision, definition, source: '', createdAt: now });
  }

  /** Keeps a workflow as its newest revision, switched on; one with errors as a draft. */
  async save(definition: WorkflowDefinition, good = true): Promise<Revision> {
    const [workflowId, now] = [definition.id, this.clock.now()];
    const before = await this.store.workflow(workflowId);
    const revision: Revision = {
      workflowId,
      revision: hashJson(definition as unknown as Json),
      definition,
      createdAt: now,
      ...(before && { parent: before.revision }),
    };
    const row = {
      workflowId,
      name: definition.name,
      revision: revision.revision,
      enabled: good,
      ...(!good && { draft: true }),
    };
    await this.store.saveWorkflow({ ...row, createdAt: before?.createdAt ?? now, updatedAt: now }, revision);
    return revision;
  }

  /** The newest revision of a workflow; undefined where that is a draft with errors. */
  async newest({ workflowId }: Revision): Promise<Revision | undefined> {
    const row = await this.store.workflow(workflowId);
    return row && !row.draft ? this.store.revision(row.revision) : undefined;
  }

  async start(revision: Revision, input: JsonObject, key?: string): Promise<CommandResult> {
    const result = await this.engine.start({ revision, input, trigger: { type: 'manual' }, key });
    if (result.ok) this.runId = result.runId;
    await this.settle();
    return result.ok ? { ok: true } : result;
  }

  /** The engine dies with everything in memory; another one recovers from the store. */
  async crash(): Promise<void> {
    this.engine.dispose();
    await new Promise((resolve) => setImmediate(resolve));
    this.engine = this.makeEngine();
    await this.engine.recover();
    await this.settle();
  }

  async send(command: Command, roles: string[]): Promise<CommandResult> {
    this.commands += 1;
    const result = await this.engine.send({
      commandId: `c${this.commands}`,
      at: this.clock.now(),
      by: 'person',
      roles,
      surface: 'test',
      command,
    });
    await this.settle();
    return result;
  }

  run(): Promise<RunRow | undefined> {
    return this.store.run(this.runId);
  }

  /** Step runs of the run and of those it has called. */
  steps(): Promise<StepRunRow[]> {
    return stepsOfTree(this.store, this.runId);
  }

  async step(path: string): Promise<StepRunRow | undefined> {
    return (await this.steps()).find((row) => row.path === path);
  }
}
