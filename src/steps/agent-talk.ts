import type { ListOutcome } from '../engine/step-type.ts';
import { canonicalJson } from '../model/canonical.ts';
import { type ErrorInfo, toErrorInfo } from '../model/errors.ts';
import { isObject, type Json, type JsonObject } from '../model/json.ts';
import type { StepDefinition, WorkflowDefinition } from '../model/workflow.ts';
import type { ToolAnswer, ToolCall } from '../ports/model.ts';
import { allowedTools, callOf, fieldsOf, profileOf } from './agent-tools.ts';
import { dataBlock } from './data-marks.ts';

/** SPEC §5. */
const MAX_TURNS = 20;
/** The same call with the same result so often is a loop. */
const MAX_REPEATS = 3;
/** Longest result that is told to the model, in characters; the step's own output is whole. */
const MAX_TOLD = 40_000;

/** Output of a model turn: what the model said, and either the tools that it asks for or the agent's output. */
export interface TurnOutput {
  text: string;
  toolCalls?: ToolCall[];
  output?: Json;
}

/** A model turn that is over, and what came of the tools that it asked for so far. */
export interface Turn {
  text: string;
  toolCalls: ToolCall[];
  answers: ToolAnswer[];
}

/** What an agent does next: another model turn, a tool call, or nothing more. */
export type Move =
  | { kind: 'turn'; turn: number; last: boolean }
  | { kind: 'call'; name: string; input: JsonObject }
  | { kind: 'done'; output: Json }
  | { kind: 'fail'; error: ErrorInfo };

/**
 * An agent's conversation so far and what comes next, from the outcomes of its calls alone. A call of a tool that it may not use, or with
 * arguments that nothing could take, is refused to the model as an answer, and nothing is run.
 */
export function talkOf(
  step: StepDefinition,
  workflow: WorkflowDefinition,
  outcomes: readonly (ListOutcome | undefined)[],
): { turns: Turn[]; next: Move; index: number } {
  const calls = new Map(
    allowedTools(step, workflow)
      .flatMap((name) => callOf(name) ?? [])
      .map((def) => [def.id, def]),
  );
  const turns: Turn[] = [];
  const repeats = new Repeats();
  const sights = new Sights();
  let index = 0;
  const at = (next: Move) => ({ turns, next, index });
  for (;;) {
    const outcome = outcomes[index];
    if (!outcome) {
      const most = maxTurns(step, workflow);
      if (turns.length >= most) return at({ kind: 'fail', error: tooLong(step, most) });
      return at({ kind: 'turn', turn: turns.length + 1, last: turns.length + 1 === most });
    }
    index += 1;
    const reply = outcome.output as unknown as TurnOutput;
    if (!reply.toolCalls) return at({ kind: 'done', output: reply.output ?? null });
    const turn: Turn = { text: reply.text, toolCalls: reply.toolCalls, answers: [] };
    turns.push(turn);
    for (const wish of reply.toolCalls) {
      const key = `${wish.tool}\n${canonicalJson(wish.arguments)}`;
      if (repeats.hopeless(key)) return at({ kind: 'fail', error: goesRound(step, wish.tool) });
      const asked = wanted(calls, wish);
      let answer: { text: string; isError?: boolean };
      let sight: string | undefined;
      if ('refused' in asked) answer = { text: asked.refused, isError: true };
      else {
        const done = outcomes[index];
        if (!done) return at({ kind: 'call', name: asked.def.id, input: asked.fields });
        index += 1;
        answer = told(asked.def.id, done.output);
        sight = sightOf(asked, done.output);
      }
      const verdict = repeats.count(key, answer.text);
      if (verdict === 'again') return at({ kind: 'fail', error: goesRound(step, wish.tool) });
      const text = verdict === 'tell' ? `${answer.text}\n\n${NOTICE}` : answer.text;
      const given: ToolAnswer = { ...answer, text, id: wish.id, tool: wish.tool };
      if (sight !== undefined) sights.see(sight, given);
      turn.answers.push(given);
    }
  }
}

/** Told in place of a snapshot that a later one has made useless. */
const SEEN_AGAIN = 'Left out here: a newer snapshot of this page follows.';

/**
 * Snapshots of whole pages, of which the conversation keeps the newest of each: older ones hold refs that may be gone, and are what fills a
 * model's context first.
 */
class Sights {
  readonly #newest = new Map<string, ToolAnswer>();

  see(page: string, answer: ToolAnswer): void {
    const before = this.#newest.get(page);
    if (before) before.text = dataBlock(before.tool, SEEN_AGAIN);
    this.#newest.set(page, answer);
  }
}

/** What page a call has looked at as a whole: its tab and address; `undefined` for a part of one, and for any other call. */
function sightOf({ def, fields }: { def: StepDefinition; fields: JsonObject }, outcome: Json): string | undefined {
  const { output } = isObject(outcome) ? outcome : { output: outcome };
  if (def.action !== 'snapshot' || !isObject(output) || typeof output.url !== 'string') return undefined;
  const { arguments: args } = fields;
  if (isObject(args) && PARTS.some((key) => args[key] !== undefined)) return undefined;
  return JSON.stringify([fields.tab ?? null, output.url]);
}

/** Arguments with which a snapshot is of a part of its page. */
const PARTS = ['target', 'find', 'cursor', 'since'];

const NOTICE =
  `You have made this very call ${MAX_REPEATS} times with the same result, and it will not change. ` +
  'Do something else, or answer with what you know.';

/** Calls that come back with the same result again and again. The model is told once; after that the agent ends. */
class Repeats {
  readonly #seen = new Map<string, { result: string; times: number }>();
  #told = false;

  /** Whether the model was told that exactly this call leads nowhere. */
  hopeless(key: string): boolean {
    return this.#told && (this.#seen.get(key)?.times ?? 0) >= MAX_REPEATS;
  }

  count(key: string, result: string): 'fine' | 'tell' | 'again' {
    const before = this.#seen.get(key);
    const times = before?.result === result ? before.times + 1 : 1;
    this.#seen.set(key, { result, times });
    if (times < MAX_REPEATS) return 'fine';
    if (this.#told) return 'again';
    this.#told = true;
    return 'tell';
  }
}

type Wanted = { def: StepDefinition; fields: JsonObject } | { refused: string };

function wanted(calls: ReadonlyMap<string, StepDefinition>, { tool, arguments: written }: ToolCall): Wanted {
  const def = calls.get(tool);
  if (!def) {
    const names = [...calls.keys()].join(', ');
    return {
      refused: `This was not done: you may not use "${tool}". ${names ? `You may use ${names}.` : 'You have no tools.'}`,
    };
  }
  try {
    return { def, fields: fieldsOf(def, written) };
  } catch (error) {
    return { refused: `This was not done: ${toErrorInfo(error).message}` };
  }
}

/** The outcome of a tool call as the model reads it. All of it may come from a page or a server. */
function told(tool: string, outcome: Json): { text: string; isError?: boolean } {
  const { error, output = null } = isObject(outcome) ? outcome : { output: outcome };
  if (isObject(error)) return { text: dataBlock(tool, `${error.code}: ${error.message}`), isError: true };
  const text = typeof output === 'string' ? output : canonicalJson(output);
  const cut = text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}… [cut, ${text.length} characters in all]` : text;
  return { text: dataBlock(tool, cut) };
}

/** Model turns that an agent may take: the step says, within what its profile allows. */
function maxTurns(step: StepDefinition, workflow: WorkflowDefinition): number {
  const profile = profileOf(step, workflow)?.maxTurns;
  const own = typeof step.maxTurns === 'number' ? step.maxTurns : undefined;
  return Math.min(own ?? profile ?? MAX_TURNS, profile ?? Number.POSITIVE_INFINITY);
}

function tooLong(step: StepDefinition, turns: number): ErrorInfo {
  return {
    code: 'output_invalid',
    message: `Raise maxTurns, or make the goal of ${step.id} smaller: it gave no answer within ${turns} turns.`,
  };
}

function goesRound(step: StepDefinition, tool: string): ErrorInfo {
  return {
    code: 'output_invalid',
    message: `Make the goal of ${step.id} clearer: it goes round in circles with ${tool}, though it was told so.`,
  };
}
