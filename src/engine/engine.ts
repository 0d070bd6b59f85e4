import { hashJson } from '../model/canonical.ts';
import type { CommandResult, InboxCommand } from '../model/commands.ts';
import { type JsonObject, wellFormed } from '../model/json.ts';
import { FINAL_RUN, type RunRow, type RunTabs } from '../model/run.ts';
import type { Problem, Revision } from '../model/workflow.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';
import { closedAnswer, refuse } from './approvals/decide.ts';
import { applyEntry, createState } from './fold.ts';
import { type Head, readEntries } from './journal.ts';
import { createMachine } from './machine.ts';
import { compilePlan, type Plan } from './plan.ts';
import { RunActor } from './run-actor.ts';
import { nextDue } from './state.ts';
import type { StepRegistry, WorkPorts } from './step-type.ts';

export interface EngineDeps {
  store: Store;
  clock: Clock;
  random: Random;
  registry: StepRegistry;
  ports: WorkPorts;
  /** After each commit. */
  onCommit?(commit: Commit): void;
  /** Earliest moment at which the engine wants to be woken, or undefined. For the alarm that outlives the worker. */
  onDue?(at: number | undefined): void;
  /** A fault worth a line in the log; never holds data of a run. */
  onFault?(message: string): void;
}

export interface StartRequest {
  revision: Revision;
  input: JsonObject;
  trigger: JsonObject;
  /** Idempotency key: the same key and input return the same run. */
  key?: string;
  tabs?: RunTabs;
}

export type StartResult =
  | { ok: true; runId: string; existing: boolean }
  | { ok: false; code: string; message: string; problems?: Problem[] };

/** How long the engine waits before it tries a run again whose store has failed, milliseconds. */
const STORE_RETRY_MS = 2000;
/** Refused during the emergency stop (SPEC §6, *Control*). */
const STOPPED_COMMANDS = new Set(['decide', 'edit', 'wake', 'signal', 'resume', 'retry', 'recover']);

/**
 * The durable engine. One instance drives all runs of a store; a second one is fenced off by the journal. It may be dropped at any
 * moment: `recover()` of a new instance goes on from what was committed.
 */
export class Engine {
  private readonly deps: EngineDeps;
  private readonly actors = new Map<string, RunActor>();
  private readonly loading = new Map<string, Promise<RunActor | undefined>>();
  private readonly plans = new Map<string, Plan>();
  private cancelTimer: (() => void) | undefined;
  private timerAt: number | undefined;
  private stopped = false;
  private disposed = false;

  constructor(deps: EngineDeps) {
    this.deps = deps;
  }

  get emergency(): boolean {
    return this.stopped;
  }

  /** Runs in memory that have not ended. */
  get active(): readonly RunRow[] {
    return [...this.actors.values()].filter((actor) => !actor.finished).map((actor) => actor.row);
  }

  /** True while nothing is being decided or written. Work in flight does not count. */
  get settled(): boolean {
    return this.loading.size === 0 && [...this.actors.values()].every((actor) => actor.idle);
  }

  /** Attempts under way in this process. */
  get inFlight(): number {
    let count = 0;
    for (const actor of this.actors.values()) count += actor.inFlight;
    return count;
  }

  /**
   * Begins a run of a revision that preflight has accepted. With a key, the same key and input return the run that is there.
   * @returns refusals `emergency_stop` and `key_conflict`
   */
  async start(request: StartRequest): Promise<StartResult> {
    const { store, clock, random } = this.deps;
    if (this.stopped)
      return { ok: false, code: 'emergency_stop', message: 'Everything is stopped; lift the stop first.' };
    const { revision, key } = request;
    const input = wellFormed(request.input) as JsonObject;
    const inputHash = hashJson(input);
    if (key !== undefined) {
      const known = await store.runByStartKey(revision.workflowId, key);
      if (known && known.inputHash !== inputHash) {
        return { ok: false, code: 'key_conflict', message: `The key ${key} was used with another input.` };
      }
      if (known) return { ok: true, runId: known.runId, existing: true };
    }
    const runId = random.id();
    const plan = this.planOf(revision);
    const created = {
      type: 'run.created',
      at: clock.now(),
      data: wellFormed({
        workflowId: revision.workflowId,
        workflowName: revision.definition.name,
        revision: revision.revision,
        input,
        inputHash,
        trigger: request.trigger,
        startKey: key,
        tabs: request.tabs,
      }) as JsonObject,
    };
    const machine = createMachine(createState(plan, runId, created));
    const actor = this.adopt(new RunActor(machine, { seq: 0, hash: '0'.repeat(64) }, this.actorDeps()));
    machine.at = created.at;
    actor.begin(created);
    await actor.quiet();
    return { ok: true, runId, existing: false };
  }

  /** Takes a command; one whose id was answered before gets the same answer. */
  async send(inbox: InboxCommand): Promise<CommandResult> {
    const { store } = this.deps;
    const stored = await store.appendCommand(inbox);
    if (stored.result) return stored.result;
    return this.consume(stored);
  }

  private async consume(inbox: InboxCommand): Promise<CommandResult> {
    const { store } = this.deps;
    const { command } = inbox;
    const answer = async (result: CommandResult): Promise<CommandResult> => {
      await store.answerCommand({ ...inbox, result });
      return result;
    };
    if (this.stopped && STOPPED_COMMANDS.has(command.type)) {
      return answer(refuse('emergency_stop', 'Everything is stopped; lift the stop first.'));
    }
    const actor = await this.actor(command.runId);
    if (!actor) return answer(refuse('run_missing', 'There is no such run.'));
    const result = await actor.command(inbox);
    if (actor.finished) this.actors.delete(command.runId);
    if (
      !result.ok &&
      (result.code === 'not_waiting' || result.code === 'run_finished') &&
      (command.type === 'decide' || command.type === 'edit')
    ) {
      // The step may have left memory with its loop item; its approval's row still knows how it ended.
      const rows = await store.approvals({ runId: command.runId });
      const row = rows.find((approval) => approval.path === command.path && approval.status !== 'pending');
      if (row) return closedAnswer(row, command, inbox.by);
    }
    return result;
  }

  /** Loads every unfinished run and the commands nobody has answered yet, and goes on. */
  async recover(): Promise<void> {
    const { store } = this.deps;
    this.stopped = (await store.setting('engine'))?.stopped === true;
    const unfinished = await store.runs({ status: ['queued', 'running', 'waiting', 'paused'], limit: 10_000 });
    for (const row of unfinished) {
      try {
        await this.actor(row.runId);
      } catch (error) {
        this.deps.onFault?.(
          `Run ${row.runId} could not be read: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
    for (const inbox of await store.pendingCommands()) await this.consume(inbox);
  }

  /** Looks at what is due. Called by the timer, and by the alarm after the worker was away. */
  tick(): void {
    this.timerAt = undefined;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const now = this.deps.clock.now();
    let ticked = false;
    for (const actor of this.actors.values()) {
      const due = nextDue(actor.machine.state);
      if (actor.finished || due === undefined || due > now) continue;
      actor.push({ type: 'tick' });
      ticked = true;
    }
    // Else the actor's turn arms it: until a tick is decided, what it is about still looks due.
    if (!ticked) this.arm();
  }

  /** Steps that wait for one of these origins go on. */
  granted(origins: string[]): void {
    for (const actor of this.actors.values()) if (!actor.finished) actor.push({ type: 'granted', origins });
  }

  /** Pauses all runs and aborts what is in flight; lifting leaves the runs paused, to be resumed by hand (SPEC §6). */
  async emergencyStop(on: boolean): Promise<void> {
    this.stopped = on;
    await this.deps.store.setSetting('engine', { stopped: on });
    if (!on) return;
    await Promise.all(
      [...this.actors.values()].map((actor) => {
        if (!actor.finished) actor.push({ type: 'stop' });
        return actor.quiet();
      }),
    );
  }

  /** Forgets everything in memory, as a death of the process would. */
  dispose(): void {
    this.disposed = true;
    this.cancelTimer?.();
    for (const actor of this.actors.values()) actor.drop('the engine has stopped');
    this.actors.clear();
  }

  /** The run in memory, loaded and recovered when it is not there. Runs that have ended are loaded without being kept. */
  private actor(runId: string): Promise<RunActor | undefined> {
    const known = this.actors.get(runId);
    if (known) return Promise.resolve(known);
    let loading = this.loading.get(runId);
    if (!loading) {
      loading = this.load(runId).finally(() => this.loading.delete(runId));
      this.loading.set(runId, loading);
    }
    return loading;
  }

  private async load(runId: string): Promise<RunActor | undefined> {
    const { store } = this.deps;
    const row = await store.run(runId);
    if (!row) return undefined;
    const revision = await store.revision(row.revision);
    if (!revision) throw new Error(`revision ${row.revision.slice(0, 12)} is missing`);
    const events = await store.events(runId);
    const [first, ...rest] = await readEntries(store, events);
    if (!first) return undefined;
    const state = createState(this.planOf(revision), runId, first);
    for (const entry of rest) applyEntry(state, entry);
    const last = events.at(-1);
    const head: Head = { seq: last?.seq ?? 0, hash: last?.hash ?? '0'.repeat(64) };
    Object.assign(state.run, { seq: head.seq, head: head.hash });
    const actor = new RunActor(createMachine(state), head, this.actorDeps());
    if (this.disposed) return undefined;
    this.actors.set(runId, actor);
    if (!FINAL_RUN.includes(state.run.status)) {
      this.deps.ports.pages.lease(runId, state.tabs);
      actor.push(state.run.status === 'queued' ? { type: 'start' } : { type: 'recover' });
      actor.push({ type: 'tick' });
    }
    return actor;
  }

  private adopt(actor: RunActor): RunActor {
    this.actors.set(actor.runId, actor);
    this.deps.ports.pages.lease(actor.runId, actor.machine.state.tabs);
    return actor;
  }

  private planOf(revision: Revision): Plan {
    let plan = this.plans.get(revision.revision);
    if (!plan) {
      plan = compilePlan(revision.definition, revision.revision, this.deps.registry);
      this.plans.set(revision.revision, plan);
    }
    return plan;
  }

  private actorDeps() {
    const { store, clock, random, ports } = this.deps;
    return {
      store,
      clock,
      random,
      ports,
      committed: (actor: RunActor, commit: Commit) => {
        if (actor.finished) {
          this.actors.delete(actor.runId);
          ports.pages.release(actor.runId);
        }
        this.deps.onCommit?.(commit);
      },
      turned: () => this.arm(),
      lost: (actor: RunActor, why: 'conflict' | 'store', error: Error) => {
        actor.drop(error.message);
        this.actors.delete(actor.runId);
        this.deps.onFault?.(
          why === 'conflict' ? `Run ${actor.runId} is driven by another engine.` : `The store failed: ${error.message}`,
        );
        if (why === 'conflict') return;
        // Nothing is lost: what was not committed did not happen. Read the run again in a while and go on from there.
        clock.setTimer(STORE_RETRY_MS, () => {
          if (!this.disposed)
            this.actor(actor.runId).catch((again: unknown) =>
              this.deps.onFault?.(`Run ${actor.runId} could not be read: ${String(again)}`),
            );
        });
      },
    };
  }

  /** One timer for the earliest due time of all runs. */
  private arm(): void {
    if (this.disposed) return;
    let due: number | undefined;
    for (const actor of this.actors.values()) {
      const at = actor.finished ? undefined : nextDue(actor.machine.state);
      if (at !== undefined && (due === undefined || at < due)) due = at;
    }
    if (due === this.timerAt) return;
    this.timerAt = due;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    this.deps.onDue?.(due);
    if (due !== undefined)
      this.cancelTimer = this.deps.clock.setTimer(Math.max(1, due - this.deps.clock.now()), () => this.tick());
  }
}
