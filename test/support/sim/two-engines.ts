import fc from 'fast-check';
import type { Engine } from '../../../src/engine/engine.ts';
import { BACKGROUND } from '../../../src/engine/page-wait.ts';
import type { Command, CommandResult } from '../../../src/model/commands.ts';
import { verifyChain } from '../../../src/model/events.ts';
import { FINAL_RUN, FINAL_STEP, type RunRow, type WaitKind } from '../../../src/model/run.ts';
import type { Store } from '../../../src/ports/store.ts';
import { World } from '../engine.ts';
import { checkKnowledge, checkWrites } from './checks.ts';
import { Coverage } from './coverage.ts';
import { broken, limitOf, Plans, startFamily, type Waiting, waitingIn } from './family.ts';
import { OutsideLog } from './outside.ts';
import type { Answer } from './script.ts';
import { type Family, some } from './workflows.ts';

/** What is done next, to which of the two engines (`who`), and for how many turns it then runs before the next is done. */
export type TwoDeed = { who: 0 | 1; turns: number } & (
  | { do: 'decide'; which: number; yes: boolean }
  | { do: 'recover'; which: number; say: 'retry' | 'done' | 'fail' }
  | { do: 'wake' | 'seen'; which: number }
  | {
      do:
        | 'signal'
        | 'pause'
        | 'resume'
        | 'cancel'
        | 'retry'
        | 'raise'
        | 'boot'
        | 'crash'
        | 'next'
        | 'granted'
        | 'alarm';
    }
  | { do: 'sleep'; ms: number }
);

const who = fc.constantFrom<0 | 1>(0, 1);
/** Mostly far too few turns to come to rest: what the two do overlaps. */
const turns = fc.constantFrom(0, 1, 2, 3, 5, 8, 60);

export const twoDeeds: fc.Arbitrary<TwoDeed[]> = fc.array(
  some(
    {
      weight: 6,
      arbitrary: fc
        .record({ who, turns, which: fc.nat(3), yes: fc.constantFrom(true, true, false) })
        .map((deed): TwoDeed => ({ do: 'decide', ...deed })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({
          who,
          turns,
          which: fc.nat(3),
          say: fc.constantFrom('retry' as const, 'done' as const, 'fail' as const),
        })
        .map((deed): TwoDeed => ({ do: 'recover', ...deed })),
    },
    {
      weight: 4,
      arbitrary: fc
        .record({ who, turns, which: fc.nat(3), do: fc.constantFrom('signal', 'wake', 'wake', 'seen', 'raise') })
        .map((deed) => deed as TwoDeed),
    },
    {
      weight: 8,
      arbitrary: fc
        .record({
          who,
          turns,
          do: fc.constantFrom(
            ...[
              'next',
              'next',
              'next',
              'next',
              'boot',
              'boot',
              'crash',
              'crash',
              'pause',
              'resume',
              'retry',
              'granted',
            ],
            'alarm',
          ),
        })
        .map((deed) => deed as TwoDeed),
    },
    { weight: 1, arbitrary: fc.record({ who, turns }).map((deed): TwoDeed => ({ do: 'cancel', ...deed })) },
    {
      weight: 2,
      arbitrary: fc
        .record({ who, turns, ms: fc.constantFrom(1, 500, 5000, 61_000) })
        .map((deed): TwoDeed => ({ do: 'sleep', ...deed })),
    },
  ),
  { minLength: 3, maxLength: 25 },
);

export interface TwoScript extends Family {
  answers: Answer[];
  deeds: TwoDeed[];
  /** Turns that each question to the store takes before and after it is carried out, in order, over and over. */
  delays: number[];
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The same store, further away: everything takes some turns to get there and back. */
function remote(store: Store, delays: readonly number[], traffic: { now: number }): Store {
  let nth = 0;
  const wait = async () => {
    for (let left = delays[nth++ % delays.length] ?? 0; left > 0; left--) await turn();
  };
  return new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: unknown[]) => {
        traffic.now += 1;
        try {
          await wait();
          const answer: unknown = await Reflect.apply(method, target, args);
          await wait();
          return answer;
        } finally {
          traffic.now -= 1;
        }
      };
    },
  });
}

/** Two engines at work on one store, without a lock between them. */
class TwoEngines {
  readonly world: World;
  readonly coverage = new Coverage();
  private readonly plans: Plans;
  private readonly outside: OutsideLog;
  private engines: [Engine | undefined, Engine | undefined];
  private commands = 0;
  private raised = 0;
  private readonly answers: { command: Command; by: string; result: CommandResult }[] = [];
  /** Questions to the store that are on their way. */
  private readonly traffic = { now: 0 };
  clashes = 0;

  constructor(script: TwoScript) {
    this.plans = new Plans(script);
    const answering = (nth: number) => script.answers[nth % script.answers.length] as Answer;
    this.outside = new OutsideLog(() => this.world, this.plans, answering);
    this.world = new World({
      outside: (call) => this.outside.call(call),
      model: (request) => this.outside.generate(request),
      wrap: (store) => {
        const commit: Store['commit'] = (given) => {
          this.plans.learn(given.runId, given.run.workflowId);
          return store.commit(given);
        };
        return remote({ ...store, commit }, script.delays, this.traffic);
      },
    });
    this.engines = [this.world.engine, undefined];
  }

  private alive(): Engine[] {
    return this.engines.filter((engine) => engine !== undefined);
  }

  async rest(limit = 20_000): Promise<void> {
    for (let left = limit; left > 0; left--) {
      await turn();
      if (this.traffic.now === 0 && this.alive().every((engine) => engine.settled)) return;
    }
    broken('the engines do not come to rest');
  }

  private post(at: 0 | 1, command: Command, background = false): void {
    const by = background ? BACKGROUND : `person ${++this.commands}`;
    const engine = this.engines[at] ?? this.alive()[0];
    void engine
      ?.send({ commandId: `c${++this.commands}`, at: this.world.clock.now(), by, roles: ['owner'], command })
      .then((result) => this.answers.push({ command, by, result }));
  }

  async perform(deed: TwoDeed): Promise<void> {
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
      case 'boot':
        await this.coverage.crash(world.memory);
        this.engines[deed.who]?.dispose();
        this.engines[deed.who] = world.makeEngine();
        void this.engines[deed.who]?.recover();
        break;
      case 'crash':
        if (this.alive().length < 2) break;
        await this.coverage.crash(world.memory);
        this.engines[deed.who]?.dispose();
        this.engines[deed.who] = undefined;
        break;
      case 'granted':
        this.engines[deed.who]?.granted(['https://app.example']);
        break;
      case 'alarm':
        this.engines[deed.who]?.tick();
        void this.engines[deed.who]?.look();
        break;
      case 'signal': {
        const one = (await waitingIn(world)).find(({ row }) => row.wait?.kind === 'signal');
        this.post(deed.who, { type: 'signal', runId: one?.row.runId ?? runId, name: 'go' });
        break;
      }
      case 'raise': {
        const one = (await waitingIn(world)).find(({ row }) => row.wait?.kind === 'budget');
        const limit = one && limitOf(one);
        const tokens = (limit?.tokens ?? 0) + 200 * ++this.raised;
        if (limit) this.post(deed.who, { type: 'raiseBudget', runId: limit.runId, tokens });
        break;
      }
      case 'decide':
      case 'recover':
      case 'wake':
      case 'seen':
        await this.answer(deed);
        break;
      default:
        this.post(deed.who, { type: deed.do, runId });
    }
    for (let left = deed.turns; left > 0; left--) await turn();
    if (this.outside.problem) throw this.outside.problem;
  }

  private async answer(deed: Extract<TwoDeed, { which: number }>): Promise<void> {
    const kinds: Record<typeof deed.do, WaitKind[]> = {
      decide: ['approval'],
      recover: ['recovery'],
      wake: ['timer', 'signal', 'page'],
      seen: ['page'],
    };
    const rows = (await waitingIn(this.world)).filter(({ row }) => kinds[deed.do].includes(row.wait?.kind as WaitKind));
    const one = rows[deed.which % Math.max(1, rows.length)];
    if (!one) return;
    const { row, root } = one;
    // Named by its own run, or from the outermost one.
    const at = deed.which % 2 === 0 ? { runId: row.runId, path: row.path } : { runId: root, path: one.path };
    if (deed.do === 'wake') this.post(deed.who, { type: 'wake', ...at });
    else if (deed.do === 'recover')
      this.post(deed.who, { type: 'recover', ...at, decision: deed.say, output: { by: 'hand' } });
    else if (deed.do === 'seen') this.see(deed.who, one);
    else if (deed.do === 'decide') {
      const pending = await this.world.memory.approvals({ runId: row.runId, status: 'pending' });
      const hash = pending.find(({ path }) => path === row.path)?.hash ?? '';
      this.post(deed.who, { type: 'decide', ...at, hash, decision: deed.yes ? 'approved' : 'rejected' });
      // And the other way round in the other engine, at the same moment.
      if (deed.which === 0)
        this.post(deed.who === 0 ? 1 : 0, {
          type: 'decide',
          ...at,
          hash,
          decision: deed.yes ? 'rejected' : 'approved',
        });
    }
  }

  private see(who: 0 | 1, { row }: Waiting): void {
    const page = { since: row.wait?.since ?? 0, url: 'https://app.example/done', title: 'Done' };
    this.post(who, { type: 'pageSeen', runId: row.runId, path: row.path, ...page }, true);
  }

  /** Accepts what is to be read, and does what is to be done. */
  private async answerPeople(who: 0 | 1): Promise<void> {
    for (const { row } of await waitingIn(this.world)) {
      const { runId, path, wait } = row;
      if (wait?.kind === 'task') this.post(who, { type: 'completeTask', runId, path, data: { by: 'hand' } });
      if (wait?.kind === 'review')
        this.post(who, { type: 'review', runId, path, hash: wait.subject ?? '', decision: 'accept' });
    }
    await turn();
  }

  private unfinished(): Promise<RunRow[]> {
    return this.world.memory.runs({ status: ['queued', 'running', 'waiting', 'paused'] });
  }

  /** Helps all runs to their end, through one engine and then the other. */
  async finish(): Promise<void> {
    const { world } = this;
    let alarms = 0;
    for (let round = 0; round < 1500; round++) {
      await this.rest();
      if (this.outside.problem) throw this.outside.problem;
      const open = await this.unfinished();
      if (open.length === 0) return;
      const at = { who: (round % 2) as 0 | 1, turns: 60, which: round % 3 };
      const waiting = (await waitingIn(world)).map(({ row }) => row.wait?.kind);
      const paused = open.filter(({ status }) => status === 'paused');
      // An approval that has just expired takes no answer, and is over with the next tick.
      if (round % 5 === 4 && world.clock.next() !== undefined) await this.perform({ ...at, do: 'next' });
      // The alarm comes every half minute, whatever is asked of people meanwhile.
      else if (round % 20 === 18) for (const engine of this.alive()) void engine.look();
      else if (paused.length > 0) for (const { runId } of paused) this.post(at.who, { type: 'resume', runId });
      else if (waiting.includes('approval')) await this.perform({ ...at, which: 1, do: 'decide', yes: true });
      else if (waiting.includes('recovery'))
        await this.perform({ ...at, do: 'recover', say: round < 6 ? 'retry' : 'done' });
      else if (waiting.includes('review') || waiting.includes('task')) await this.answerPeople(at.who);
      else if (waiting.includes('budget')) await this.perform({ ...at, do: 'raise' });
      else if (world.clock.next() !== undefined) await this.perform({ ...at, do: 'next' });
      else if (waiting.includes('signal')) await this.perform({ ...at, do: 'signal' });
      else if (waiting.includes('page')) await this.perform({ ...at, do: 'seen' });
      // What one that has died was at: its alarm outlives it.
      else if (alarms++ < 20) for (const engine of this.alive()) void engine.look();
      else broken(`${open.map((run) => `${run.workflowId} is ${run.status}`)}, and nothing leads on`);
    }
    broken('the runs do not come to an end');
  }

  /** After the end: both have let go, the chains are whole, and each answer to a decision is what the journals say. */
  async checkEnd(): Promise<void> {
    const { world } = this;
    for (let moves = 0; moves < 500 && world.clock.next() !== undefined; moves++) {
      world.clock.advanceTo(world.clock.next() as number);
      await this.rest();
    }
    for (const engine of this.alive()) {
      if (engine.inFlight > 0) broken('an engine still works on a run that has ended');
      // One that only waits may not have heard of it: it learns of it from its own next deed, or the next alarm.
      await engine.look();
      await this.rest();
      if (engine.active.length > 0) broken('an engine takes a run that has ended for one that goes on');
    }
    if (this.outside.open.length > 0) broken(`${this.outside.open} is still at work after the end`);
    const decided = new Map<string, string>();
    for (const run of await world.memory.runs()) await this.checkRun(run, decided);
    await checkKnowledge(world, this.plans);
    const taken = new Set(decided.values());
    for (const { command, by, result } of this.answers) {
      if (command.type !== 'decide') continue;
      const repeated = result.ok && (result.data as { repeated?: boolean } | undefined)?.repeated === true;
      if (result.ok && !repeated && !taken.has(`${command.hash} ${by}`))
        broken(`${by} was told that it decided ${command.path}`);
      if (!result.ok && taken.has(`${command.hash} ${by}`) && !/engine has stopped/.test(result.message))
        broken(`${by} decided ${command.path}, and was told ${result.code}: ${result.message}`);
    }
    this.clashes = world.faults.filter((fault) => fault.includes('driven by another engine')).length;
    for (const engine of this.alive()) engine.dispose();
  }

  private async checkRun(run: RunRow, decided: Map<string, string>): Promise<void> {
    const { memory } = this.world;
    if (!FINAL_RUN.includes(run.status)) broken(`${run.workflowId} was taken up again after its end`);
    for (const { path, status } of await memory.steps(run.runId))
      if (!FINAL_STEP.includes(status)) broken(`the run is ${run.status}, but ${path} is ${status}`);
    const events = await memory.events(run.runId);
    const fault = verifyChain(events);
    if (fault) broken(`the chain at ${fault.seq}: ${fault.reason}`);
    const plan = this.plans.ofRun(run.runId);
    checkWrites(plan, run, events, this.outside.acts);
    this.coverage.journal(run, events, plan);
    for (const event of events) {
      if (event.type !== 'approval.decided') continue;
      const { approvalId, hash, decision } = event.data.approval as {
        approvalId: string;
        hash: string;
        decision: { by: string };
      };
      if (decided.has(approvalId)) broken(`${event.path} was decided twice`);
      decided.set(approvalId, `${hash} ${decision.by}`);
    }
  }
}

/** Runs one script from start to end. @throws Error that says what is broken */
export async function simulateTwo(script: TwoScript): Promise<{ status: string; clashes: number; coverage: Coverage }> {
  const two = new TwoEngines(script);
  const { world } = two;
  await startFamily(world, script);
  await two.perform({ do: 'boot', who: 1, turns: 2 });
  for (const deed of script.deeds) await two.perform(deed);
  await two.finish();
  await two.checkEnd();
  return { status: (await world.run()).status, clashes: two.clashes, coverage: two.coverage };
}
