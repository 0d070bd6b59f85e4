import type { CommandResult, InboxCommand } from '../model/commands.ts';
import type { Json } from '../model/json.ts';
import { FINAL_RUN, type RunRow } from '../model/run.ts';
import type { Revision } from '../model/workflow.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';
import { closedAnswer, refuse } from './approvals/decide.ts';
import { applyEntry, createState } from './fold.ts';
import { deriveRow, type Head, readEntries } from './journal.ts';
import { createMachine } from './machine.ts';
import { compilePlan, type Plan } from './plan.ts';
import { RunActor } from './run-actor.ts';
import { redactJson, secretError } from './secrets/index.ts';
import { createdEntry, existingRun, prepareStart, type StartRequest, type StartResult } from './start.ts';
import type { StepRegistry, WorkPorts } from './step-type.ts';
import { commitEndOfUnreadable } from './unreadable.ts';

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
  /**
   * Resolves when this process is known to live on. In one that is being ended everything outside fails, for no reason of its own: no
   * failure of an attempt is taken for one before this has resolved.
   */
  alive?(): Promise<void>;
}

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
  private readonly starting = new Map<string, Promise<unknown>>();
  private readonly loading = new Map<string, Promise<RunActor | undefined>>();
  private readonly plans = new Map<string, Plan>();
  private cancelTimer: (() => void) | undefined;
  private timerAt: number | undefined;
  private readonly answering = new Map<string, Promise<CommandResult>>();
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
   * Resolves as soon as the run is stored.
   * @returns refusals `emergency_stop`, `key_conflict` and `secret_detected`, and `internal` where the store has failed: there is no run then
   */
  async start(request: StartRequest): Promise<StartResult> {
    const { revision, key } = request;
    if (key === undefined) return this.begin(request);
    // Two starts with one key at the same moment are one run as well.
    const name = JSON.stringify([revision.workflowId, key]);
    const before = this.starting.get(name) ?? Promise.resolve();
    const mine = before.then(() => this.begin(request));
    const done = mine.catch(() => {});
    this.starting.set(name, done);
    try {
      return await mine;
    } finally {
      if (this.starting.get(name) === done) this.starting.delete(name);
    }
  }

  private async begin(request: StartRequest): Promise<StartResult> {
    const { store, clock, random } = this.deps;
    if (this.stopped)
      return { ok: false, code: 'emergency_stop', message: 'Everything is stopped; lift the stop first.' };
    const prepared = prepareStart(request);
    if ('refused' in prepared) return prepared.refused;
    const { input, inputHash } = prepared;
    const existing = await existingRun(store, request, inputHash);
    if (existing) return existing;
    // Asked again: the stop may have come while the store was looking.
    if (this.stopped)
      return { ok: false, code: 'emergency_stop', message: 'Everything is stopped; lift the stop first.' };
    const runId = random.id();
    const plan = this.planOf(request.revision);
    const created = createdEntry(request, input, inputHash, clock.now());
    const machine = createMachine(createState(plan, runId, created));
    const actor = this.adopt(new RunActor(machine, { seq: 0, hash: '0'.repeat(64) }, this.actorDeps()));
    machine.at = created.at;
    try {
      await actor.begin(created);
    } catch (error) {
      this.deps.ports.pages.release(runId);
      return {
        ok: false,
        code: 'internal',
        message: `The run could not be stored, so it was not started: ${error instanceof Error ? error.message : String(error)}`,
      };
    }
    return { ok: true, runId, existing: false };
  }

  /** Takes a command; one whose id was answered before, or is being answered now, gets the same answer. */
  send(inbox: InboxCommand): Promise<CommandResult> {
    let answer = this.answering.get(inbox.commandId);
    if (!answer) {
      answer = this.receive(inbox).finally(() => this.answering.delete(inbox.commandId));
      this.answering.set(inbox.commandId, answer);
    }
    return answer;
  }

  private async receive(inbox: InboxCommand): Promise<CommandResult> {
    const { store } = this.deps;
    const command = redactJson(inbox.command as unknown as Json) as unknown as InboxCommand['command'];
    if (command !== inbox.command) {
      // The inbox is a store too: what may not be kept is refused before it gets there.
      const policy = (await this.actor(command.runId))?.machine.plan.workflow.secretPolicy;
      const secret = secretError('What you sent', inbox.command as unknown as Json);
      if (policy !== 'redact' && secret) return refuse(secret.code, secret.message);
    }
    const stored = await store.appendCommand({ ...inbox, command });
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
    let loaded: RunActor | undefined;
    try {
      loaded = await this.actor(command.runId);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      if (command.type === 'cancel') return answer(await this.endUnreadable(command.runId, why));
      return answer(refuse('internal', `This run cannot be read (${why}); it can only be cancelled.`));
    }
    if (!loaded) return answer(refuse('run_missing', 'There is no such run.'));
    // It may have been retired while we waited for it.
    const actor = this.actors.get(command.runId) ?? loaded;
    this.actors.set(command.runId, actor);
    const result = await actor.command(inbox);
    this.retire(actor);
    if (
      !result.ok &&
      (result.code === 'not_waiting' || result.code === 'run_finished') &&
      (command.type === 'decide' || command.type === 'edit')
    ) {
      // The step may have left memory with its loop item; its approval's row still knows how it ended.
      const rows = await store.approvals({ runId: command.runId });
      const closed = rows.filter((approval) => approval.path === command.path && approval.status !== 'pending');
      const row = closed.find((approval) => approval.hash === command.hash) ?? closed[0];
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
    for (const inbox of await store.pendingCommands()) {
      // One command that cannot be carried out must not keep all the others, and all runs, from going on.
      await this.consume(inbox).catch((error: unknown) =>
        this.deps.onFault?.(
          `A command could not be carried out: ${error instanceof Error ? error.message : String(error)}`,
        ),
      );
    }
  }

  private async endUnreadable(runId: string, why: string): Promise<CommandResult> {
    const { store, clock, ports, onCommit } = this.deps;
    const commit = await commitEndOfUnreadable(store, runId, why, clock.now());
    if (!commit) return refuse('run_finished', 'The run has ended.');
    ports.pages.release(runId);
    onCommit?.(commit);
    return { ok: true };
  }

  /** Looks at what is due. Called by the timer, and by the alarm after the worker was away. */
  tick(): void {
    this.timerAt = undefined;
    this.cancelTimer?.();
    this.cancelTimer = undefined;
    const now = this.deps.clock.now();
    for (const actor of this.actors.values()) {
      const { due } = actor;
      if (due === undefined || due > now) continue;
      actor.push({ type: 'tick' });
      // Until that is decided, what it is about would still look due; the actor's turn says what is next.
      actor.due = undefined;
    }
    this.arm();
  }

  /** Steps that wait for one of these origins go on. */
  granted(origins: string[]): void {
    for (const actor of this.actors.values()) if (!actor.finished) actor.push({ type: 'granted', origins });
  }

  /** Pauses all runs and aborts what is in flight; lifting leaves the runs paused, to be resumed by hand (SPEC §6). */
  async emergencyStop(on: boolean): Promise<void> {
    this.stopped = on;
    const actors = on ? [...this.actors.values()].filter((actor) => !actor.finished) : [];
    // Stopping does not wait for the store.
    for (const actor of actors) actor.push({ type: 'stop' });
    await this.deps.store.setSetting('engine', { stopped: on });
    await Promise.all(actors.map((actor) => actor.quiet()));
  }

  /** Forgets everything in memory, as a death of the process would. */
  dispose(): void {
    this.disposed = true;
    this.cancelTimer?.();
    for (const actor of this.actors.values()) actor.drop('the engine has stopped');
    this.actors.clear();
  }

  /** The run in memory, loaded and recovered when it is not there. Runs that have ended are loaded without being kept. */
  private actor(runId: string, fault?: string): Promise<RunActor | undefined> {
    const known = this.actors.get(runId);
    if (known) return Promise.resolve(known);
    let loading = this.loading.get(runId);
    if (!loading) {
      loading = this.load(runId, fault).finally(() => this.loading.delete(runId));
      this.loading.set(runId, loading);
    }
    return loading;
  }

  private async load(runId: string, fault?: string): Promise<RunActor | undefined> {
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
    deriveRow(state, head);
    const actor = new RunActor(createMachine(state), head, this.actorDeps());
    if (this.disposed) return undefined;
    this.actors.set(runId, actor);
    if (!FINAL_RUN.includes(state.run.status)) {
      this.deps.ports.pages.lease(runId, state.tabs);
      // The stop may have been asked for after this run's last commit.
      if (this.stopped) actor.push({ type: 'stop' });
      if (fault !== undefined) actor.push({ type: 'fault', message: fault });
      else {
        actor.push(state.run.status === 'queued' ? { type: 'start' } : { type: 'recover' });
        actor.push({ type: 'tick' });
      }
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
    const { store, clock, random, ports, alive } = this.deps;
    return {
      store,
      clock,
      random,
      ports,
      alive,
      committed: (actor: RunActor, commit: Commit) => {
        if (actor.finished) ports.pages.release(actor.runId);
        this.deps.onCommit?.(commit);
      },
      turned: () => this.arm(),
      rested: (actor: RunActor) => this.retire(actor),
      lost: (actor: RunActor, why: 'conflict' | 'store' | 'fault', error: Error) => {
        actor.drop(error.message);
        const { runId } = actor;
        if (this.actors.get(runId) === actor) this.actors.delete(runId);
        if (why === 'conflict') this.deps.onFault?.(`Run ${runId} is driven by another engine.`);
        else if (why === 'store') {
          this.deps.onFault?.(`The store failed: ${error.message}`);
          this.comeBack(runId);
        } else {
          this.deps.onFault?.(`Run ${runId} could not be decided: ${error.message}`);
          this.comeBack(runId, error.message);
        }
        this.arm();
      },
    };
  }

  /** Nothing is lost: what was not committed did not happen. The run is read again in a while, as often as it takes, and goes on from there. */
  private comeBack(runId: string, fault?: string): void {
    const { clock, store } = this.deps;
    clock.setTimer(STORE_RETRY_MS, () => {
      if (this.disposed) return;
      void (async () => {
        if (!this.actors.has(runId)) await this.actor(runId, fault);
        for (const inbox of await store.pendingCommands()) if (inbox.command.runId === runId) await this.consume(inbox);
      })().catch((again: unknown) => {
        this.deps.onFault?.(
          `Run ${runId} could not be read: ${again instanceof Error ? again.message : String(again)}`,
        );
        this.comeBack(runId, fault);
      });
    });
  }

  /** Lets go of a run that has ended, once nothing more can come from it: a late result, or a command that waits its turn. */
  private retire(actor: RunActor): void {
    if (actor.spent && this.actors.get(actor.runId) === actor) this.actors.delete(actor.runId);
  }

  /** One timer for the earliest due time of all runs. */
  private arm(): void {
    if (this.disposed) return;
    let due: number | undefined;
    for (const actor of this.actors.values()) {
      const at = actor.due;
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

export type { StartRequest, StartResult } from './start.ts';
