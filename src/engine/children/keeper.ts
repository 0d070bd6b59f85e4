import { toErrorInfo } from '../../model/errors.ts';
import { isObject, type JsonObject, jsonEqual } from '../../model/json.ts';
import { FINAL_RUN, type RunRow, type RunTabs } from '../../model/run.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { type OuterBudget, type Spending, spendingOf } from '../budget.ts';
import type { Input } from '../decide.ts';
import type { Machine } from '../machine.ts';
import type { Onto } from '../newer/move.ts';
import { checkInput } from '../preflight/input.ts';
import type { RunActor } from '../run-actor.ts';
import type { StartRequest, StartResult } from '../start.ts';
import type { RunState } from '../state.ts';
import { NO_USAGE } from '../usage.ts';
import type { ChildReport } from './call.ts';
import { FROM_OUTSIDE } from './outer.ts';

/** How long the engine waits before it tries again to begin or read a called run, milliseconds. */
const AGAIN_MS = 2000;

/** A call under way, as committed. */
interface Call {
  path: string;
  runId: string;
  revision: string;
  passage: number;
  input: JsonObject;
  tab?: string;
}

/** What counts of a run for those around it and in it, as of its last commit. */
interface Seen {
  final: boolean;
  paused: boolean;
  pausedBy?: string;
  parent: RunRow['parent'];
  calls: Map<string, Call>;
  budget: string;
  tabs: RunTabs;
  pins: Record<string, string>;
  report: ChildReport;
  undoing: boolean;
  revision: string;
}

/** What the keeper needs of its engine. */
export interface Household {
  store: Store;
  clock: Clock;
  stopped(): boolean;
  disposed(): boolean;
  /** Another engine drives the run: it is not to be read until that has left it. */
  fenced(runId: string): boolean;
  known(runId: string): RunActor | undefined;
  /** In memory or read. @throws Error when it cannot be read */
  actor(runId: string): Promise<RunActor | undefined>;
  retire(actor: RunActor): void;
  /** A revision as a run goes on under it; `undefined` where it is gone. */
  onto(revision: string, pins: Record<string, string>): Promise<Onto | undefined>;
  /** Begins a run under a given id. */
  begin(request: StartRequest, runId: string): Promise<StartResult>;
  fault(message: string): void;
  /** Gives a run its tabs again. */
  lease(actor: RunActor): void;
}

/**
 * Brings runs that call and runs that were called in line with each other, whenever one of them was written or read: a call without its
 * run is begun, a run whose call is over is cancelled, a pause goes down, news go up. Works on what is committed only, and on levels: done
 * twice it does nothing more, so that it needs no record of its own.
 */
export class Children {
  readonly #house: Household;
  readonly #seen = new Map<string, Seen>();
  /** Called runs that are being begun or read. */
  readonly #bringing = new Set<string>();
  /** Called runs for which another revision is being read. */
  readonly #renewing = new Set<string>();

  constructor(house: Household) {
    this.#house = house;
  }

  /** True while no called run is being begun or read. */
  get idle(): boolean {
    return this.#bringing.size === 0 && this.#renewing.size === 0;
  }

  /** A run was written or read. */
  follow(actor: RunActor): void {
    const { state } = actor.machine;
    const before = this.#seen.get(actor.runId);
    if (!state.run.parent && !state.run.children && !before) return;
    const now = seenOf(state);
    this.#seen.set(actor.runId, now);
    const parent = now.parent && this.#seen.get(now.parent.runId);
    if (now.parent && parent) this.#meet(now.parent.runId, parent, actor.runId, now);
    else if (now.parent && !now.final && (before?.final ?? true)) this.#forWhom(actor, now.parent.runId);
    for (const [runId, call] of before?.calls ?? []) {
      if (now.calls.get(runId)?.passage === call.passage) continue;
      const child = this.#seen.get(runId);
      if (child) this.#meet(actor.runId, now, runId, child);
    }
    // Read anew: what it had called may be at work here, and has not heard that this is over.
    if (!before)
      for (const [runId, child] of this.#seen)
        if (child.parent?.runId === actor.runId && !now.calls.has(runId)) this.#meet(actor.runId, now, runId, child);
    for (const call of now.calls.values()) {
      const child = this.#house.known(call.runId) && this.#seen.get(call.runId);
      if (child) this.#meet(actor.runId, now, call.runId, child);
      else void this.#bring(actor.runId, call);
    }
    if (before?.budget !== now.budget) this.#raised(actor.runId);
  }

  /**
   * What a run that was read has to be told before it goes on.
   * @param caller the run that has called it; one that has ended may have been let go again since it was read, and one that another engine
   * drives is not held here
   */
  first(actor: RunActor, caller: RunState | undefined): Input[] {
    const { state } = actor.machine;
    const { runId } = state.run;
    const around = caller && (this.#seen.get(caller.run.runId) ?? seenOf(caller));
    if (!around) return [];
    if (!around.calls.has(runId)) return [{ type: 'outer', want: 'cancel' }];
    const waits = [...state.busy].some((step) => step.row.wait?.kind === 'budget');
    return [
      ...(around.paused ? [{ type: 'outer', want: 'hold' } as const] : []),
      ...(waits ? [{ type: 'outer', want: 'look' } as const] : []),
    ];
  }

  /** A run is no longer in memory. */
  forget(runId: string): void {
    this.#seen.delete(runId);
  }

  /** Another engine has ended a run: the one around it and those in it, if they are at work here, have to hear of that. */
  ended(runId: string): void {
    for (const [otherId, { calls, parent }] of this.#seen) {
      const actor = this.#house.known(otherId);
      if (actor && calls.has(runId)) this.follow(actor);
      if (actor && parent?.runId === runId) this.look(actor);
    }
  }

  /** Looks whether a run is still wanted: another engine may have ended the one that called it, and died before it said so. */
  look(actor: RunActor): void {
    const { parent } = actor.row;
    if (parent && !this.#house.known(parent.runId)) this.#forWhom(actor, parent.runId);
  }

  /** Runs in memory that were called from this one, at any depth. */
  below(runId: string): string[] {
    const children = [...(this.#seen.get(runId)?.calls.keys() ?? [])];
    return children.flatMap((child) => [child, ...this.below(child)]);
  }

  /** Budgets of the runs around one, the nearest first. */
  above(run: RunRow): OuterBudget[] {
    const found: OuterBudget[] = [];
    for (let at = run.parent; at; ) {
      const actor = this.#house.known(at.runId);
      if (!actor) break;
      const { budget } = actor.machine.state;
      if (budget)
        found.push({ runId: at.runId, name: actor.row.workflowName, budget, spent: spendingOf(actor.machine) });
      at = actor.row.parent;
    }
    return found;
  }

  /** What the runs called from one have spent or promised beyond what it has heard of. */
  inside({ state }: Machine): Required<Spending> {
    const sum = { tokens: 0, usd: 0 };
    for (const { child } of state.children) {
      const actor = child && this.#house.known(child.runId);
      if (!actor) continue;
      const all = spendingOf(actor.machine);
      sum.tokens += all.tokens - child.spent.inputTokens - child.spent.outputTokens;
      sum.usd += all.usd - (child.spent.usd ?? 0);
    }
    return sum;
  }

  /** A run begins, or goes on again, and the one that asked for it is not in memory: it may have ended before this was done. */
  #forWhom(actor: RunActor, parentId: string): void {
    const { store, clock, disposed } = this.#house;
    const mark = `for ${actor.runId}`;
    this.#bringing.add(mark);
    store
      .run(parentId)
      .then(
        (row) => {
          if (!row || FINAL_RUN.includes(row.status)) actor.push({ type: 'outer', want: 'cancel' });
        },
        () => clock.setTimer(AGAIN_MS, () => disposed() || this.#forWhom(actor, parentId)),
      )
      .finally(() => this.#bringing.delete(mark));
  }

  #raised(runId: string): void {
    for (const id of this.below(runId)) this.#house.known(id)?.push({ type: 'outer', want: 'look' });
  }

  /** Both are in memory, or were just read: what each should know of the other. */
  #meet(parentId: string, parent: Seen, childId: string, child: Seen): void {
    const actor = this.#house.known(childId);
    const above = this.#house.known(parentId);
    const call = parent.calls.get(childId);
    if (!call) {
      if (!child.final && !child.undoing) actor?.push({ type: 'outer', want: 'cancel' });
      else if (child.final && !parent.final && child.parent) this.#tell(parentId, child.parent.path, child.report);
      return;
    }
    if (child.report.passage < call.passage && child.final && child.report.status !== 'completed') {
      if (child.report.undone) above?.push({ type: 'child', path: call.path, report: { ...child.report, gone: true } });
      else if (!parent.paused && actor) {
        // What it calls in turn may be newer.
        if (call.revision === child.revision && jsonEqual(parent.pins, child.pins)) this.#again(actor, call);
        else void this.#renew(call, parent.pins);
      }
      return;
    }
    if (parent.paused && !child.paused && !child.final) actor?.push({ type: 'outer', want: 'hold' });
    // After an emergency stop each run is resumed by hand, those inside it with it.
    else if (!parent.paused && child.paused && FROM_OUTSIDE.includes(child.pausedBy ?? '') && !this.#house.stopped())
      actor?.push({ type: 'outer', want: 'go' });
    const done = child.report.status === 'completed' ? { passage: call.passage } : {};
    this.#tell(parentId, call.path, { ...child.report, ...done });
  }

  /** Goes on with a called run under the revision that it is called with now; where that is gone, as it began. */
  async #renew(call: Call, pins: Record<string, string>): Promise<void> {
    const { runId, revision } = call;
    if (this.#renewing.has(runId)) return;
    this.#renewing.add(runId);
    try {
      const onto = await this.#house.onto(revision, pins).catch(() => undefined);
      // It may have left memory meanwhile.
      if (this.#house.fenced(runId)) return;
      const actor = await this.#house.actor(runId);
      if (actor && !this.#house.disposed()) this.#again(actor, call, onto);
    } catch (thrown) {
      this.#house.fault(`The run ${runId} could not be read: ${toErrorInfo(thrown).message}`);
    } finally {
      this.#renewing.delete(runId);
    }
  }

  #again(actor: RunActor, { passage }: Call, onto?: Onto): void {
    this.#house.lease(actor);
    actor.push({ type: 'outer', want: 'again', passage, ...(onto && { onto }) });
  }

  #tell(parentId: string, path: string, report: ChildReport): void {
    this.#house.known(parentId)?.push({ type: 'child', path, report });
  }

  /** Begins the run of a call, or reads it where it is there. One that another engine drives comes by itself once that has left it. */
  async #bring(parentId: string, call: Call): Promise<void> {
    const { store, clock, disposed } = this.#house;
    if (this.#bringing.has(call.runId) || this.#house.fenced(call.runId)) return;
    this.#bringing.add(call.runId);
    try {
      if (await store.run(call.runId)) {
        const actor = await this.#house.actor(call.runId);
        if (actor && !disposed()) {
          this.follow(actor);
          this.#house.retire(actor);
        }
      } else await this.#begin(parentId, call);
    } catch (thrown) {
      if (disposed()) return;
      this.#house.fault(`The run ${call.runId} could not be begun or read: ${toErrorInfo(thrown).message}`);
      clock.setTimer(AGAIN_MS, () => {
        const actor = this.#house.known(parentId);
        if (actor && !disposed()) this.follow(actor);
      });
    } finally {
      this.#bringing.delete(call.runId);
    }
  }

  async #begin(parentId: string, call: Call): Promise<void> {
    const parent = this.#seen.get(parentId);
    // Nothing new starts in a pause, nor for a call that is over; the resume looks again.
    if (!parent?.calls.has(call.runId) || parent.paused || this.#house.stopped() || this.#house.disposed()) return;
    const revision = await this.#house.store.revision(call.revision);
    const fail = (code: string, message: string) =>
      this.#tell(parentId, call.path, {
        runId: call.runId,
        passage: call.passage,
        status: 'failed',
        active: false,
        waitingFor: [],
        usage: NO_USAGE,
        error: { code, message },
        unbegun: true,
      });
    if (!revision) {
      fail('workflow_missing', 'Import the workflow again: its revision that this run was started with is gone.');
      return;
    }
    const [problem] = checkInput(revision.definition, call.input);
    if (problem) {
      fail(problem.code, `${revision.definition.name}: ${problem.message}`);
      return;
    }
    const prefix = parent.parent ? `${parent.parent.prefix}/${call.path}` : call.path;
    const root = parent.parent?.root ?? parentId;
    const result = await this.#house.begin(
      {
        revision,
        input: call.input,
        trigger: { type: 'subworkflow', runId: parentId, step: call.path },
        pins: parent.pins,
        parent: { runId: parentId, path: call.path, root, prefix },
        ...(call.tab === undefined ? {} : { tabs: passed(parent.tabs, call.tab) }),
      },
      call.runId,
    );
    if (result.ok) return;
    if (result.code === 'internal') throw new Error(result.message);
    if (result.code !== 'emergency_stop') fail(result.code, result.message);
  }
}

function seenOf(state: RunState): Seen {
  const { run } = state;
  const final = FINAL_RUN.includes(run.status);
  const calls = new Map<string, Call>();
  if (!final)
    for (const { row, child, fields } of state.children) {
      if (!child) continue;
      const { runId, revision, passage } = child;
      const { input, tab } = fields ?? {};
      calls.set(runId, {
        path: row.path,
        runId,
        revision,
        passage,
        input: isObject(input) ? input : {},
        ...(typeof tab === 'string' ? { tab } : {}),
      });
    }
  const report: ChildReport = {
    runId: run.runId,
    passage: state.passage,
    status: run.status,
    // Between two parts of a long transition neither is the case, and it is at work.
    active: state.activeSince !== undefined || (!state.paused && state.waiting === 0),
    waitingFor: [...run.waitingFor],
    usage: run.usage,
    ...(run.output === undefined ? {} : { output: run.output }),
    ...(run.error && { error: run.error }),
    ...(final && state.undo && { undone: true }),
  };
  return {
    final,
    paused: state.paused,
    pausedBy: state.pausedBy,
    parent: run.parent,
    calls,
    budget: JSON.stringify(state.budget ?? null),
    tabs: state.tabs,
    pins: state.pins,
    report,
    undoing: state.undo !== undefined,
    revision: run.revision,
  };
}

/** One tab of the caller's as the first of the called run. */
function passed(tabs: RunTabs, id: string): RunTabs {
  const tab = tabs.list.find((one) => one.tab === id);
  return tab ? { list: [{ ...tab, tab: 't1' }], current: 't1', next: 2 } : { list: [], next: 1 };
}
