import type { CommandResult, InboxCommand } from '../model/commands.ts';
import { reasonOf } from '../model/errors.ts';
import { NO_STANDING } from '../model/rules.ts';
import { FINAL_RUN, type RunRow, type RunStatus } from '../model/run.ts';
import type { Commit } from '../ports/store.ts';
import { Children } from './children/keeper.ts';
import type { EngineDeps } from './deps.ts';
import { DueTimer } from './due-timer.ts';
import { Fence } from './fence.ts';
import { Intake } from './intake.ts';
import { FIRST } from './journal.ts';
import { KnowledgeBase } from './knowledge/base.ts';
import { MonthBook } from './month-book.ts';
import { ontoNewest, ontoRevision, type Shelf } from './newer/ready.ts';
import { Plans } from './plans.ts';
import { readRun } from './read-run.ts';
import { RunActor } from './run-actor.ts';
import { StandingBook } from './standing-book.ts';
import type { StartRequest, StartResult } from './start.ts';
import { Starter } from './starter.ts';
import type { WorkPorts } from './step-type.ts';

/** How long the engine waits before it tries a run again whose store has failed, milliseconds. */
const STORE_RETRY_MS = 2000;
/** Runs that are read at once when the engine starts: their journals are in memory together meanwhile. */
const READ_AT_ONCE = 32;
const UNFINISHED: RunStatus[] = ['queued', 'running', 'waiting', 'paused'];

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
  /** What models may cost in a month, and have cost. */
  readonly months: MonthBook;
  private readonly deps: EngineDeps;
  private readonly actors = new Map<string, RunActor>();
  private readonly loading = new Map<string, Promise<RunActor | undefined>>();
  private readonly plans: Plans;
  private readonly ports: WorkPorts;
  private readonly fence: Fence;
  private readonly timer: DueTimer;
  private readonly intake: Intake;
  private readonly children: Children;
  private readonly starter: Starter;
  private looking: Promise<void> | undefined;
  private goneSince: number | undefined;
  private stopped = false;
  private disposed = false;

  constructor(deps: EngineDeps) {
    this.deps = deps;
    this.plans = new Plans(deps.registry);
    this.ports = { knowledge: new KnowledgeBase(deps.store), artifacts: deps.store, ...deps.ports };
    this.fence = new Fence(deps.store, {
      left: (runId) => (this.disposed ? undefined : this.actor(runId)),
      ended: (runId) => {
        deps.ports.pages.release(runId);
        this.children.ended(runId);
      },
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
    this.months = new MonthBook(deps.store, deps.clock, this.actors);
    this.children = new Children({
      store: deps.store,
      clock: deps.clock,
      stopped: () => this.stopped,
      disposed: () => this.disposed,
      fenced: (runId) => this.fence.has(runId),
      known: (runId) => this.actors.get(runId),
      actor: (runId) => this.actor(runId),
      retire: (actor) => this.retire(actor),
      onto: async (name, pins) => {
        const revision = await deps.store.revision(name);
        return revision && ontoRevision(this.shelf, revision, pins);
      },
      begin: (request, runId) => this.starter.begin(request, runId),
      fault: (message) => deps.onFault?.(message),
      lease: ({ machine: { state } }) => deps.ports.pages.lease(state.run.runId, state.tabs, state.run.parent?.runId),
    });
    this.starter = new Starter(deps, {
      stopped: () => this.stopped,
      disposed: () => this.disposed,
      plans: this.plans,
      adopt: (machine) => this.adopt(new RunActor(machine, { ...FIRST }, this.actorDeps())),
      knowledge: this.ports.knowledge,
    });
    this.intake = new Intake(deps, this.fence, {
      stopped: () => this.stopped,
      disposed: () => this.disposed,
      actor: (runId) => this.actor(runId),
      // It may have been retired while it was waited for. One that was lost is read again in a while, and must not stand in its own way.
      keep: (loaded) => {
        const actor = this.actors.get(loaded.runId) ?? loaded;
        if (!actor.dead) this.actors.set(loaded.runId, actor);
        return actor;
      },
      retire: (actor) => this.retire(actor),
      plans: this.plans,
      rerun: (inbox, command) => this.starter.rerun(inbox, command),
      onto: (runId) => ontoNewest(this.shelf, runId),
    });
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
    return (
      this.loading.size === 0 &&
      this.children.idle &&
      !this.fence.looking &&
      !this.looking &&
      [...this.actors.values()].every((actor) => actor.idle)
    );
  }

  /** Attempts under way in this process. */
  get inFlight(): number {
    return [...this.actors.values()].reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  /** Begins a run (see `Starter.start`). */
  start(request: StartRequest): Promise<StartResult> {
    return this.starter.start(request);
  }

  /** Takes a command; one whose id was answered before, or is being answered now, gets the same answer. */
  send(inbox: InboxCommand): Promise<CommandResult> {
    return this.intake.send(inbox);
  }

  /**
   * Loads every unfinished run and the commands nobody has answered yet, and goes on.
   * @param goneSince since when nobody could have woken an engine for what falls due, epoch milliseconds; one that may be woken counts as there
   */
  async recover(goneSince?: number): Promise<void> {
    const { store } = this.deps;
    this.goneSince = goneSince;
    this.stopped = (await store.setting('engine'))?.stopped === true;
    await Promise.all([this.standing.load(), this.months.load()]);
    const unfinished = await store.runs({ status: UNFINISHED, limit: 10_000 });
    // Many at a time: reading one after the other, a store that answers slowly would be waited for most of the time.
    for (let from = 0; from < unfinished.length; from += READ_AT_ONCE)
      await Promise.all(unfinished.slice(from, from + READ_AT_ONCE).map(({ runId }) => this.readAgain(runId)));
    this.goneSince = undefined;
    for (const inbox of await store.pendingCommands()) {
      // One command that cannot be carried out must not keep all the others, and all runs, from going on.
      await this.intake
        .consume(inbox)
        .catch((error: unknown) => this.deps.onFault?.(`A command could not be carried out: ${reasonOf(error)}`));
    }
  }

  private async readAgain(runId: string): Promise<void> {
    try {
      await this.actor(runId);
    } catch (error) {
      this.deps.onFault?.(`Run ${runId} could not be read: ${reasonOf(error)}`);
    }
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

  /**
   * Compares what is in memory with the store. A run that another engine has moved since, or has begun, is watched from here on, so that it is
   * taken up should that engine die: a run that only waits here has nothing due that would tell. For the alarm, which outlives either.
   */
  look(): Promise<void> {
    this.looking ??= this.compare().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  private async compare(): Promise<void> {
    const { store } = this.deps;
    const held = [...this.actors.values()].filter((actor) => !actor.finished);
    const rows = new Map((await store.runs({ status: UNFINISHED, limit: 10_000 })).map((row) => [row.runId, row]));
    for (const actor of held) {
      const row = rows.get(actor.runId) ?? (await store.run(actor.runId));
      if (row && row.seq > actor.row.seq && this.actors.get(actor.runId) === actor)
        this.lost(actor, 'conflict', new Error('Another engine has written to this run.'));
    }
    if (this.disposed) return;
    for (const actor of held) if (this.actors.get(actor.runId) === actor) this.children.look(actor);
    for (const runId of rows.keys())
      if (!this.actors.has(runId) && !this.loading.has(runId)) this.fence.watch(runId, this.deps.clock.now());
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
    const read = await readRun(this.deps.store, runId, this.plans);
    if (!read) return undefined;
    const { state } = read.machine;
    const ended = FINAL_RUN.includes(state.run.status);
    // A run that was called goes on only as the one around it says; where another engine is at work in that, as its journal says.
    const parent = ended ? undefined : state.run.parent?.runId;
    const elsewhere = parent && !this.actors.has(parent) && (await this.fence.atWork(parent, this.plans));
    const around = parent && !elsewhere ? await this.actor(parent) : undefined;
    const actor = new RunActor(read.machine, read.head, this.actorDeps());
    if (this.disposed) return undefined;
    this.actors.set(runId, actor);
    for (const input of this.children.first(actor, elsewhere || around?.machine.state)) if (!ended) actor.push(input);
    this.children.follow(actor);
    if (around) this.retire(around);
    if (!ended) {
      this.deps.ports.pages.lease(runId, state.tabs, state.run.parent?.runId);
      // The stop may have been asked for after this run's last commit.
      if (this.stopped) actor.push({ type: 'stop' });
      if (fault !== undefined) actor.push({ type: 'fault', message: fault });
      else {
        actor.push(state.run.status === 'queued' ? { type: 'start' } : { type: 'recover', goneSince: this.goneSince });
        actor.push({ type: 'tick' });
      }
    }
    return actor;
  }

  private adopt(actor: RunActor): RunActor {
    this.actors.set(actor.runId, actor);
    const { tabs, run } = actor.machine.state;
    this.deps.ports.pages.lease(actor.runId, tabs, run.parent?.runId);
    return actor;
  }

  private get shelf(): Shelf {
    const { store, registry } = this.deps;
    return { store, registry, knowledge: this.ports.knowledge, plans: this.plans };
  }

  private actorDeps() {
    const { store, clock, random, alive } = this.deps;
    const { ports } = this;
    return {
      store,
      clock,
      random,
      ports,
      // During the emergency stop nothing is decided, by nobody.
      standing: () => (this.stopped ? NO_STANDING : this.standing.now),
      alive,
      family: this.children,
      months: this.months,
      committed: (actor: RunActor, commit: Commit) => {
        if (commit.rules) this.standing.add(commit.rules);
        if (commit.spending || actor.finished) this.months.moved(commit.spending);
        if (actor.finished) ports.pages.release(actor.runId);
        this.children.follow(actor);
        this.deps.onCommit?.(commit);
      },
      turned: () => this.arm(),
      rested: (actor: RunActor) => this.retire(actor),
      lost: (actor: RunActor, why: 'conflict' | 'store' | 'fault', error: Error) => this.lost(actor, why, error),
    };
  }

  private lost(actor: RunActor, why: 'conflict' | 'store' | 'fault', error: Error): void {
    actor.drop(error.message, why === 'conflict');
    const { runId } = actor;
    if (this.actors.get(runId) === actor) this.actors.delete(runId);
    this.children.forget(runId);
    if (why === 'conflict') {
      this.fence.add(runId, this.deps.clock.now());
      this.deps.onFault?.(`Run ${runId} is driven by another engine.`);
      // It may have moved others too, and what is known of them here must not pass for news.
      this.look().catch((fault: unknown) => this.deps.onFault?.(`The runs could not be looked at: ${String(fault)}`));
    } else if (why === 'store') {
      this.deps.onFault?.(`The store failed: ${error.message}`);
      this.comeBack(runId);
    } else {
      this.deps.onFault?.(`Run ${runId} could not be decided: ${error.message}`);
      this.comeBack(runId, error.message);
    }
    this.arm();
  }

  /** Nothing is lost: what was not committed did not happen. The run is read again in a while, as often as it takes, and goes on from there. */
  private comeBack(runId: string, fault?: string): void {
    const { clock, store } = this.deps;
    clock.setTimer(STORE_RETRY_MS, () => {
      if (this.disposed) return;
      void (async () => {
        if (!this.actors.has(runId)) await this.actor(runId, fault);
        for (const inbox of await store.pendingCommands())
          if (inbox.command.runId === runId) await this.intake.consume(inbox);
      })().catch((again: unknown) => {
        this.deps.onFault?.(`Run ${runId} could not be read: ${reasonOf(again)}`);
        this.comeBack(runId, fault);
      });
    });
  }

  /** Lets go of a run that has ended, once nothing more can come from it: a late result, or a command that waits its turn. */
  private retire(actor: RunActor): void {
    if (!actor.spent || this.actors.get(actor.runId) !== actor) return;
    this.actors.delete(actor.runId);
    this.children.forget(actor.runId);
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

export type { EngineDeps } from './deps.ts';
export type { StartRequest, StartResult } from './start.ts';
