import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Problem } from '../../model/workflow.ts';
import type { Plan, PlanStep } from '../plan.ts';
import { isSource } from '../values/fields.ts';
import { parseRelativePath } from '../values/path.ts';
import { type Comparison, type Reference, wholeReference } from '../values/references.ts';
import { escapePointer, warning } from './problem.ts';

/*
 * What is known of the types of values before a run: only what schemas declare, and what steps give by their type. Where anything is open,
 * nothing is said.
 */

export type JsonType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null';
export type Types = ReadonlySet<JsonType>;

const WORDS: Record<JsonType, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function typeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonType;
}

/** Types that a schema allows; undefined where it does not say. */
export function typesOf(schema: unknown): Types | undefined {
  if (!isObject(schema as Json)) return undefined;
  const { type, const: only, enum: values, anyOf, oneOf } = schema as JsonObject;
  if (type !== undefined) {
    const named = (Array.isArray(type) ? type : [type]).map((one) => (one === 'integer' ? 'number' : one));
    return named.every((one) => typeof one === 'string' && Object.hasOwn(WORDS, one))
      ? new Set(named as JsonType[])
      : undefined;
  }
  if (only !== undefined) return new Set([typeOf(only)]);
  if (Array.isArray(values)) return new Set(values.map(typeOf));
  const choices = anyOf ?? oneOf;
  if (!Array.isArray(choices)) return undefined;
  const all = choices.map(typesOf);
  return all.every((one) => one !== undefined) ? new Set(all.flatMap((one) => [...(one as Types)])) : undefined;
}

/** The part of a schema that a path leads to; undefined where it does not say. */
export function schemaAt(schema: unknown, path: readonly (string | number)[]): unknown {
  let at: unknown = schema;
  for (const part of path) {
    if (!isObject(at as Json)) return undefined;
    const { items, properties } = at as JsonObject;
    if (typeof part === 'number') at = items;
    else at = isObject(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined;
  }
  return at;
}

/** Whether a schema cannot have a path. */
export function implausible(schema: unknown, path: readonly (string | number)[]): boolean {
  let at: unknown = schema;
  for (const part of path) {
    if (!isObject(at as Json)) return false;
    const object = at as JsonObject;
    const types = typesOf(object);
    if (types && !types.has(typeof part === 'number' ? 'array' : 'object')) return true;
    if (typeof part === 'number') {
      at = object.items;
      continue;
    }
    if (!isObject(object.properties)) return false;
    if (Object.hasOwn(object.properties, part)) at = object.properties[part];
    else
      return (
        object.additionalProperties !== true &&
        !isObject(object.additionalProperties) &&
        object.patternProperties === undefined
      );
  }
  return false;
}

/** The schema of what a step gives, as it says itself or its type does. A fallback may give anything. */
export function outputSchemaOf({ workflow }: Plan, { def, type }: PlanStep): JsonObject | undefined {
  if (def.fallback && !('cached' in def.fallback)) return undefined;
  return def.outputSchema ?? type.output?.(def, workflow);
}

/** The schema that the value of a reference is declared with. */
export function declared(plan: Plan, { root, member, path }: Reference, loop?: PlanStep): unknown {
  switch (root) {
    case 'workflow_input':
      return schemaAt(plan.workflow.inputs, path);
    case 'step': {
      const step = member === undefined ? undefined : plan.steps.get(member);
      return step && schemaAt(outputSchemaOf(plan, step), path);
    }
    case 'status':
      return path.length === 0 && member !== undefined ? { type: 'string' } : undefined;
    case 'loop_index':
      return { type: 'number' };
    case 'loop_item': {
      const over = loop && wholeReference(loop.def.over as Json);
      return over && schemaAt(declared(plan, over, loopAround(loop)), [0, ...path]);
    }
    default:
      return undefined;
  }
}

/** The innermost loop around a step. */
export function loopAround(step: PlanStep | undefined): PlanStep | undefined {
  for (let list = step?.list; list; list = list.owner?.list)
    if (list.kind === 'items' && list.role === 'body' && list.owner?.def.type === 'loop') return list.owner;
  return undefined;
}

function disjoint(a: Types | undefined, b: Types | undefined): boolean {
  return a !== undefined && b !== undefined && ![...a].some((type) => b.has(type));
}

const said = (types: Types): string => [...types].map((type) => WORDS[type]).join(' or ');

/** Types of a value as it is written: what its one template is declared with, or its own. */
function typesOfValue(plan: Plan, value: Json, loop: PlanStep | undefined): Types | undefined {
  const reference = wholeReference(value);
  if (reference) return typesOf(declared(plan, reference, loop));
  if (isSource(value)) return undefined;
  // A text with templates in it is a text; one template alone that is no path may be anything.
  if (typeof value === 'string' && /^\s*\{\{[\s\S]*\}\}\s*$/.test(value)) return undefined;
  return new Set([typeOf(value)]);
}

/** Warns where a value that is written for a place cannot be of a type that the place takes. */
export function checkValue(
  plan: Plan,
  step: PlanStep,
  value: Json,
  wanted: Types | undefined,
  pointer: string,
  loop = loopAround(step),
): Problem[] {
  const found = typesOfValue(plan, value, loop);
  if (!found || !wanted || !disjoint(found, wanted)) return [];
  const what = wholeReference(value) ? `${JSON.stringify(value)} is declared ${said(found)}` : `this is ${said(found)}`;
  return [warning('type_mismatch', pointer, `Convert it: ${what}, and ${said(wanted)} is wanted here.`, step.id)];
}

/** Warns of what is written into an object whose members a schema, or a step's type, declares. */
export function checkMembers(
  plan: Plan,
  step: PlanStep,
  takes: (name: string) => Types | undefined,
  whole?: Types,
): Problem[] {
  const field = step.type.inputField;
  if (!field) return [];
  const value = (step.def[field] ?? null) as Json;
  const base = `${step.pointer}/${field}`;
  const problems: Problem[] = [];
  // What edges bring stands in place of what is written.
  const brought = step.deps.flatMap((edge) => (edge.carries ? [edge.input] : []));
  const written = !brought.includes(undefined);
  if (written && isObject(value) && !isSource(value)) {
    for (const [key, item] of Object.entries(value))
      if (!brought.includes(key))
        problems.push(...checkValue(plan, step, item, takes(key), `${base}/${escapePointer(key)}`));
  } else if (written && step.def[field] !== undefined) problems.push(...checkValue(plan, step, value, whole, base));
  step.deps.forEach((edge, index) => {
    const from = edge.carries ? plan.steps.get(edge.from) : undefined;
    const path = edge.output === undefined ? [] : parseRelativePath(edge.output);
    if (!from || !path) return;
    const given = typesOf(schemaAt(outputSchemaOf(plan, from), path));
    const wanted = edge.input === undefined ? whole : takes(edge.input);
    if (!disjoint(given, wanted)) return;
    const message = `Convert it: ${edge.from} gives ${said(given as Types)}, and ${said(wanted as Types)} is wanted here.`;
    problems.push(warning('type_mismatch', `${step.pointer}/dependsOn/${index}`, message, step.id));
  });
  return problems;
}

/** The same, by a JSON Schema of an object. */
export function checkBySchema(plan: Plan, step: PlanStep, schema: unknown): Problem[] {
  return checkMembers(plan, step, (name) => typesOf(schemaAt(schema, [name])), typesOf(schema));
}

/** Warns where two values are compared of which it is declared that they can never be equal. */
export function checkComparison(
  plan: Plan,
  { sides, text, pointer }: Comparison,
  step: PlanStep | undefined,
  base: string,
  loop: PlanStep | undefined,
): Problem[] {
  const [left, right] = sides.map((side) =>
    'value' in side ? typesOfValue(plan, side.value, loop) : typesOf(declared(plan, side.reference, loop)),
  );
  // Whether something is null may be asked whatever is declared.
  if (left?.has('null') || right?.has('null') || !disjoint(left, right)) return [];
  const message = `${text}: ${said(left as Types)} is compared with ${said(right as Types)}, and they are never equal; "1" is not 1.`;
  return [warning('type_mismatch', base + pointer, message, step?.id)];
}
