import { tokensOf } from '../engine/budget.ts';
import type { Around, StepType, WorkContext, WorkResult } from '../engine/step-type.ts';
import { asText, resolve } from '../engine/values/template.ts';
import { TabloomError } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { plainScope } from '../model/roots.ts';
import type { AgentDefinition } from '../model/workflow.ts';
import type { ModelMessage, ToolDefinition } from '../ports/model.ts';
import { talkOf } from './agent-talk.ts';
import { ownTools, toolDefinitions } from './agent-tool-schema.ts';
import { profileOf } from './agent-tools.ts';
import { dataBlock, sealData } from './data-marks.ts';
import { materialOf, materialSize } from './material.ts';
import { GROUND_RULES } from './recipe.ts';
import { correctionOf, kept, outputOf } from './recipe-reply.ts';

/** SPEC §5, as for a recipe. */
const MAX_TOKENS = 2048;

const AGENT_RULES =
  'You work towards a goal, with the tools that you are given and no others, one step at a time. When the goal is reached, or cannot be ' +
  'reached, answer without calling a tool.';

const LAST_TURN = 'This is your last turn: answer now, with what you know, and call no tool.';

/** Name of a model turn in paths. */
export const TURN = 'model';

type Work = Pick<WorkContext, 'path' | 'workflow' | 'around'>;

/** One turn of an agent's model. Looks only; what it asks for is done by steps of their own. Not a step type of files. */
export const modelTurn: StepType = {
  type: 'model_turn',
  title: TURN,
  summary: "One turn of an agent's model.",
  keys: {},
  effect: () => 'read',
  templated: [],
  works: true,
  run,
  estimate(work) {
    const { system, messages, profile, around } = prepare(work);
    const material = tokensOf(materialSize({ ...work, step: around.step, fields: around.fields }));
    const sent = [system, ...messages.map(textOf), JSON.stringify(ownTools(around.step, work.workflow))].join('\n');
    const model = profile.model === undefined ? {} : { model: profile.model };
    return { inputTokens: tokensOf(sent) + material, outputTokens: profile.maxTokens ?? MAX_TOKENS, ...model };
  },
};

interface Prepared {
  around: Around;
  profile: AgentDefinition;
  system: string;
  messages: ModelMessage[];
  last: boolean;
}

async function run(context: WorkContext): Promise<WorkResult> {
  const { around, profile, system, messages: asked, last } = prepare(context);
  // With every turn, as they were when the run started: the provider remembers nothing.
  const material = await materialOf({ ...context, step: around.step, fields: contextOf(around) });
  const messages = withMaterial(asked, material.text);
  const schema = around.step.outputSchema;
  const offered: ToolDefinition[] = await toolDefinitions(around.step, context);
  const tools = last ? [] : offered;
  const talk = repaired(messages, context, schema);
  const reply = await context.ports.model.generate({
    call: {
      runId: context.runId,
      path: context.fullPath ?? context.path,
      ...(context.fullPath === undefined ? {} : { own: context.path }),
      attempt: context.attempt,
    },
    ...(profile.model === undefined ? {} : { model: profile.model }),
    system,
    messages: talk,
    // What was called must be known to the provider also where nothing more may be called.
    ...(tools.length > 0 || messages.length > 1 ? { tools: offered } : {}),
    ...(schema && offered.length === 0 ? { schema } : {}),
    maxTokens: profile.maxTokens ?? MAX_TOKENS,
    signal: context.signal,
  });
  const meta: JsonObject = {
    ...(messages.length === 1 ? { system: kept(system), prompt: kept(textOf(messages[0] as ModelMessage)) } : {}),
    reply: kept(reply.text),
    model: reply.model,
    finish: reply.finish,
    ...(material.used.length > 0 && { material: material.used }),
  };
  if (reply.toolCalls?.length) {
    const output = { text: reply.text, toolCalls: reply.toolCalls } as unknown as JsonObject;
    return { output, usage: reply.usage, meta };
  }
  const output = outputOf(reply, schema, { usage: reply.usage, meta });
  return { output: { text: reply.text, output }, usage: reply.usage, meta };
}

function prepare({ path, workflow, around }: Work): Prepared {
  const profile = around && profileOf(around.step, workflow);
  // Preflight has seen to it; a revision cannot lose an agent.
  if (!around || !profile)
    throw new TabloomError('internal', 'There is no such agent in this revision: add it under agents.', { step: path });
  const { step, fields } = around;
  const { turns, next } = talkOf(step, workflow, around.outcomes);
  const last = next.kind === 'turn' && next.last;
  const messages: ModelMessage[] = [{ role: 'user', content: taskOf(around) }];
  for (const { text, toolCalls, answers } of turns)
    messages.push({ role: 'assistant', content: text, toolCalls }, { role: 'tool', answers });
  if (last && turns.length > 0) messages.push({ role: 'user', content: LAST_TURN });
  const where = { step: step.id, field: `agents.${String(step.agent)}.instructions` };
  const scope = plainScope(fields.input === undefined ? {} : { input: fields.input });
  const instructions = sealData(profile.instructions, resolve(profile.instructions, scope, where));
  const schema = step.outputSchema;
  const asJson = schema
    ? `When you answer, answer with one JSON value that fits this JSON Schema, and with nothing else: ${JSON.stringify(schema)}`
    : '';
  const system = [GROUND_RULES, AGENT_RULES, instructions, asJson].filter((part) => part !== '').join('\n\n');
  return { around, profile, system, messages, last };
}

/** What the agent's `context` names; nothing is attached to an agent. */
function contextOf({ fields }: Around): JsonObject {
  return fields.context === undefined ? {} : { context: fields.context };
}

/** Puts the documents before the task. */
function withMaterial([task, ...rest]: ModelMessage[], text: string): ModelMessage[] {
  if (task?.role !== 'user' || text === '') return [task as ModelMessage, ...rest];
  return [{ ...task, content: `${text}\n\n${task.content}` }, ...rest];
}

/** The goal, and the step's input as data. */
function taskOf({ step, fields }: Around): string {
  const goal = sealData(step.goal as Json | undefined, fields.goal ?? '');
  return fields.input === undefined ? goal : `${goal}\n\n${dataBlock('input', asText(fields.input))}`;
}

/** After a reply that did not fit also that reply with what was wrong, so that the model can repair it. */
function repaired(messages: ModelMessage[], { previous }: WorkContext, schema: JsonObject | undefined): ModelMessage[] {
  const wrong = correctionOf(previous?.error, schema);
  if (!wrong) return messages;
  // Providers refuse an empty assistant turn.
  const said: ModelMessage[] = wrong.reply.trim() === '' ? [] : [{ role: 'assistant', content: wrong.reply }];
  return [...messages, ...said, { role: 'user', content: wrong.correction }];
}

function textOf(message: ModelMessage): string {
  if (message.role === 'tool') return message.answers.map((answer) => answer.text).join('\n');
  const calls = message.role === 'assistant' && message.toolCalls ? JSON.stringify(message.toolCalls) : '';
  return message.content + calls;
}
