import type { Engine } from '../../../src/engine/engine.ts';
import { BACKGROUND } from '../../../src/engine/page-wait.ts';
import { canonicalJson } from '../../../src/model/canonical.ts';
import type { Json } from '../../../src/model/json.ts';
import type { RunRow, RunStatus, WaitKind } from '../../../src/model/run.ts';
import { World } from '../engine.ts';
import { liveState, plainState } from '../replay.ts';
import { checkInLine, checkJournal, checkKnowledge, checkRun, checkWrites, type Snapshots } from './checks.ts';
import { Coverage } from './coverage.ts';
import { broken, limitOf, Plans, startFamily, type Waiting, waitingIn } from './family.ts';
import { FaultyStore } from './faulty-store.ts';
import { type Answering, OutsideLog } from './outside.ts';
import type { Deed, Script } from './script.ts';

const UNFINISHED: RunStatus[] = ['queued', 'running', 'waiting', 'paused'];

class Simulation {
  readonly world: World;
  readonly outside: OutsideLog;
  readonly plans: Plans;
  readonly covered: Coverage;
  private readonly faulty: { at?: FaultyStore } = {};
  private readonly steady: boolean;
  private dead = false;
  private readonly snapshots: Snapshots = new Map();
  private readonly accepted = new Map<string, number>();
  private problem: Error | undefined;
  private raised = 0;
  /** Faults told of so far, and when what came of the last one is over. */
  private faults = 0;
  private calm = 0;

  constructor(script: Script, steady: boolean) {
    this.plans = new Plans(script);
    this.steady = steady;
    const { length } = script.answers;
    const answering: Answering = steady
      ? (_, { workflow, path, failures }) => script.answers[(spread(workflow + path) + failures) % length] ?? OK
      : (nth) => script.answers[nth % length] ?? OK;
    this.outside = new OutsideLog(() => this.world, this.plans, answering, steady);
    this.world = new World({
      outside: (call) => this.outside.call(call),
      model: (request) => this.outside.generate(request),
      wrap: (store) => {
        this.faulty.at = new FaultyStore(store);
        this.faulty.at.onDeath = () => this.die();
        this.faulty.at.onCommit = ({ run }) => this.plans.learn(run.runId, run.workflowId);
        return this.faulty.at.store;
      },
      onCommit: ({ runId }, engine) => {
        const live = liveState(engine, runId);
        if (live) this.snapshots.set(`${runId} ${live.run.seq}`, canonicalJson(plainState(live) as Json));
      },
    });
    this.covered = new Coverage();
  }

  private get engine(): Engine {
    return this.world.engine;
  }

  private die(): void {
    this.dead = true;
    this.engine.dispose();
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 10_000; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.dead || this.engine.settled) return;
    }
    broken('the engine does not come to rest');
  }

  /** Brings the engine back where it died. */
  private async revive(): Promise<void> {
    for (let tries = 0; this.dead && tries < 10; tries++) {
      await this.covered.crash(this.world.memory);
      this.dead = false;
      this.world.engine = this.world.makeEngine();
      void this.engine.recover();
      await this.settle();
    }
  }

  private post(command: Parameters<World['post']>[0], by = 'person'): void {
    void this.world.post(command, { by }).then((result) => {
      if (command.type !== 'decide' || !result.ok || (result.data as { repeated?: boolean })?.repeated) return;
      const count = (this.accepted.get(command.hash) ?? 0) + 1;
      this.accepted.set(command.hash, count);
      if (count > 1) this.problem ??= new Error(`broken: ${command.path} was decided twice`);
    });
  }

  private async waiting(kinds: WaitKind[]): Promise<Waiting[]> {
    return (await waitingIn(this.world)).filter(({ row }) => kinds.includes(row.wait?.kind as WaitKind));
  }

  private unfinished(): Promise<RunRow[]> {
    return this.world.memory.runs({ status: UNFINISHED });
  }

  async perform(deed: Deed): Promise<void> {
    const { world } = this;
    switch (deed.do) {
      case 'next': {
        const next = world.clock.next();
        // Where nothing may depend on time, nobody waits for what a person has left alone for hours.
        if (next !== undefined && !(this.steady && next - world.clock.now() > 3_600_000)) world.clock.advanceTo(next);
        break;
      }
      case 'sleep':
        world.clock.advanceTo(world.clock.now() + deed.ms);
        break;
      case 'crash':
        this.die();
        break;
      case 'arm':
        this.faulty.at?.arm(deed.fault, deed.commits);
        break;
      case 'alarm':
        this.engine.tick();
        void this.engine.look();
        break;
      case 'stop':
      case 'lift':
        void this.engine.emergencyStop(deed.do === 'stop');
        break;
      case 'signal': {
        const [one] = await this.waiting(['signal']);
        this.post({ type: 'signal', runId: one?.row.runId ?? world.runId, name: 'go' });
        break;
      }
      case 'retry':
        this.post({ type: 'retry', runId: world.runId });
        break;
      case 'raise': {
        const [one] = await this.waiting(['budget']);
        const limit = one && limitOf(one);
        if (limit) this.post({ type: 'raiseBudget', runId: limit.runId, tokens: limit.tokens + 200 * ++this.raised });
        break;
      }
      case 'pause':
      case 'resume':
      case 'cancel': {
        // Mostly the whole, and sometimes just one of the runs in it.
        const runs = await this.unfinished();
        const one = deed.which === 0 ? runs[0] : runs.find(({ runId }) => runId === world.runId);
        if (one) this.post({ type: deed.do, runId: one.runId });
        break;
      }
      default:
        await this.answer(deed);
    }
    await this.settle();
    await this.revive();
    await this.check();
  }

  /** A person, or the page, answers something that is waited for: named by its own run, or from the outermost one. */
  private async answer(deed: Extract<Deed, { which: number }>): Promise<void> {
    const kinds: Partial<Record<Deed['do'], WaitKind[]>> = {
      decide: ['approval'],
      recover: ['recovery'],
      people: ['review', 'task'],
      wake: ['timer', 'signal', 'page'],
      seen: ['page'],
    };
    const rows = await this.waiting(kinds[deed.do] ?? []);
    const one = rows[deed.which % Math.max(1, rows.length)];
    if (!one) return;
    const { row, root } = one;
    const at = deed.which % 2 === 0 ? { runId: row.runId, path: row.path } : { runId: root, path: one.path };
    const wait = row.wait as NonNullable<typeof row.wait>;
    switch (deed.do) {
      case 'decide': {
        const pending = await this.world.memory.approvals({ runId: row.runId, status: 'pending' });
        const asked = pending.find(({ path }) => path === row.path);
        const hash = deed.wrong ? '0'.repeat(64) : (asked?.hash ?? '');
        const command = { type: 'decide', ...at, hash, decision: deed.yes ? 'approved' : 'rejected' } as const;
        this.post(command);
        if (deed.twice) this.post(command);
        if (deed.twice) this.post({ ...command, decision: deed.yes ? 'rejected' : 'approved' }, 'another');
        break;
      }
      case 'recover':
        this.recover(one, at, deed.say);
        break;
      case 'people': {
        const hash = deed.wrong ? '0'.repeat(64) : (wait.subject ?? '');
        if (wait.kind === 'task') this.post({ type: 'completeTask', ...at, data: { by: 'hand' } });
        else this.post({ type: 'review', ...at, hash, decision: deed.say, content: 'edited' });
        break;
      }
      case 'seen': {
        const page = { since: wait.since, url: 'https://app.example/done', title: 'Done' };
        this.post({ type: 'pageSeen', runId: row.runId, path: row.path, ...page }, BACKGROUND);
        break;
      }
      case 'wake':
        this.post({ type: 'wake', ...at });
    }
  }

  private recover({ row }: Waiting, at: { runId: string; path: string }, say: 'retry' | 'done' | 'fail'): void {
    if (!this.steady) {
      this.post({ type: 'recover', ...at, decision: say, output: { by: 'hand' } });
      return;
    }
    // Where nothing may change what comes out, the person has looked, and tells the truth.
    const output = this.outside.outputOf(row.runId, row.path);
    if (output === undefined) this.post({ type: 'recover', ...at, decision: 'retry' });
    else this.post({ type: 'recover', ...at, decision: 'done', output });
  }

  /** What must hold whenever nothing moves. */
  async check(): Promise<void> {
    const problem = this.problem ?? this.outside.problem;
    if (problem) throw problem;
    const { world } = this;
    const runs = await world.memory.runs();
    for (const run of runs) await checkRun(world, run);
    // One whose store has failed is read again in a while; until then it can tell the others nothing.
    if (world.faults.length > this.faults) this.calm = world.clock.now() + 2001;
    this.faults = world.faults.length;
    if (world.clock.now() >= this.calm) for (const run of runs) checkInLine(world, run, runs);
  }

  /** Helps all runs to their end: answers what is asked, and lets time pass. */
  async finish(): Promise<void> {
    const { world } = this;
    this.faulty.at?.disarm();
    for (let round = 0; round < 900; round++) {
      const open = await this.unfinished();
      if (open.length === 0) return;
      const kinds = (await waitingIn(world)).map(({ row }) => row.wait?.kind);
      const yes = { do: 'decide', which: round, yes: true, wrong: false, twice: false } as const;
      if (this.engine.emergency) await this.perform({ do: 'lift' });
      // A store that has failed is tried again in a while; nobody answers for ever in one moment.
      else if (round % 8 === 7 && world.clock.next() !== undefined) await this.perform({ do: 'next' });
      else if (open.some(({ status }) => status === 'paused')) await this.resumeAll();
      else if (kinds.includes('approval')) await this.perform(yes);
      else if (kinds.includes('recovery'))
        await this.perform({ do: 'recover', which: round, say: round < 6 ? 'retry' : 'done' });
      else if (kinds.includes('review') || kinds.includes('task'))
        await this.perform({ do: 'people', which: round, say: 'accept', wrong: false });
      else if (kinds.includes('budget')) await this.perform({ do: 'raise' });
      else if (kinds.includes('page') && (this.steady || world.clock.next() === undefined))
        await this.perform({ do: 'seen', which: round });
      else if (world.clock.next() !== undefined && !(this.steady && kinds.includes('signal')))
        await this.perform({ do: 'next' });
      else if (kinds.includes('signal')) await this.perform({ do: 'signal' });
      else broken(`${open.map((run) => `${run.workflowId} is ${run.status}`)}, and nothing leads on`);
    }
    broken('the runs do not come to an end');
  }

  /** A person goes through what is paused. */
  private async resumeAll(): Promise<void> {
    for (const { runId, status } of await this.unfinished())
      if (status === 'paused') this.post({ type: 'resume', runId });
    await this.settle();
    await this.check();
  }

  /** All that a journal tells, once everything has ended. */
  async checkEnd(): Promise<void> {
    const { world, plans } = this;
    const runs = await world.memory.runs();
    for (const run of runs) {
      const events = await world.memory.events(run.runId);
      await checkJournal(world, plans.ofRun(run.runId), run, events, this.snapshots);
      checkWrites(plans.ofRun(run.runId), run, events, this.outside.acts);
      this.covered.journal(run, events, plans.ofRun(run.runId));
    }
    await checkKnowledge(world, plans);
    if (this.outside.open.length > 0) broken(`${this.outside.open} is at work, and all has ended`);
  }

  /** Tries a run that has failed once more, as often as the script says. */
  async retry(times: number): Promise<void> {
    for (let left = times; left > 0; left--) {
      const { status } = await this.world.run();
      if (status !== 'failed' && status !== 'partial') return;
      const events = await this.world.events();
      const undone = events.some(({ type }) => type === 'run.undoing');
      if (this.engine.emergency) await this.perform({ do: 'lift' });
      const result = await this.world.send({ type: 'retry', runId: this.world.runId });
      if (result.ok === undone)
        broken(`a run that was${undone ? '' : ' not'} rolled back is ${result.ok ? '' : 'not '}retried`);
      if (!result.ok) return;
      await this.settle();
      await this.check();
      await this.finish();
    }
  }

  /** Runs it again from a step: what that does not depend on is there already. */
  async rerun(which: number): Promise<void> {
    const { world } = this;
    const before = await world.run();
    const steps = [...this.plans.ofRun(before.runId).steps.keys()];
    const from = steps[which % steps.length] as string;
    const command = { type: 'rerun', runId: before.runId, from } as const;
    if (this.engine.emergency) await this.perform({ do: 'lift' });
    const result = await world.send(command);
    if (!result.ok) return;
    world.runId = (result.data as { runId: string }).runId;
    await this.settle();
    await this.check();
    const old = new Map((await world.memory.steps(before.runId)).map((row) => [row.path, row]));
    for (const row of await world.steps()) {
      if (!row.reused) continue;
      if (canonicalJson(row.output ?? null) !== canonicalJson(old.get(row.path)?.output ?? null))
        broken(`${row.path} is said to be reused, and gives something else`);
    }
    if ((await world.step(from))?.reused) broken(`it was to run again from ${from}, which was reused`);
  }
}

const OK = { kind: 'ok' } as const;

function spread(text: string): number {
  let sum = 7;
  for (const char of text) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_003;
  return sum;
}

/** What came of a step. */
export type Came = { status: string; output: Json };

export interface Simulated {
  status: string;
  coverage: Coverage;
  /** What all steps of the outermost run and of those in it came to, by path. */
  outcome: Record<string, Came>;
}

/**
 * Runs one script from start to end.
 * @param steady answers depend on where a call comes from alone, and people who are asked what has happened tell the truth
 * @throws Error that says what is broken
 */
export async function simulate(script: Script, steady = false): Promise<Simulated> {
  const simulation = new Simulation(script, steady);
  const { world } = simulation;
  await startFamily(world, script);
  await simulation.settle();
  await simulation.check();
  for (const deed of script.deeds) await simulation.perform(deed);
  await simulation.finish();
  await simulation.retry(script.retries);
  if (script.rerun !== undefined) {
    await simulation.rerun(script.rerun);
    for (const deed of script.deeds.slice(0, 8)) await simulation.perform(deed);
    await simulation.finish();
  }
  await simulation.check();
  await simulation.checkEnd();
  world.engine.dispose();
  const { status } = await world.run();
  return { status, coverage: simulation.covered, outcome: await outcomeOf(world, world.runId) };
}

async function outcomeOf(world: World, runId: string, prefix = ''): Promise<Simulated['outcome']> {
  const found: Simulated['outcome'] = {};
  for (const { path, status, output, child } of await world.memory.steps(runId)) {
    found[prefix + path] = { status, output: plain(output ?? null) };
    if (child !== undefined) Object.assign(found, await outcomeOf(world, child, `${prefix}${path}/`));
  }
  return found;
}

/** Outputs that say when, by whom or in which order something was done, and not only what. */
const PASSING = ['decision', 'hits', 'revision', 'taskId', 'wokenBy'];

function plain(value: Json): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if (PASSING.some((key) => Object.hasOwn(value, key))) return 'done';
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one as Json)]));
}
