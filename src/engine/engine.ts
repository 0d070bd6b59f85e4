import type { CommandResult, InboxCommand } from '../model/commands.ts';
import type { Json } from '../model/json.ts';
import { NO_STANDING } from '../model/rules.ts';
import { FINAL_RUN, type RunRow } from '../model/run.ts';
import type { Revision } from '../model/workflow.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Commit, Store } from '../ports/store.ts';
import { ofClosed } from './approvals/closed.ts';
import { refuse } from './approvals/decide.ts';
import { DueTimer } from './due-timer.ts';
import { Fence, refusedBy } from './fence.ts';
import { createState } from './fold.ts';
import { FIRST } from './journal.ts';
import { createMachine } from './machine.ts';
import { compilePlan, type Plan } from './plan.ts';
import { readRun } from './read-run.ts';
import { RunActor, type Taken } from './run-actor.ts';
import { redactJson, secretError } from './secrets/index.ts';
import { StandingBook } from './standing-book.ts';
import { createdEntry, existingRun, prepareStart, type StartRequest, type StartResult } from './start.ts';
import type { StepRegistry, WorkPorts } from './step-type.ts';
import { Turns } from './turns.ts';
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
/** How often in a row a command may meet another engine that is at work on its run. */
const MAX_CLASHES = 5;
/** Refused during the emergency stop (SPEC §6, *Control*). */
const STOPPED = { ok: false, code: 'emergency_stop', message: 'Everything is stopped; lift the stop first.' } as const;
const STOPPED_COMMANDS = new Set([
  'review',
  'completeTask',
  'decide',
  'edit',
  'wake',
  'signal',
  'resume',
  'retry',
  'recover',
]);

/**
 * The durable engine. One instance drives all runs of a store. It may be dropped at any moment: `recover()` of a new instance goes on from
 * what was committed. A second one is fenced off by the journal, run by run: whose commit clashes has started nothing of it, aborts what it
 * has in flight on that run, and steps back (src/engine/fence.ts) until the run stands still. A command that it is given meanwhile is judged
 * by the journal, and makes it drive the run only where it changes something. So each attempt is begun by one engine only; what the other one
 * had in flight is to the new one like work of an engine that has died.
 */
export class Engine {
  /** What decides in the person's name. */
  readonly standing: StandingBook;
  private readonly deps: EngineDeps;
  private readonly actors = new Map<string, RunActor>();
  private readonly starting = new Turns();
  private readonly loading = new Map<string, Promise<RunActor | undefined>>();
  private readonly plans = new Map<string, Plan>();
  private readonly fence: Fence;
  private readonly timer: DueTimer;
  private readonly answering = new Map<string, Promise<CommandResult>>();
  private stopped = false;
  private disposed = false;

  constructor(deps: EngineDeps) {
    this.deps = deps;
    this.fence = new Fence(deps.store, {
      left: (runId) => (this.disposed ? undefined : this.actor(runId)),
      ended: (runId) => deps.ports.pages.release(runId),
      looked: (fault) => {
        if (fault !== undefined) deps.onFault?.(fault);
        this.arm();
      },
    });
    this.timer = new DueTimer(
      deps.clock,
      () => this.tick(),
      (at) => deps.onDue?.(at),
    );
    this.standing = new StandingBook(deps.store);
  }

  get emergency(): boolean {
    return this.stopped;
  }

  /** Runs in memory that have not ended. */
  get active(): readonly RunRow[] {
    return [...this.actors.values()].filter((actor) => !actor.finished).map((actor) => actor.row);
  }

  /** True while a result of work is kept in memory because the store fails. */
  get stuck(): boolean {
    return [...this.actors.values()].some((actor) => actor.stuck);
  }

  /** True while nothing is being decided or written. Work in flight does not count. */
  get settled(): boolean {
    return this.loading.size === 0 && !this.fence.looking && [...this.actors.values()].every((actor) => actor.idle);
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
  start(request: StartRequest): Promise<StartResult> {
    const { revision, key } = request;
    if (key === undefined) return this.begin(request);
    // Two starts with one key at the same moment are one run as well.
    return this.starting.after(JSON.stringify([revision.workflowId, key]), () => this.begin(request));
  }

  private async begin(request: StartRequest): Promise<StartResult> {
    const { store, clock, random } = this.deps;
    if (this.stopped) return STOPPED;
    const prepared = prepareStart(request);
    if ('refused' in prepared) return prepared.refused;
    const { input, inputHash } = prepared;
    const existing = await existingRun(store, request, inputHash);
    if (existing) return existing;
    // Asked again: the stop may have come while the store was looking.
    if (this.stopped) return STOPPED;
    const runId = random.id();
    const plan = this.planOf(request.revision);
    const created = createdEntry(request, input, inputHash, clock.now());
    const machine = createMachine(createState(plan, runId, created));
    const actor = this.adopt(new RunActor(machine, { ...FIRST }, this.actorDeps()));
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
    const answer = (result: CommandResult) => this.answer(inbox, result);
    if (this.stopped && STOPPED_COMMANDS.has(command.type)) {
      return answer(STOPPED);
    }
    let taken: Taken;
    for (let tries = 0; taken === undefined; tries++) {
      if (tries === MAX_CLASHES)
        return answer(refuse('internal', 'Another Tabloom works on this run; try again in a moment.'));
      try {
        // What has clashed may have been this very command, out of the inbox.
        taken = (tries > 0 && (await store.appendCommand(inbox)).result) || (await this.take(inbox));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (command.type === 'cancel') return answer(await this.endUnreadable(command.runId, why));
        return answer(refuse('internal', `This run cannot be read (${why}); it can only be cancelled.`));
      }
    }
    return ofClosed(store, command, inbox.by, taken);
  }

  private async answer(inbox: InboxCommand, result: CommandResult): Promise<CommandResult> {
    await this.deps.store.answerCommand({ ...inbox, result });
    return result;
  }

  /** Gives a command to its run. @returns `undefined` when another engine was faster @throws Error when the run cannot be read */
  private async take(inbox: InboxCommand): Promise<Taken> {
    const { store, clock } = this.deps;
    const { runId } = inbox.command;
    if (this.fence.has(runId)) {
      const read = await readRun(store, runId, (revision) => this.planOf(revision));
      const refused = read && refusedBy(read.machine, inbox, clock.now());
      if (refused) return this.answer(inbox, refused);
      this.fence.lift(runId);
    }
    const loaded = await this.actor(runId);
    // Not answered in the inbox: the next engine takes it.
    if (this.disposed) return refuse('internal', 'The engine has stopped; try again.');
    if (!loaded) return this.answer(inbox, refuse('run_missing', 'There is no such run.'));
    // It may have been retired while we waited for it.
    const actor = this.actors.get(runId) ?? loaded;
    this.actors.set(runId, actor);
    const result = await actor.command(inbox);
    this.retire(actor);
    return result;
  }

  /** Loads every unfinished run and the commands nobody has answered yet, and goes on. */
  async recover(): Promise<void> {
    const { store } = this.deps;
    this.stopped = (await store.setting('engine'))?.stopped === true;
    await this.standing.load();
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
    this.timer.clear();
    const now = this.deps.clock.now();
    for (const actor of this.actors.values()) {
      const { due } = actor;
      if (due === undefined || due > now) continue;
      actor.push({ type: 'tick' });
      // Until that is decided, what it is about would still look due; the actor's turn says what is next.
      actor.due = undefined;
    }
    this.fence.tick(now);
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
    this.timer.clear();
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
    const read = await readRun(this.deps.store, runId, (revision) => this.planOf(revision));
    if (!read) return undefined;
    const { state } = read.machine;
    const actor = new RunActor(read.machine, read.head, this.actorDeps());
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
      // During the emergency stop nothing is decided, by nobody.
      standing: () => (this.stopped ? NO_STANDING : this.standing.now),
      alive,
      committed: (actor: RunActor, commit: Commit) => {
        if (commit.rules) this.standing.add(commit.rules);
        if (actor.finished) ports.pages.release(actor.runId);
        this.deps.onCommit?.(commit);
      },
      turned: () => this.arm(),
      rested: (actor: RunActor) => this.retire(actor),
      lost: (actor: RunActor, why: 'conflict' | 'store' | 'fault', error: Error) => {
        actor.drop(error.message, why === 'conflict');
        const { runId } = actor;
        if (this.actors.get(runId) === actor) this.actors.delete(runId);
        if (why === 'conflict') {
          this.fence.add(runId, clock.now());
          this.deps.onFault?.(`Run ${runId} is driven by another engine.`);
        } else if (why === 'store') {
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
    let due = this.fence.due;
    for (const actor of this.actors.values()) {
      const at = actor.due;
      if (at !== undefined && (due === undefined || at < due)) due = at;
    }
    this.timer.set(due);
  }
}
export type { StartRequest, StartResult } from './start.ts';
