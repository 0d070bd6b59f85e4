import { planAt } from '../../../src/engine/calls/around.ts';
import { hashJson } from '../../../src/model/canonical.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { JournalEvent } from '../../../src/model/events.ts';
import { isObject, type Json } from '../../../src/model/json.ts';
import type { ModelReply, ModelRequest, ToolCall } from '../../../src/ports/model.ts';
import type { PageCall } from '../../../src/ports/pages.ts';
import type { World } from '../engine.ts';
import { broken, type Plans } from './family.ts';
import type { Answer } from './script.ts';

/** What a simulation looks at in a call of the outside, whoever is called. */
export type Outside = Pick<PageCall, 'runId' | 'path' | 'attempt' | 'signal'>;

/** One call of the outside, as the outside itself saw it: this is the log that no journal can talk itself out of. */
export interface Act {
  runId: string;
  /** Within its own run. */
  path: string;
  attempt: number;
  effect: unknown;
  /** It was done: it gave an output, or was cut off after it had begun to act. */
  acted: boolean;
  /** What it gave back, where it gave anything. */
  output?: Json;
}

/** Answers one call: by its number (from 0), or by where it comes from and how often that has failed so far. */
export type Answering = (nth: number, from: { workflow: string; path: string; failures: number }) => Answer;

const CLOSED = ['step.attempt', 'step.interrupted', 'step.failed', 'step.cancelled'];

/** The outside of a simulation: answers as a script says, keeps a log, and checks each call against the journal and that log. */
export class OutsideLog {
  readonly acts: Act[] = [];
  problem: Error | undefined;
  private readonly world: () => World;
  private readonly plans: Plans;
  private readonly answering: Answering;
  /** What a call gives back: its number, or something that only says where it comes from. */
  private readonly steady: boolean;
  private readonly begun = new Set<string>();
  private readonly flights = new Map<string, AbortSignal>();

  constructor(world: () => World, plans: Plans, answering: Answering, steady = false) {
    this.world = world;
    this.plans = plans;
    this.answering = answering;
    this.steady = steady;
  }

  /** Calls that nobody has given up. */
  get open(): string[] {
    return [...this.flights].filter(([, signal]) => !signal.aborted).map(([id]) => id);
  }

  async call(given: Outside): Promise<Json> {
    const world = this.world();
    const run = await world.memory.run(given.runId);
    const { prefix } = run?.parent ?? {};
    const path =
      prefix !== undefined && given.path.startsWith(`${prefix}/`) ? given.path.slice(prefix.length + 1) : given.path;
    const { runId, attempt, signal } = given;
    const id = `${runId} ${path}`;
    const events = (await world.memory.events(runId)).filter((event) => event.path === path);
    const intent = events.findLast((event) => event.type === 'step.started');
    const effect = intent?.data.effect;
    try {
      this.check({ runId, path, attempt }, events, id);
    } catch (error) {
      this.problem ??= error as Error;
    }
    const workflow = run?.workflowId ?? '';
    const nth = this.acts.length;
    const failures = events.filter(
      ({ type, data }) =>
        type === 'step.attempt' ||
        (type === 'step.interrupted' && isObject(data.error) && data.error.code !== 'interrupted'),
    ).length;
    const act: Act = { runId, path, attempt, effect, acted: false };
    this.acts.push(act);
    this.flights.set(`${id}#${attempt}`, signal);
    const answer = this.answering(nth, { workflow, path, failures });
    try {
      if (answer.kind === 'hang') {
        act.acted = true;
        return await world.hang(signal);
      }
      await world.sleep(answer.kind === 'late' ? answer.ms : 0, signal);
      if (answer.kind === 'error') {
        act.acted = answer.acted === true;
        throw new TabloomError(answer.code, 'as the script says', { acted: answer.acted });
      }
      act.acted = true;
      act.output = { done: this.steady ? numberOf(workflow, path) : nth };
      return act.output;
    } finally {
      this.flights.delete(`${id}#${attempt}`);
    }
  }

  /** At most once, never twice at the same time, never again what is completed, and never what the log knows to be done. */
  private check({ runId, path, attempt }: Omit<Outside, 'signal'>, events: JournalEvent[], id: string): void {
    if (this.begun.has(`${id}#${attempt}`)) broken(`${id}#${attempt} was begun twice`);
    this.begun.add(`${id}#${attempt}`);
    const mine = events.findIndex((event) => event.type === 'step.started' && event.data.attempt === attempt);
    const intent = events[mine];
    if (!intent) broken(`${id} works without an intent for attempt ${attempt}`);
    const before = events.slice(0, mine);
    const completed = before.findLastIndex((event) => event.type === 'step.completed');
    // Only as part of a further attempt of what holds it, and nothing that must not happen twice.
    const again = before.slice(completed).some((event) => event.type === 'step.reset');
    if (completed >= 0 && (intent.data.effect === 'once' || !again)) broken(`${id} is completed and was started again`);
    if (intent.data.effect !== 'once') return;
    if (planAt(this.plans.ofRun(runId), path)?.def.onInterrupted === 'retry') return;
    const known = (from: number) =>
      before.slice(from).some((event) => event.type === 'step.resumed' && event.data.known === true);
    const lost = before.findLastIndex((event) => event.type === 'step.interrupted' && event.data.unknown === true);
    if (lost >= 0 && !known(lost)) broken(`${id} may have acted, and was started again without a word`);
    const open = before.findLastIndex((event) => event.type === 'step.started');
    if (open >= 0 && !before.slice(open + 1).some(({ type }) => CLOSED.includes(type)))
      broken(`${id} has an intent without a result, and was started again`);
    const done = this.acts.findLast((act) => act.acted && act.runId === runId && act.path === path);
    if (!done) return;
    const then = before.findIndex((event) => event.type === 'step.started' && event.data.attempt === done.attempt);
    if (!known(then)) broken(`${id} was done in attempt ${done.attempt}, and is done again`);
  }

  /** What a person finds who goes and looks whether a step has acted. */
  outputOf(runId: string, path: string): Json | undefined {
    return this.acts.findLast((act) => act.acted && act.runId === runId && act.path === path)?.output;
  }

  /** A turn of an agent's model, or the answer to a recipe. An agent is told to go on two times in three, never twice the same. */
  async generate({ call, signal, tools }: ModelRequest): Promise<ModelReply> {
    const { done } = (await this.call({ ...call, signal })) as { done: number };
    const reply = { usage: { inputTokens: 20, outputTokens: 10 }, model: 'sim', finish: 'stop' as const };
    if (done % 3 === 0 || !tools?.length) return { ...reply, text: `answer ${done}` };
    const wish: Pick<ToolCall, 'tool' | 'arguments'> =
      done % 2 === 0
        ? { tool: 'browser_click', arguments: { target: { text: `Go ${done}` } } }
        : done % 5 === 0
          ? { tool: 'browser_navigate', arguments: { url: `https://app.example/${done}` } }
          : { tool: 'browser_snapshot', arguments: {} };
    return { ...reply, text: '', toolCalls: [{ id: `c${done}`, ...wish }] };
  }
}

/** A number that only says where a call comes from. */
function numberOf(workflow: string, path: string): number {
  return Number.parseInt(hashJson([workflow, path]).slice(0, 6), 16);
}
