import fc from 'fast-check';
import { planAt } from '../../../src/engine/calls/around.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { compilePlan } from '../../../src/engine/plan.ts';
import type { Command, CommandResult } from '../../../src/model/commands.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import { verifyChain } from '../../../src/model/events.ts';
import type { Json } from '../../../src/model/json.ts';
import { FINAL_RUN } from '../../../src/model/run.ts';
import type { WorkflowDefinition } from '../../../src/model/workflow.ts';
import type { Store } from '../../../src/ports/store.ts';
import { registry } from '../../../src/steps/index.ts';
import { World } from '../engine.ts';
import { type Outside, turnOf } from './model.ts';
import type { Answer } from './simulate.ts';

/** What is done next, to which of the two engines (`who`), and for how many turns it then runs before the next is done. */
export type TwoDeed = { who: 0 | 1; turns: number } & (
  | { do: 'decide'; which: number; yes: boolean }
  | { do: 'recover'; which: number; say: 'retry' | 'done' | 'fail' }
  | { do: 'wake'; which: number }
  | { do: 'signal' | 'pause' | 'resume' | 'cancel' | 'retry' | 'boot' | 'crash' | 'next' | 'granted' }
  | { do: 'sleep'; ms: number }
);

const who = fc.constantFrom<0 | 1>(0, 1);
/** Mostly far too few turns to come to rest: what the two do overlaps. */
const turns = fc.constantFrom(0, 1, 2, 3, 5, 8, 60);

export const twoDeeds: fc.Arbitrary<TwoDeed[]> = fc.array(
  fc.oneof(
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
        .record({ who, turns, which: fc.nat(3) })
        .map((deed): TwoDeed => ({ do: deed.which === 0 ? 'signal' : 'wake', ...deed }) as TwoDeed),
    },
    {
      weight: 8,
      arbitrary: fc
        .record({
          who,
          turns,
          do: fc.constantFrom('next', 'next', 'next', 'boot', 'boot', 'crash', 'pause', 'resume', 'retry', 'granted'),
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

export interface TwoScript {
  definition: WorkflowDefinition;
  answers: Answer[];
  deeds: TwoDeed[];
  /** Turns that each question to the store takes before and after it is carried out, in order, over and over. */
  delays: number[];
}

function broken(what: string): never {
  throw new Error(`broken: ${what}`);
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
  private readonly script: TwoScript;
  private engines: [Engine | undefined, Engine | undefined];
  private nth = 0;
  private commands = 0;
  private readonly begun = new Set<string>();
  private readonly flights = new Map<string, AbortSignal>();
  private readonly answers: { command: Command; by: string; result: CommandResult }[] = [];
  private problem: Error | undefined;
  /** Questions to the store that are on their way. */
  private readonly traffic = { now: 0 };
  clashes = 0;

  constructor(script: TwoScript) {
    this.script = script;
    this.world = new World({
      outside: (call) => this.outside(call),
      model: (request) => turnOf(request, (call) => this.outside(call)),
      wrap: (store) => remote(store, script.delays, this.traffic),
    });
    this.engines = [this.world.engine, undefined];
  }

  private alive(): Engine[] {
    return this.engines.filter((engine) => engine !== undefined);
  }

  private async outside(call: Outside): Promise<Json> {
    const { world } = this;
    const id = `${call.path}#${call.attempt}`;
    await this.checkCall(call, id).catch((error: unknown) => {
      this.problem ??= error as Error;
    });
    this.flights.set(id, call.signal);
    const answer = this.script.answers[this.nth++ % this.script.answers.length] as Answer;
    try {
      if (answer.kind === 'hang') return await world.hang(call.signal);
      await world.sleep(answer.kind === 'late' ? answer.ms : 0, call.signal);
      if (answer.kind === 'error') throw new TabloomError(answer.code, 'as the script says', { acted: answer.acted });
      return { done: this.nth };
    } finally {
      this.flights.delete(id);
    }
  }

  /** Each attempt is begun by one engine, once, and a *once* step not again before its outcome is known. */
  private async checkCall({ runId, path, attempt }: Outside, id: string): Promise<void> {
    if (this.begun.has(id)) broken(`${id} was begun twice`);
    this.begun.add(id);
    const events = (await this.world.memory.events(runId)).filter((event) => event.path === path);
    const mine = events.findIndex((event) => event.type === 'step.started' && event.data.attempt === attempt);
    const intent = events[mine];
    if (!intent) broken(`${id} works without an intent`);
    const before = events.slice(0, mine);
    if (before.some((event) => event.type === 'step.completed')) broken(`${id} is completed and was started again`);
    if (intent.data.effect !== 'once' || planAt(this.plan(), path)?.def.onInterrupted === 'retry') return;
    const lost = before.findLastIndex((event) => event.type === 'step.interrupted' && event.data.unknown === true);
    if (lost >= 0 && !before.slice(lost).some((event) => event.type === 'step.resumed' && event.data.known === true))
      broken(`${id} may have acted, and was started again without a word`);
    const open = before.findLastIndex((event) => event.type === 'step.started');
    const closed = ['step.attempt', 'step.interrupted', 'step.failed', 'step.cancelled'];
    if (open >= 0 && !before.slice(open + 1).some(({ type }) => closed.includes(type)))
      broken(`${id} follows an intent without a result`);
  }

  private plan() {
    return compilePlan(this.script.definition, '', registry);
  }

  async rest(limit = 20_000): Promise<void> {
    for (let left = limit; left > 0; left--) {
      await turn();
      if (this.traffic.now === 0 && this.alive().every((engine) => engine.settled)) return;
    }
    broken('the engines do not come to rest');
  }

  private post(at: 0 | 1, command: Command): void {
    const by = `person ${++this.commands}`;
    const engine = this.engines[at] ?? this.alive()[0];
    void engine
      ?.send({ commandId: `c${this.commands}`, at: this.world.clock.now(), by, roles: ['owner'], command })
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
        this.engines[deed.who]?.dispose();
        this.engines[deed.who] = world.makeEngine();
        void this.engines[deed.who]?.recover();
        break;
      case 'crash':
        if (this.alive().length < 2) break;
        this.engines[deed.who]?.dispose();
        this.engines[deed.who] = undefined;
        break;
      case 'granted':
        this.engines[deed.who]?.granted(['https://app.example']);
        break;
      case 'decide': {
        const pending = await world.memory.approvals({ runId, status: 'pending' });
        const row = pending[deed.which % Math.max(1, pending.length)];
        if (!row) break;
        const { path, hash } = row;
        this.post(deed.who, { type: 'decide', runId, path, hash, decision: deed.yes ? 'approved' : 'rejected' });
        // And the other way round in the other engine, at the same moment.
        if (deed.which === 0)
          this.post(deed.who === 0 ? 1 : 0, {
            type: 'decide',
            runId,
            path,
            hash,
            decision: deed.yes ? 'rejected' : 'approved',
          });
        break;
      }
      case 'recover':
      case 'wake': {
        const kinds = deed.do === 'recover' ? ['recovery'] : ['timer', 'signal', 'page'];
        const rows = (await world.steps()).filter(
          ({ status, wait }) => status === 'waiting' && kinds.includes(wait?.kind ?? ''),
        );
        const path = rows[deed.which % Math.max(1, rows.length)]?.path;
        if (path === undefined) break;
        if (deed.do === 'wake') this.post(deed.who, { type: 'wake', runId, path });
        else this.post(deed.who, { type: 'recover', runId, path, decision: deed.say, output: { by: 'hand' } });
        break;
      }
      case 'signal':
        this.post(deed.who, { type: 'signal', runId, name: 'go' });
        break;
      default:
        this.post(deed.who, { type: deed.do, runId });
    }
    for (let left = deed.turns; left > 0; left--) await turn();
    if (this.problem) throw this.problem;
  }

  /** Accepts what is to be read, and does what is to be done. */
  private async answerPeople(who: 0 | 1): Promise<void> {
    const { world } = this;
    const { runId } = world;
    for (const { path, status, wait } of await world.steps()) {
      if (status !== 'waiting') continue;
      if (wait?.kind === 'task') this.post(who, { type: 'completeTask', runId, path, data: { by: 'hand' } });
      if (wait?.kind === 'review')
        this.post(who, { type: 'review', runId, path, hash: wait.subject ?? '', decision: 'accept' });
    }
    await turn();
  }

  /** Helps the run to its end, through one engine and then the other. */
  async finish(): Promise<void> {
    const { world } = this;
    for (let round = 0; round < 1500; round++) {
      await this.rest();
      if (this.problem) throw this.problem;
      const run = await world.memory.run(world.runId);
      if (!run || FINAL_RUN.includes(run.status)) return;
      const at = { who: (round % 2) as 0 | 1, turns: 60, which: 1 };
      const waiting = (await world.steps()).filter(({ status }) => status === 'waiting').map(({ wait }) => wait?.kind);
      // An approval that has just expired takes no answer, and is over with the next tick.
      if (round % 5 === 4 && world.clock.next() !== undefined) await this.perform({ ...at, do: 'next' });
      else if (run.status === 'paused') await this.perform({ ...at, do: 'resume' });
      else if (waiting.includes('approval')) await this.perform({ ...at, do: 'decide', yes: true });
      else if (waiting.includes('recovery'))
        await this.perform({ ...at, do: 'recover', say: round < 6 ? 'retry' : 'done' });
      else if (waiting.includes('review') || waiting.includes('task')) await this.answerPeople(at.who);
      else if (world.clock.next() !== undefined) await this.perform({ ...at, do: 'next' });
      else if (waiting.includes('signal')) await this.perform({ ...at, do: 'signal' });
      else broken(`the run is ${run.status}, and nothing leads on`);
    }
    broken('the run does not come to an end');
  }

  /** After the end: both have let go, the chain is whole, and each answer to a decision is what the journal says. */
  async checkEnd(): Promise<void> {
    const { world } = this;
    for (let moves = 0; moves < 500 && world.clock.next() !== undefined; moves++) {
      world.clock.advanceTo(world.clock.next() as number);
      await this.rest();
    }
    for (const engine of this.alive()) {
      if (engine.inFlight > 0) broken('an engine still works on a run that has ended');
      // One that only waits may not have heard of it: it learns of it from its own next deed.
      if (engine.active.some(({ status }) => status !== 'waiting' && status !== 'paused'))
        broken('an engine takes a run that has ended for one at work');
    }
    for (const [id, signal] of this.flights) if (!signal.aborted) broken(`${id} is still at work after the end`);
    const events = await world.events();
    const fault = verifyChain(events);
    if (fault) broken(`the chain at ${fault.seq}: ${fault.reason}`);
    const decided = new Map<string, string>();
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
}

/** Runs one script from start to end. @throws Error that says what is broken */
export async function simulateTwo(script: TwoScript): Promise<{ status: string; clashes: number }> {
  const two = new TwoEngines(script);
  const { world } = two;
  const revision = await world.save(script.definition);
  const started = await world.engine.start({ revision, input: {}, trigger: { type: 'manual' } });
  if (!started.ok) broken(`the start was refused: ${started.message}`);
  world.runId = started.runId;
  await two.perform({ do: 'boot', who: 1, turns: 2 });
  for (const deed of script.deeds) await two.perform(deed);
  await two.finish();
  await two.checkEnd();
  return { status: (await world.run()).status, clashes: two.clashes };
}
