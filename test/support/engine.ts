import {
  createMemoryStore,
  createVirtualClock,
  type MemoryStore,
  seededRandom,
} from '../../src/adapters/memory/index.ts';
import { Engine } from '../../src/engine/engine.ts';
import { checkDefinition, hasErrors } from '../../src/engine/preflight/index.ts';
import { hashJson } from '../../src/model/canonical.ts';
import type { Command, CommandResult } from '../../src/model/commands.ts';
import { TabloomError } from '../../src/model/errors.ts';
import type { JournalEvent } from '../../src/model/events.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { ApprovalRow, RunRow, StepRunRow } from '../../src/model/run.ts';
import type { Revision, WorkflowDefinition } from '../../src/model/workflow.ts';
import type { ModelPort, ModelReply, ModelRequest } from '../../src/ports/model.ts';
import type { PageCall, PageResult } from '../../src/ports/pages.ts';
import type { Commit, Store } from '../../src/ports/store.ts';
import { registry } from '../../src/steps/index.ts';

export const START = Date.parse('2026-01-01T00:00:00Z');

/** What the outside does with a call: gives an output, or throws. `nth` counts the calls of that path, from 1. */
export type Outside = (call: PageCall, nth: number) => Promise<Json> | Json;

export interface WorldOptions {
  outside?: Outside;
  /** Answers for the model of agents; there is none unless given. */
  model?(request: ModelRequest): Promise<ModelReply>;
  /** Wraps the store that engines get, to make it fail or the engine die at a commit. */
  wrap?(store: MemoryStore): Store;
  onCommit?(commit: Commit, engine: Engine): void;
  /** A whole model port instead, with its prices. */
  modelPort?: ModelPort;
  /** Settles once the process is known to live on; it lives unless told otherwise. */
  alive?(): Promise<void>;
}

/** A definition with the keys that every workflow needs. */
export function workflow(steps: JsonObject[], more: JsonObject = {}): WorkflowDefinition {
  return {
    format: 'tabloom/v1',
    id: 'w',
    name: 'W',
    sites: ['https://app.example/*'],
    steps,
    ...more,
  } as unknown as WorkflowDefinition;
}

/** A *once* step. */
export const click = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'browser_action',
  action: 'click',
  arguments: { target: { text: id } },
  ...more,
});
/** An *idempotent* step. */
export const go = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'browser_action',
  action: 'navigate',
  arguments: { url: 'https://app.example/' },
  ...more,
});
/** A *read* step. */
export const look = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'browser_action',
  action: 'snapshot',
  arguments: {},
  ...more,
});
/** A step that computes. */
export const value = (id: string, given: Json, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'deterministic_command',
  operation: 'identity',
  arguments: { value: given },
  ...more,
});
export const gate = (id: string, more: JsonObject = {}): JsonObject => ({
  id,
  type: 'approval',
  title: `May ${id}?`,
  ...more,
});

/** An error as pages and providers throw it. */
export function fails(code: string, more: ConstructorParameters<typeof TabloomError>[2] = {}): never {
  throw new TabloomError(code, `it was ${code}`, more);
}

/** Engines on one memory store under one virtual clock, with the outside as a function. They can be killed and come back. */
export class World {
  readonly memory = createMemoryStore();
  readonly clock = createVirtualClock(START);
  readonly calls: { path: string; attempt: number; key: string; signal: AbortSignal }[] = [];
  readonly faults: string[] = [];
  readonly store: Store;
  engine: Engine;
  runId = '';
  private readonly random = seededRandom('world');
  private readonly options: WorldOptions;
  private commands = 0;

  constructor(options: WorldOptions = {}) {
    this.options = options;
    this.store = options.wrap?.(this.memory) ?? this.memory;
    this.engine = this.makeEngine();
  }

  makeEngine(): Engine {
    const engine: Engine = new Engine({
      store: this.store,
      clock: this.clock,
      random: this.random,
      registry,
      ports: {
        model: this.options.modelPort ?? {
          generate: async (request) => (await this.options.model?.(request)) ?? fails('internal'),
          configured: async () => true,
          price: () => undefined,
        },
        pages: { perform: (call) => this.perform(call), lease: () => {}, release: () => {} },
      },
      onFault: (message) => this.faults.push(message),
      onCommit: (commit) => this.options.onCommit?.(commit, engine),
      alive: async () => this.options.alive?.(),
    });
    return engine;
  }

  private async perform(call: PageCall): Promise<PageResult> {
    this.calls.push({ path: call.path, attempt: call.attempt, key: call.idempotencyKey, signal: call.signal });
    const output = (await this.options.outside?.(call, this.count(call.path))) ?? {};
    return { output, tabs: call.tabs };
  }

  /** How often the outside was called for a path. */
  count(path: string): number {
    return this.calls.filter((call) => call.path === path).length;
  }

  /** Resolves after `ms` of virtual time, or rejects when the call is given up. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.clock.setTimer(ms, resolve);
      signal?.addEventListener('abort', () => {
        stop();
        reject(new TabloomError('cancelled', 'It was given up.'));
      });
    });
  }

  hang(signal: AbortSignal): Promise<never> {
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new TabloomError('cancelled', 'It was given up.')));
    });
  }

  /** Waits until everything that follows from the present moment has happened. */
  async settle(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (!this.engine.settled);
  }

  async save(definition: WorkflowDefinition): Promise<Revision> {
    const problems = checkDefinition(definition, registry);
    if (hasErrors(problems)) throw new Error(problems.map((p) => `${p.pointer} ${p.code}: ${p.message}`).join('\n'));
    const revision: Revision = {
      workflowId: definition.id,
      revision: hashJson(definition as unknown as Json),
      definition,
      createdAt: START,
    };
    const { workflowId } = revision;
    await this.memory.saveWorkflow(
      {
        workflowId,
        name: definition.name,
        revision: revision.revision,
        enabled: true,
        createdAt: START,
        updatedAt: START,
      },
      revision,
    );
    return revision;
  }

  async start(definition: WorkflowDefinition, input: JsonObject = {}, more: JsonObject = {}) {
    const revision = await this.save(definition);
    const result = await this.engine.start({ revision, input, trigger: { type: 'manual' }, ...more });
    if (result.ok) this.runId = result.runId;
    await this.settle();
    return result;
  }

  async crash(): Promise<void> {
    this.engine.dispose();
    await new Promise((resolve) => setImmediate(resolve));
    this.engine = this.makeEngine();
    await this.engine.recover();
    await this.settle();
  }

  /** Hands a command in without waiting for what follows. */
  post(command: Command, more: { by?: string; roles?: string[]; commandId?: string } = {}): Promise<CommandResult> {
    this.commands += 1;
    return this.engine.send({
      commandId: more.commandId ?? `c${this.commands}`,
      at: this.clock.now(),
      by: more.by ?? 'person',
      roles: more.roles ?? ['owner'],
      command,
    });
  }

  async send(command: Command, more?: { by?: string; roles?: string[]; commandId?: string }): Promise<CommandResult> {
    const result = await this.post(command, more);
    await this.settle();
    return result;
  }

  /** A command without content. */
  do(type: 'pause' | 'resume' | 'cancel' | 'retry'): Promise<CommandResult> {
    return this.send({ type, runId: this.runId });
  }

  recover(path: string, decision: 'retry' | 'done' | 'fail', output?: Json): Promise<CommandResult> {
    return this.send({ type: 'recover', runId: this.runId, path, decision, output });
  }

  async decide(
    path: string,
    decision: 'approved' | 'rejected' = 'approved',
    more: { hash?: string; edits?: JsonObject } = {},
  ) {
    const hash = more.hash ?? (await this.approval(path))?.hash ?? '';
    return this.send({ type: 'decide', runId: this.runId, path, hash, decision, edits: more.edits });
  }

  async advance(ms: number): Promise<void> {
    await this.until(this.clock.now() + ms);
  }

  /** Moves the clock to a moment, stopping at each due time on the way. */
  async until(at: number): Promise<void> {
    for (;;) {
      await this.settle();
      const next = this.clock.next();
      if (next === undefined || next > at) break;
      this.clock.advanceTo(next);
    }
    this.clock.advanceTo(at);
    await this.settle();
  }

  /** Lets the clock run until nothing is due. */
  async runOut(moves = 10_000): Promise<void> {
    for (let move = 0; move < moves; move++) {
      await this.settle();
      const next = this.clock.next();
      if (next === undefined) return;
      this.clock.advanceTo(next);
    }
    throw new Error('it does not come to rest');
  }

  async run(): Promise<RunRow> {
    const row = await this.memory.run(this.runId);
    if (!row) throw new Error('there is no run');
    return row;
  }

  steps(): Promise<StepRunRow[]> {
    return this.memory.steps(this.runId);
  }

  async step(path: string): Promise<StepRunRow | undefined> {
    return (await this.steps()).find((row) => row.path === path);
  }

  async status(path: string): Promise<string> {
    return (await this.step(path))?.status ?? 'none';
  }

  events(): Promise<JournalEvent[]> {
    return this.memory.events(this.runId);
  }

  /** The newest approval of a path. */
  async approval(path: string): Promise<ApprovalRow | undefined> {
    const rows = (await this.memory.approvals({ runId: this.runId })).filter((row) => row.path === path);
    return rows.find((row) => row.status === 'pending') ?? rows[0];
  }

  async pending(): Promise<string[]> {
    return (await this.memory.approvals({ runId: this.runId, status: 'pending' })).map((row) => row.path).sort();
  }
}
