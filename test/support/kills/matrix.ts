import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunDetail } from '../../../src/app/protocol.ts';
import { FINAL_RUN, type StepRunRow } from '../../../src/model/run.ts';
import type { Product } from '../product.ts';
import { checkJournal } from './invariants.ts';
import { type CutCall, type Kill, type Landing, landingOf } from './landing.ts';
import { Lives, type Resume } from './lives.ts';
import { type Sight, sightsIn } from './phase.ts';
import { type Share, type Shot, shotsFor } from './plan.ts';
import { type Draw, drawOf, seedFor } from './random.ts';
import { asking, type Round, type Workload } from './round.ts';

/** One kill, where it was aimed and where it has landed. */
export interface Hit {
  workload: string;
  aim: string;
  landing: Landing;
}

/** How a life came up after a kill, milliseconds. */
export interface Comeback {
  /** From the event that woke it to the worker's own begin. */
  begin: number;
  /** From that event to the end of the recovery. */
  ready: number;
  /** From that event to the first thing that it wrote to a journal, where it wrote anything. */
  wrote?: number;
}

export interface Tally {
  hits: Hit[];
  comebacks: Comeback[];
  rounds: number;
}

export function emptyTally(): Tally {
  return { hits: [], comebacks: [], rounds: 0 };
}

/** A question that a person leaves open, or a step that is cut, so often at most. */
const MOST = 3;
/** A boot, until one was measured. Milliseconds. */
const BOOT = 300;
/** So long nothing may happen in a round, on a machine that has other work. Milliseconds. */
const PATIENCE = 120_000;
/** Rounds of one workload in which no shot went off. */
const IN_VAIN = 3;

/** Shoots at rounds of one workload until all its shots are used up, and sees to it that each round ends as it must. */
export class Range {
  readonly #product: Product;
  readonly #lives: Lives;
  readonly #cuts: readonly CutCall[];
  readonly #tally: Tally;
  readonly #log: (line: string) => void;
  /** How often each question or step was hit. */
  readonly #used = new Map<string, number>();

  constructor(product: Product, cuts: readonly CutCall[], tally: Tally, log: (line: string) => void) {
    this.#product = product;
    this.#lives = new Lives(product);
    this.#cuts = cuts;
    this.#tally = tally;
    this.#log = log;
  }

  async shoot(workload: Workload, share: Share, kills: number, seed: number): Promise<void> {
    const draw = drawOf(seedFor(seed, workload.name));
    const shots = shotsFor(share, kills, draw);
    let inVain = 0;
    for (let number = 1; shots.length > 0; number++) {
      const before = shots.length;
      const round = await workload.begin(number, draw);
      await this.#play(round, shots, draw);
      this.#tally.rounds += 1;
      this.#log(`${workload.name}, round ${number}: ended right, ${shots.length} shots left`);
      inVain = shots.length < before ? 0 : inVain + 1;
      if (inVain === IN_VAIN) throw new Error(`No more is to be hit in "${workload.name}": ${JSON.stringify(shots)}`);
    }
  }

  async #play(round: Round, shots: Shot[], draw: Draw): Promise<void> {
    let moved = Date.now();
    let last = '';
    for (;;) {
      const details = await this.#details(round);
      if (details.every(({ run }) => FINAL_RUN.includes(run.status))) break;
      const state = details.map(({ run }) => run.seq).join();
      if (state !== last) moved = Date.now();
      else if (Date.now() - moved > PATIENCE)
        throw new Error(`Nothing works on it any more:\n${JSON.stringify(details)}`);
      last = state;
      const found = this.#take(shots, sightsIn(details, Date.now()));
      if (found) {
        const detail = details.find(({ run }) => run.runId === found.sight.runId) as RunDetail;
        await this.#fire(round, found.shot, found.sight, detail, draw);
        continue;
      }
      if (!(await this.#answer(round, details))) await sleep(15);
    }
    await this.#check(round);
  }

  /** The next shot that has something to aim at. */
  #take(shots: Shot[], sights: Sight[]): { shot: Shot; sight: Sight } | undefined {
    for (const [index, shot] of shots.entries()) {
      const sight = sights.find((one) => one.aim === shot.aim && (this.#used.get(keyOf(one)) ?? 0) < MOST);
      if (!sight) continue;
      this.#used.set(keyOf(sight), (this.#used.get(keyOf(sight)) ?? 0) + 1);
      shots.splice(index, 1);
      return { shot, sight };
    }
    return undefined;
  }

  async #fire(round: Round, shot: Shot, sight: Sight, detail: RunDetail, draw: Draw): Promise<void> {
    const command = shot.aim === 'decide' ? await round.answer(detail, sight.step) : undefined;
    const commandId = randomUUID();
    const send = () =>
      command && this.#product.ask('command.send', { commandId, command, surface: 'cli' }).catch(() => undefined);
    const sent = send();
    await sleep(shot.delayMs);
    const kills = [await this.#lives.kill()];
    await sent;
    for (const part of shot.chain) kills.push(await this.#lives.killBooting(part * this.#bootTime()));
    if (draw() < 0.2) await sleep(draw() * 1500);
    const resume = await this.#lives.wake();
    await this.#judge(round, shot, kills, resume);
    if (command) {
      // The same command again, as whoever was not answered sends it: taken once, whenever it came.
      const result = await this.#product.ask('command.send', { commandId, command, surface: 'cli' });
      if (!result.ok) throw new Error(`The decision was lost: ${result.code} ${result.message}`);
    }
  }

  async #judge(round: Round, shot: Shot, kills: readonly Kill[], resume: Resume): Promise<void> {
    const { began, ready } = resume.life;
    const journals = await Promise.all(
      round.runIds.map(async (runId) => (await this.#product.ask('run.events', { runId })).events),
    );
    const evidence = { began, journals, types: round.types, cuts: this.#cuts };
    for (const [index, kill] of kills.entries()) {
      const landing = landingOf(kill, evidence);
      const aim = index === 0 ? shot.aim : 'boot';
      this.#tally.hits.push({ workload: round.name, aim, landing });
    }
    const wrote = journals
      .flatMap((journal) => journal.find(({ at }) => at >= began)?.at ?? [])
      .reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
    const since = (at: number): number => at - resume.woken;
    this.#tally.comebacks.push({
      begin: since(began),
      ready: since(ready),
      ...(Number.isFinite(wrote) && { wrote: since(wrote) }),
    });
  }

  #bootTime(): number {
    const known = this.#tally.comebacks.map(({ begin, ready }) => ready - begin).sort((a, b) => a - b);
    // Of the quicker ones: a kill that comes too late hits no boot.
    return known[Math.floor(known.length / 4)] ?? BOOT;
  }

  /** A person answers, to the first question of all. */
  async #answer(round: Round, details: readonly RunDetail[]): Promise<boolean> {
    for (const detail of details) {
      const step = asking(detail);
      if (!step || FINAL_RUN.includes(detail.run.status)) continue;
      const result = await this.#product.command(await round.answer(detail, step));
      if (!result.ok) throw new Error(`${step.path} took no answer: ${result.code} ${result.message}`);
      return true;
    }
    return false;
  }

  #details(round: Round): Promise<RunDetail[]> {
    return Promise.all(round.runIds.map((runId) => this.#product.detail(runId)));
  }

  async #check(round: Round): Promise<void> {
    const details = await this.#details(round);
    try {
      round.check(details);
      for (const runId of round.runIds) checkJournal((await this.#product.ask('run.events', { runId })).events);
    } catch (error) {
      for (const runId of round.runIds)
        this.#log(JSON.stringify((await this.#product.ask('run.events', { runId })).events.map(shorten)));
      throw error;
    }
  }
}

function shorten({ at, type, path, data }: { at: number; type: string; path?: string; data: unknown }): unknown {
  return [at, type, path, JSON.stringify(data).slice(0, 300)];
}

function keyOf({ runId, aim, step }: Sight): string {
  return [runId, aim, step.path, aim === 'person' || aim === 'decide' ? since(step) : ''].join(' ');
}

function since({ wait }: StepRunRow): number {
  return wait?.since ?? 0;
}
