import { isObject, type JsonObject } from '../../model/json.ts';
import type { Problem, StepDefinition } from '../../model/workflow.ts';
import { z } from '../../model/zod.ts';
import { listsOf } from '../plan.ts';
import type { StepRegistry, StepType } from '../step-type.ts';
import { checkSchema } from '../values/schema.ts';
import { parsePattern } from '../values/sites.ts';
import { COMMON_KEYS, FILE_KEYS } from './file-schema.ts';
import { problemsOf } from './issues.ts';
import { error, escapePointer } from './problem.ts';
import { checkTriggers } from './triggers.ts';

const fileSchema = z.strictObject(FILE_KEYS);
const stepSchemas = new WeakMap<StepType, z.ZodType>();

function schemaOf(type: StepType): z.ZodType {
  let schema = stepSchemas.get(type);
  if (!schema) {
    schema = z.strictObject({ ...COMMON_KEYS, ...type.keys });
    stepSchemas.set(type, schema);
  }
  return schema;
}

/** Whether a file has the shape of SPEC §1 and §4, step by step at any depth. All problems at once. */
export function checkShape(file: unknown, registry: StepRegistry): Problem[] {
  if (!isObject(file))
    return [error('schema_invalid', '', 'This is no workflow: write an object with format, id, name and steps.')];
  const parsed = fileSchema.safeParse(file);
  const problems = parsed.success ? [] : problemsOf(parsed.error.issues, '');
  if (Array.isArray(file.sites)) {
    file.sites.forEach((site, index) => {
      const bad = typeof site === 'string' ? patternProblem(site) : undefined;
      if (bad) problems.push(error('schema_invalid', `/sites/${index}`, bad));
    });
  }
  if (isObject(file.inputs)) {
    if (file.inputs.type !== undefined && file.inputs.type !== 'object')
      problems.push(error('schema_invalid', '/inputs/type', 'The inputs of a workflow are an object.'));
    problems.push(...schemaProblem(file.inputs, '/inputs'));
  }
  for (const [id, recipe] of Object.entries(isObject(file.recipes) ? file.recipes : {})) {
    for (const key of ['inputSchema', 'outputSchema']) {
      if (isObject(recipe) && isObject(recipe[key]))
        problems.push(...schemaProblem(recipe[key] as JsonObject, `/recipes/${escapePointer(id)}/${key}`));
    }
  }
  problems.push(...checkTriggers(file));
  if (Array.isArray(file.steps)) checkSteps(file.steps, '/steps', registry, problems);
  return problems;
}

/** Why a match pattern of `sites` cannot be used; `undefined` where it can. */
export function patternProblem(site: string): string | undefined {
  try {
    parsePattern(site);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

function schemaProblem(schema: JsonObject, pointer: string, step?: string): Problem[] {
  const bad = checkSchema(schema);
  return bad ? [error('schema_invalid', pointer, `This JSON Schema cannot be used: ${bad}`, step)] : [];
}

function checkSteps(steps: unknown[], base: string, registry: StepRegistry, problems: Problem[]): void {
  steps.forEach((step, index) => {
    const pointer = `${base}/${index}`;
    if (isObject(step)) checkStep(step, pointer, registry, problems);
  });
}

function checkStep(step: JsonObject, pointer: string, registry: StepRegistry, problems: Problem[]): void {
  const id = typeof step.id === 'string' ? step.id : undefined;
  const type = typeof step.type === 'string' ? registry.get(step.type) : undefined;
  if (!type) {
    const message = `There is no step type ${JSON.stringify(step.type) ?? '(none given)'}; known are ${[...registry.keys()].join(', ')}.`;
    problems.push(error('schema_invalid', `${pointer}/type`, message, id));
    return;
  }
  const parsed = schemaOf(type).safeParse(step);
  if (!parsed.success) problems.push(...problemsOf(parsed.error.issues, pointer, id));
  problems.push(...cacheProblems(step, type, pointer, id));
  for (const key of ['inputSchema', 'outputSchema', 'editable']) {
    if (isObject(step[key])) problems.push(...schemaProblem(step[key] as JsonObject, `${pointer}/${key}`, id));
  }
  for (const list of safeLists(step as unknown as StepDefinition, type)) {
    checkSteps(list.steps, pointer + list.pointer, registry, problems);
  }
}

/** Only work that looks may be left out because it was done before. */
function cacheProblems(step: JsonObject, type: StepType, pointer: string, id: string | undefined): Problem[] {
  if (step.cache === undefined) {
    if (!isObject(step.fallback) || step.fallback.cached === undefined) return [];
    const message = 'There is nothing cached to fall back to: give the step a `cache` with a `ttl`.';
    return [error('schema_invalid', `${pointer}/fallback`, message, id)];
  }
  const effect = typeof step.effect === 'string' ? step.effect : type.effect(step as unknown as StepDefinition);
  if ((type.run || type.compute) && (effect === 'read' || effect === 'pure')) return [];
  const message = '`cache` is for steps that only compute or look; this one acts, waits, or holds other steps.';
  return [error('schema_invalid', `${pointer}/cache`, message, id)];
}

/** Lists of a step whose own shape may be wrong: what cannot be listed has been reported already. */
function safeLists(step: StepDefinition, type: StepType): ReturnType<typeof listsOf> {
  try {
    return listsOf(step, type).filter((list) => Array.isArray(list.steps));
  } catch {
    return [];
  }
}
