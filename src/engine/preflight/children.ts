import { isObject, type Json } from '../../model/json.ts';
import type { Problem, StepDefinition, WorkflowDefinition } from '../../model/workflow.ts';
import { type Callable, type FindWorkflow, type FoundReference, followReferences } from '../children/pins.ts';
import type { StepRegistry } from '../step-type.ts';
import { validateSchema } from '../values/schema.ts';
import { error } from './problem.ts';

/** What is called, with the reference that leads to it. */
export interface Called extends FoundReference {
  callable: Callable;
}

/** The workflows that a definition calls (SPEC §7): that they are there, switched on, not itself, and take the input as far as that is written. */
export async function checkCalls(
  definition: WorkflowDefinition,
  registry: StepRegistry,
  find: FindWorkflow,
): Promise<{ problems: Problem[]; called: Called[] }> {
  const called: Called[] = [];
  const { problems } = await followReferences(definition, registry, find, (callable, at) => {
    called.push({ callable, ...at });
  });
  const found = problems.map(({ code, message, step, pointer, field }) =>
    error(code, `${pointer}/${field}`, message, step.id),
  );
  const seen = new Set<string>();
  for (const { callable, step, pointer, field } of called) {
    // The first that a step leads to is the one it calls itself. What an agent's model gives to one is not written in the file.
    if (field === 'agent' || seen.has(pointer)) continue;
    seen.add(pointer);
    found.push(...checkWritten(step, pointer, callable.definition));
  }
  return { problems: found, called };
}

/** The input of a call as far as the file says it: without templates all of it, else its names and the values that are written out. */
function checkWritten(step: StepDefinition, pointer: string, { name, inputs }: WorkflowDefinition): Problem[] {
  const input = (step.input ?? {}) as Json;
  if (!inputs || !isObject(input) || typeof input.from === 'string') return [];
  const carried = (step.dependsOn ?? []).flatMap((edge) =>
    typeof edge === 'string' || (edge.input === undefined && edge.output === undefined) ? [] : [edge.input],
  );
  // The edge carries the whole input.
  if (carried.includes(undefined)) return [];
  const unfit = (path: string, message: string) =>
    error('input_invalid', `${pointer}/input${path}`, `The input of ${name} does not fit: ${message}.`, step.id);
  if (carried.length === 0 && !open(input)) {
    const { errors } = validateSchema(inputs, input);
    return errors.map(({ path, message }) => unfit(path, message));
  }
  const problems: Problem[] = [];
  for (const key of Array.isArray(inputs.required) ? inputs.required : [])
    if (typeof key === 'string' && !Object.hasOwn(input, key) && !carried.includes(key))
      problems.push(unfit('', `the value lacks "${key}"`));
  const properties = isObject(inputs.properties) ? inputs.properties : {};
  for (const [key, value] of Object.entries(input)) {
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (isObject(schema) && !open(value)) {
      // In its place, so that what is said names the whole way to it.
      const { errors } = validateSchema({ properties: { [key]: schema } }, { [key]: value });
      problems.push(...errors.map(({ path, message }) => unfit(path, message)));
    } else if (schema === undefined && inputs.additionalProperties === false)
      problems.push(unfit('', `/${key} is not allowed`));
  }
  return problems;
}

/** Whether a value is known only when the run is there: a template or a source in it. */
function open(value: Json): boolean {
  if (typeof value === 'string') return value.includes('{{');
  if (Array.isArray(value)) return value.some(open);
  if (!isObject(value)) return false;
  return typeof value.from === 'string' || Object.values(value).some(open);
}
