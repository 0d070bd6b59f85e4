import fc from 'fast-check';
import { planAt } from '../../../src/engine/calls/around.ts';
import { applyEntry, createState } from '../../../src/engine/fold.ts';
import { deriveRow, readEntries } from '../../../src/engine/journal.ts';
import { BACKGROUND } from '../../../src/engine/page-wait.ts';
import { compilePlan } from '../../../src/engine/plan.ts';
import type { RunState } from '../../../src/engine/state.ts';
import { canonicalJson } from '../../../src/model/canonical.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { JournalEvent } from '../../../src/model/events.ts';
import type { Json } from '../../../src/model/json.ts';
import { FINAL_RUN, FINAL_STEP, type StepRunRow, type WaitKind } from '../../../src/model/run.ts';
import type { WorkflowDefinition } from '../../../src/model/workflow.ts';
import { registry } from '../../../src/steps/index.ts';
import { World } from '../engine.ts';
import { checkReplay, liveState, plainState } from '../replay.ts';
import { type Fault, FaultyStore } from './faulty-store.ts';
import { type Outside, turnOf } from './model.ts';

/** How the outside answers one call. */
export type Answer =
  | { kind: 'ok' | 'hang' }
  | { kind: 'late'; ms: number }
  | { kind: 'error'; code: string; acted?: boolean };

/** What is done to the run next. Numbers choose among what is there at that moment. */
export type Deed =
  | { do: 'next' }
  | { do: 'sleep'; ms: number }
  | { do: 'decide'; which: number; yes: boolean; wrong: boolean; twice: boolean }
  | { do: 'recover'; which: number; say: 'retry' | 'done' | 'fail' }
  | { do: 'wake'; which: number }
  | { do: 'people'; which: number; say: 'accept' | 'edit' | 'request_changes' | 'reject'; wrong: boolean }
  | { do: 'signal' | 'pause' | 'resume' | 'cancel' | 'retry' | 'stop' | 'lift' | 'crash' }
  | { do: 'arm'; fault: Fault; commits: number };

export interface Script {
  definition: WorkflowDefinition;
  answers: Answer[];
  deeds: Deed[];
}

export const answers: fc.Arbitrary<Answer[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant({ kind: 'ok' as const }) },
    { weight: 2, arbitrary: fc.constantFrom(300, 3000, 20_000).map((ms) => ({ kind: 'late' as const, ms })) },
    { weight: 1, arbitrary: fc.constant({ kind: 'hang' as const }) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(
          { code: 'element_not_found' },
          { code: 'network' },
          { code: 'network', acted: true },
          { code: 'network', acted: false },
          { code: 'bad_request' },
          { code: 'tab_closed' },
        )
        .map((error) => ({ kind: 'error' as const, ...error })),
    },
  ),
  { minLength: 1, maxLength: 12 },
);

export const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Deed>({ do: 'next' }) },
    { weight: 2, arbitrary: fc.constantFrom(1, 500, 5000, 61_000).map((ms): Deed => ({ do: 'sleep', ms })) },
    {
      weight: 6,
      arbitrary: fc
        .record({
          which: fc.nat(5),
          yes: fc.constantFrom(true, true, false),
          wrong: fc.constantFrom(false, false, false, true),
          twice: fc.boolean(),
        })
        .map((deed): Deed => ({ do: 'decide', ...deed })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ which: fc.nat(5), say: fc.constantFrom('retry' as const, 'done' as const, 'fail' as const) })
        .map((deed): Deed => ({ do: 'recover', ...deed })),
    },
    { weight: 1, arbitrary: fc.nat(5).map((which): Deed => ({ do: 'wake', which })) },
    {
      weight: 3,
      arbitrary: fc
        .record({
          which: fc.nat(5),
          say: fc.constantFrom('accept' as const, 'edit' as const, 'request_changes' as const, 'reject' as const),
          wrong: fc.constantFrom(false, false, false, true),
        })
        .map((deed): Deed => ({ do: 'people', ...deed })),
    },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom('signal', 'pause', 'resume', 'resume', 'retry', 'stop', 'lift', 'lift', 'crash', 'crash')
        .map((what) => ({ do: what }) as Deed),
    },
    { weight: 1, arbitrary: fc.constantFrom<Deed>({ do: 'cancel' }, { do: 'next' }, { do: 'next' }, { do: 'next' }) },
    {
      weight: 3,
      arbitrary: fc
        .record({ fault: fc.constantFrom<Fault>('die-before', 'die-after', 'fail', 'fail-after'), commits: fc.nat(4) })
        .map((deed): Deed => ({ do: 'arm', ...deed })),
    },
  ),
  { maxLength: 25 },
);

function broken(what: string): never {
  throw new Error(`broken: ${what}`);
}

class Simulation {
  readonly world: World;
  readonly faulty: { at?: FaultyStore } = {};
  private readonly script: Script;
  private dead = false;
  private nth = 0;
  private readonly snapshots = new Map<number, string>();
  private readonly flights = new Map<string, { attempt: number; signal: AbortSignal }>();
  private readonly accepted = new Map<string, number>();
  private problem: Error | undefined;

  constructor(script: Script) {
    this.script = script;
    this.world = new World({
      outside: (call) => this.outside(call),
      model: (request) => turnOf(request, (call) => this.outside(call)),
      wrap: (store) => {
        this.faulty.at = new FaultyStore(store);
        this.faulty.at.onDeath = () => {
          this.dead = true;
          this.world.engine.dispose();
        };
        return this.faulty.at.store;
      },
      onCommit: (commit, engine) => {
        const live = liveState(engine, commit.runId);
        if (live) this.snapshots.set(live.run.seq, canonicalJson(plainState(live) as Json));
      },
    });
  }

  private async outside(call: Outside): Promise<Json> {
    try {
      await this.checkCall(call);
    } catch (error) {
      this.problem ??= error as Error;
    }
    const answer = this.script.answers[this.nth++ % this.script.answers.length] as Answer;
    try {
      if (answer.kind === 'hang') return await this.world.hang(call.signal);
      await this.world.sleep(answer.kind === 'late' ? answer.ms : 0, call.signal);
      if (answer.kind === 'error') throw new TabloomError(answer.code, 'as the script says', { acted: answer.acted });
      return { done: this.nth };
    } finally {
      if (this.flights.get(call.path)?.attempt === call.attempt) this.flights.delete(call.path);
    }
  }

  /** At most once, never twice at the same time, never again what is completed. */
  private async checkCall({ runId, path, attempt, signal }: Outside): Promise<void> {
    const other = this.flights.get(path);
    if (other && !other.signal.aborted) broken(`${path} is at work twice`);
    this.flights.set(path, { attempt, signal });
    const events = (await this.world.memory.events(runId)).filter((event) => event.path === path);
    const started = events.findLastIndex((event) => event.type === 'step.started');
    const done = events.findLastIndex((event) => event.type === 'step.completed');
    // Only as part of a further attempt of what holds it, and nothing that must not happen twice.
    const again = events.slice(done).some((event) => event.type === 'step.reset');
    const once = events[started]?.data.effect === 'once';
    if (done >= 0 && (once || !again)) broken(`${path} is completed and was started again`);
    if (events[started]?.data.attempt !== attempt) broken(`${path} works without an intent for attempt ${attempt}`);
    if (events[started]?.data.effect !== 'once') return;
    const step = planAt(this.plan(), path);
    if (step?.def.onInterrupted === 'retry') return;
    const before = events.slice(0, started);
    const lost = before.findLastIndex((event) => event.type === 'step.interrupted' && event.data.unknown === true);
    if (lost >= 0 && !before.slice(lost).some((event) => event.type === 'step.resumed' && event.data.known === true))
      broken(`${path} may have acted, and was started again without a word`);
    const open = before.findLastIndex((event) => event.type === 'step.started');
    const closed = before
      .slice(open + 1)
      .some((event) => ['step.attempt', 'step.interrupted', 'step.failed', 'step.cancelled'].includes(event.type));
    if (open >= 0 && !closed) broken(`${path} has an intent without a result, and was started again`);
  }

  private plan() {
    return compilePlan(this.script.definition, '', registry);
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 10_000; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.dead || this.world.engine.settled) return;
    }
    broken('the engine does not come to rest');
  }

  /** Brings the engine back where it died. */
  private async revive(): Promise<void> {
    for (let tries = 0; this.dead && tries < 10; tries++) {
      this.dead = false;
      this.world.engine = this.world.makeEngine();
      void this.world.engine.recover();
      await this.settle();
    }
  }

  private post(command: Parameters<World['post']>[0], by = 'person'): void {
    const { world } = this;
    void world.post(command, { by }).then((result) => {
      if (command.type !== 'decide' || !result.ok || (result.data as { repeated?: boolean })?.repeated) return;
      const count = (this.accepted.get(command.hash) ?? 0) + 1;
      this.accepted.set(command.hash, count);
      if (count > 1) this.problem ??= new Error(`broken: ${command.path} was decided twice`);
    });
  }

  private async waiting(kinds?: WaitKind[]): Promise<StepRunRow[]> {
    return (await this.world.steps()).filter(
      (row) => row.status === 'waiting' && (!kinds || kinds.includes(row.wait?.kind as WaitKind)),
    );
  }

  async perform(deed: Deed): Promise<void> {
    const { world } = this;
    const { runId } = world;
    switch (deed.do) {
      case 'next': {
        const next = world.clock.next();
        if (next !== undefined) world.clock.advanceTo(next);
        break;
      }
      case 'sleep':
        world.clock.advanceTo(world.clock.now() + deed.ms);
        break;
      case 'decide': {
        const pending = await world.memory.approvals({ runId, status: 'pending' });
        const row = pending[deed.which % Math.max(1, pending.length)];
        if (!row) break;
        const { path } = row;
        const hash = deed.wrong ? '0'.repeat(64) : row.hash;
        const command = { type: 'decide', runId, path, hash, decision: deed.yes ? 'approved' : 'rejected' } as const;
        this.post(command);
        if (deed.twice) this.post(command);
        if (deed.twice) this.post({ ...command, decision: deed.yes ? 'rejected' : 'approved' }, 'another');
        break;
      }
      case 'recover': {
        const rows = await this.waiting(['recovery']);
        const row = rows[deed.which % Math.max(1, rows.length)];
        if (row) this.post({ type: 'recover', runId, path: row.path, decision: deed.say, output: { by: 'hand' } });
        break;
      }
      case 'people': {
        const rows = await this.waiting(['review', 'task']);
        const row = rows[deed.which % Math.max(1, rows.length)];
        if (!row?.wait) break;
        const { path, wait } = row;
        const hash = deed.wrong ? '0'.repeat(64) : (wait.subject ?? '');
        if (wait.kind === 'task') this.post({ type: 'completeTask', runId, path, data: { by: 'hand' } });
        else this.post({ type: 'review', runId, path, hash, decision: deed.say, content: 'edited' });
        break;
      }
      case 'wake': {
        const rows = await this.waiting(['timer', 'signal', 'page']);
        const row = rows[deed.which % Math.max(1, rows.length)];
        if (row?.wait?.kind === 'page' && deed.which % 2 === 0) {
          const seen = { type: 'pageSeen', runId, path: row.path, since: row.wait.since } as const;
          this.post({ ...seen, url: 'https://app.example/done', title: 'Done' }, BACKGROUND);
        } else if (row) this.post({ type: 'wake', runId, path: row.path });
        break;
      }
      case 'signal':
        this.post({ type: 'signal', runId, name: 'go' });
        break;
      case 'stop':
      case 'lift':
        void world.engine.emergencyStop(deed.do === 'stop');
        break;
      case 'crash':
        this.dead = true;
        world.engine.dispose();
        break;
      case 'arm':
        this.faulty.at?.arm(deed.fault, deed.commits);
        break;
      default:
        this.post({ type: deed.do, runId });
    }
    await this.settle();
    await this.revive();
    await this.check();
  }

  /** What must hold whenever nothing moves. */
  async check(): Promise<void> {
    if (this.problem) throw this.problem;
    const { world } = this;
    const run = await world.memory.run(world.runId);
    if (!run) return;
    const live = liveState(world.engine, world.runId);
    if (live && live.run.seq === run.seq) await checkReplay(world.memory, live);
    const rows = await world.steps();
    const holds = (row: StepRunRow) => ['condition', 'loop', 'parallel'].includes(row.type);
    // Between two attempts such a step is at work itself.
    const leaves = rows.filter((row) => !holds(row) || live?.steps.get(row.path)?.retryAt !== undefined);
    // A step that holds a fallback or a look works no more than what is inside does.
    // So does an agent, but for the time between two attempts.
    const works = (row: StepRunRow) => {
      const step = live?.steps.get(row.path);
      return !step?.holding && (row.type !== 'agent' || step?.retryAt !== undefined);
    };
    const working = leaves.filter((row) => row.status === 'running' && works(row));
    const waits = leaves.filter((row) => row.status === 'waiting');
    if (FINAL_RUN.includes(run.status)) {
      const open = rows.filter((row) => !FINAL_STEP.includes(row.status));
      if (open.length > 0)
        broken(`the run is ${run.status}, but ${open.map((row) => `${row.path} is ${row.status}`).join(', ')}`);
      if ((await world.pending()).length > 0) broken('the run has ended, but an approval is pending');
      return;
    }
    // The store has failed and the run is not in memory: it comes back by itself.
    if (!live) return;
    const kinds = [...new Set(waits.map((row) => row.wait?.kind))].sort();
    if (canonicalJson(kinds as Json) !== canonicalJson([...run.waitingFor].sort() as Json))
      broken(`it says to wait for ${run.waitingFor}, and waits for ${kinds}`);
    const asked = waits
      .filter((row) => row.wait?.kind === 'approval')
      .map((row) => row.path)
      .sort();
    if (canonicalJson(asked as Json) !== canonicalJson((await world.pending()) as Json))
      broken(`approvals pending are not those waited for: ${asked}`);
    if (live.paused) {
      if (run.status !== 'paused') broken(`the run is paused and says ${run.status}`);
      return;
    }
    if (working.length > 0 && run.status !== 'running')
      broken(`${working[0]?.path} works, and the run says ${run.status}`);
    if (working.length === 0 && waits.length === 0)
      broken(`the run says ${run.status}, but nothing works and nothing waits`);
    if (working.length === 0 && run.status !== 'waiting') broken(`nothing works, and the run says ${run.status}`);
  }

  /** Helps the run to its end: answers what is asked, and lets time pass. */
  async finish(): Promise<void> {
    const { world } = this;
    const { runId } = world;
    this.faulty.at?.disarm();
    for (let round = 0; round < 600; round++) {
      const run = await world.memory.run(runId);
      if (!run || FINAL_RUN.includes(run.status)) return;
      if (world.engine.emergency) await this.perform({ do: 'lift' });
      else if (run.status === 'paused') await this.perform({ do: 'resume' });
      else if ((await world.pending()).length > 0)
        await this.perform({ do: 'decide', which: round, yes: true, wrong: false, twice: false });
      else if ((await this.waiting(['recovery'])).length > 0)
        await this.perform({ do: 'recover', which: round, say: round < 6 ? 'retry' : 'done' });
      else if ((await this.waiting(['review', 'task'])).length > 0)
        await this.perform({ do: 'people', which: round, say: 'accept', wrong: false });
      else if (world.clock.next() !== undefined) await this.perform({ do: 'next' });
      else if ((await this.waiting(['signal'])).length > 0) await this.perform({ do: 'signal' });
      else broken(`the run is ${run.status}, and nothing leads on`);
    }
    broken('the run does not come to an end');
  }

  /** After every commit the engine held just what the journal folds to. */
  async checkSnapshots(): Promise<void> {
    const { world } = this;
    const events = await world.memory.events(world.runId);
    const [first, ...entries] = await readEntries(world.memory, events);
    if (!first) return;
    const state: RunState = createState(this.plan(), world.runId, first);
    state.plan = { ...state.plan, revision: '' };
    for (let seq = 1; seq <= events.length; seq++) {
      const entry = entries[seq - 2];
      if (entry) applyEntry(state, entry);
      const want = this.snapshots.get(seq);
      if (want === undefined) continue;
      // What an earlier look derived must not cover up what the engine left behind.
      Object.assign(state.run, { current: undefined, nextDue: undefined, waitingFor: [] });
      deriveRow(state, { seq, hash: events[seq - 1]?.hash ?? '' });
      const found = canonicalJson(plainState(state) as Json);
      if (found !== want)
        broken(
          `after event ${seq} (${entry?.type} ${entry?.path ?? ''}) the journal folds to something else\n${firstDifference(want, found)}`,
        );
    }
    const decided = events
      .filter((event) => event.type === 'approval.decided')
      .map((event) => (event.data.approval as { approvalId?: string } | undefined)?.approvalId);
    if (new Set(decided).size !== decided.length) broken('an approval was decided twice');
    this.checkRollback(events);
    await this.checkKnowledge(events);
  }

  /** Each write of a step that completed is there once, in the order in which they completed, and no other is. */
  private async checkKnowledge(events: JournalEvent[]): Promise<void> {
    const plan = this.plan();
    const told = events
      .filter(
        ({ type, path = '' }) =>
          type === 'step.completed' && plan.steps.get(path.slice(path.lastIndexOf('/') + 1))?.def.type === 'kb_write',
      )
      .map(({ data }) => (data.output as { revision?: string } | undefined)?.revision ?? '');
    const written = (await this.world.memory.knowledge()).map(({ revision }) => revision);
    if (canonicalJson(told) !== canonicalJson(written))
      broken(`steps wrote ${told}, and the knowledge base holds ${written}`);
  }

  /** What completed and can be undone is undone, newest first, unless the rollback was cut short. */
  private checkRollback(events: JournalEvent[]): void {
    const began = events.findIndex((event) => event.type === 'run.undoing');
    const opened = events.filter((event) => event.type === 'list.opened' && event.data.name === '@compensate');
    if (began < 0) {
      if (opened.length > 0) broken('something was undone without a rollback');
      return;
    }
    const plan = this.plan();
    const undoable = events
      .slice(0, began)
      .filter((event) => event.type === 'step.completed')
      .map((event) => event.path as string)
      .filter((path) => plan.steps.get(path.slice(path.lastIndexOf('/') + 1))?.def.compensate)
      .reverse();
    const undone = opened.map((event) => event.path);
    const cut = events.some(
      (event) => event.type === 'step.cancelled' && event.data.reason === 'the rollback was cut short',
    );
    const expected = cut ? undoable.slice(0, undone.length) : undoable;
    if (canonicalJson(undone as Json) !== canonicalJson(expected as Json))
      broken(`undone were ${undone}, and should have been ${expected}`);
  }
}

function firstDifference(live: string, folded: string): string {
  let at = 0;
  while (at < live.length && live[at] === folded[at]) at++;
  return `live   …${live.slice(Math.max(0, at - 200), at + 100)}…\nfolded …${folded.slice(Math.max(0, at - 200), at + 100)}…`;
}

/** Runs one script from start to end. @throws Error that says what is broken */
export async function simulate(script: Script): Promise<{ status: string; events: number; calls: number }> {
  const simulation = new Simulation(script);
  const { world } = simulation;
  const revision = await world.save(script.definition);
  const started = await world.engine.start({ revision, input: {}, trigger: { type: 'manual' } });
  if (!started.ok) broken(`the start was refused: ${started.message}`);
  world.runId = started.runId;
  await simulation.settle();
  await simulation.check();
  for (const deed of script.deeds) await simulation.perform(deed);
  await simulation.finish();
  await simulation.check();
  await simulation.checkSnapshots();
  world.engine.dispose();
  const run = await world.run();
  return { status: run.status, events: run.seq, calls: world.calls.length };
}
