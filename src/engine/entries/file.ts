import { hashJson } from '../../model/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { bareEntry, type EntryDefinition, type EntryKind, nameOf } from '../../model/library.ts';
import type { Problem, StepDefinition, WorkflowDefinition } from '../../model/workflow.ts';
import { z } from '../../model/zod.ts';
import { AGENT_KEYS, RECIPE_KEYS, STEP_ID } from '../preflight/file-schema.ts';
import { checkDefinition } from '../preflight/index.ts';
import { problemsOf } from '../preflight/issues.ts';
import { error } from '../preflight/problem.ts';
import { checkSource, sealed } from '../secrets/index.ts';
import { readWorkflowSource } from '../source/index.ts';
import type { StepRegistry } from '../step-type.ts';
import { validateSchema } from '../values/schema.ts';

const id = z.string().regex(STEP_ID, 'a name of letters, digits, _ and -, that does not begin with a digit');

const HEAD = {
  format: z.literal('tabloom/v1'),
  name: z.string().min(1),
  description: z.string().optional(),
  examples: z
    .array(z.strictObject({ name: z.string().min(1), input: z.json(), output: z.json().optional() }))
    .optional(),
};

const SCHEMAS = {
  recipe: z.strictObject({ ...HEAD, recipe: id, ...RECIPE_KEYS }),
  agent: z.strictObject({ ...HEAD, agent: id, ...AGENT_KEYS }),
};

export interface ReadEntry {
  /** Set when the file could be read as an entry, and nothing in it is an error. */
  definition?: EntryDefinition;
  /** SHA-256 of the definition's canonical JSON. */
  revision?: string;
  /** With line and column. */
  problems: Problem[];
}

/** Reads the file of a recipe or an agent and checks all of it that needs no browser. Never throws. */
export function readEntry(text: string, name: string, registry: StepRegistry): ReadEntry {
  const source = readWorkflowSource(text, { name });
  if (source.value === undefined) return { problems: sealed(source.problems) };
  const found = checkEntry(source.value, registry);
  if (!found.some(({ code }) => code === 'secret_detected')) found.push(...checkSource(text));
  const problems = [...sealed(source.problems), ...found].map((problem) =>
    problem.line === undefined ? { ...problem, ...source.locate(problem.pointer) } : problem,
  );
  if (problems.some(({ severity }) => severity === 'error')) return { problems };
  const definition = source.value as unknown as EntryDefinition;
  return { definition, revision: hashJson(source.value), problems };
}

/** All problems of an entry's definition, errors first. */
export function checkEntry(file: Json, registry: StepRegistry): Problem[] {
  const kind = kindOf(file);
  if (!kind || !isObject(file))
    return [
      error(
        'schema_invalid',
        '',
        'This is no recipe and no agent: write `recipe: <id>` or `agent: <id>`, and its keys.',
      ),
    ];
  const parsed = SCHEMAS[kind].safeParse(file);
  if (!parsed.success) return problemsOf(parsed.error.issues, '');
  const definition = file as unknown as EntryDefinition;
  // It is looked at as what a workflow has of its own, in the smallest one that uses it.
  const place = `/${kind}s/${nameOf(definition).id}`;
  const inside = checkDefinition(trial(definition), registry).flatMap((problem) => {
    if (problem.pointer.startsWith(place)) return { ...problem, pointer: problem.pointer.slice(place.length) };
    // What its tools want of a workflow is seen to where it is used.
    return problem.code === 'tool_unknown' ? { ...problem, pointer: '/tools', step: undefined } : [];
  });
  return inside.some(({ severity }) => severity === 'error') ? inside : [...inside, ...checkExamples(definition)];
}

/** Whether a text is meant as the file of a recipe or an agent, not of a workflow. */
export function isEntryFile(text: string): boolean {
  const { value } = readWorkflowSource(text, { name: '' });
  return isObject(value) && !Object.hasOwn(value, 'steps') && kindOf(value) !== undefined;
}

function kindOf(file: Json): EntryKind | undefined {
  if (!isObject(file)) return undefined;
  const kinds = (['recipe', 'agent'] as const).filter((kind) => Object.hasOwn(file, kind));
  return kinds.length === 1 ? kinds[0] : undefined;
}

function checkExamples(definition: EntryDefinition): Problem[] {
  const { inputSchema, outputSchema } = definition as { inputSchema?: JsonObject; outputSchema?: JsonObject };
  return (definition.examples ?? []).flatMap(({ name, input, output }, index) => {
    const fits = (schema: JsonObject | undefined, value: Json | undefined, key: 'input' | 'output'): Problem[] => {
      if (!schema || value === undefined) return [];
      const [first] = validateSchema(schema, value).errors;
      if (!first) return [];
      const message = `The ${key} of the example "${name}" does not fit ${key}Schema: ${first.message}.`;
      return [error('input_invalid', `/examples/${index}/${key}`, message)];
    };
    return [...fits(inputSchema, input, 'input'), ...fits(outputSchema, output, 'output')];
  });
}

/** What an entry is tried out with, beside its input. */
export interface TrialOptions {
  /** What an agent is to reach. */
  goal?: string;
  /** Pages that an agent may touch. */
  sites?: string[];
}

/** The workflow that tries an entry out: one step, its input that of the run, its output that of the run. */
export function trial(definition: EntryDefinition, { goal, sites }: TrialOptions = {}): WorkflowDefinition {
  const { kind, id } = nameOf(definition);
  const bare = bareEntry(definition);
  const { inputSchema } = definition as { inputSchema?: JsonObject };
  const steps: StepDefinition[] = [
    kind === 'recipe'
      ? { id: 'answer', type: 'recipe', recipe: id, input: '{{workflow_input.input}}' }
      : { id: 'answer', type: 'agent', agent: id, goal: goal ?? definition.name, input: '{{workflow_input.input}}' },
  ];
  return {
    format: 'tabloom/v1',
    id: `try-${kind}`,
    name: definition.name,
    inputs: { type: 'object', required: ['input'], properties: { input: inputSchema ?? {} } },
    ...(sites && { sites }),
    ...(kind === 'recipe' ? { recipes: { [id]: bare } } : { agents: { [id]: bare } }),
    steps,
    output: '{{step.answer}}',
  } as WorkflowDefinition;
}
