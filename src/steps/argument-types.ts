import type { JsonType } from '../engine/preflight/types.ts';
import { z } from '../model/zod.ts';

/** Values of each type; a schema that takes none of them may still take others of the type, so its complaints are looked at. */
const SAMPLES: readonly [JsonType, unknown][] = [
  ['string', 'a'],
  ['number', 1],
  ['boolean', true],
  ['array', []],
  ['object', {}],
  ['null', null],
];

const known = new WeakMap<z.ZodType, Map<string, ReadonlySet<JsonType> | undefined>>();

/** JSON types that an argument may have, of a schema of an object of arguments; `undefined` where that is open. */
export function argumentTypes(schema: z.ZodType, name: string): ReadonlySet<JsonType> | undefined {
  const names = known.get(schema) ?? new Map<string, ReadonlySet<JsonType> | undefined>();
  known.set(schema, names);
  if (!names.has(name)) names.set(name, find(schema, name));
  return names.get(name);
}

function find(schema: z.ZodType, name: string): ReadonlySet<JsonType> | undefined {
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, name)) return undefined;
  const member = schema.shape[name] as z.ZodType;
  const types = SAMPLES.filter(([type, sample]) => accepts(member, sample, type)).map(([type]) => type);
  return types.length === 0 || types.length === SAMPLES.length ? undefined : new Set(types);
}

function accepts(member: z.ZodType, sample: unknown, type: JsonType): boolean {
  const result = member.safeParse(sample);
  // `jsonList` and its like are nothing but a rule; an optional one is seen through.
  const whole = (member instanceof z.ZodOptional ? member.unwrap() : member) instanceof z.ZodCustom;
  return result.success || result.error.issues.every((issue) => ofTheValue(issue, type, whole));
}

/** Whether a complaint is about the value and not about its type. */
function ofTheValue(issue: z.core.$ZodIssue, type: JsonType, whole: boolean): boolean {
  if (issue.path.length > 0) return true;
  switch (issue.code) {
    case 'invalid_type':
      return false;
    case 'custom':
      // A rule of more than the type, unless the schema is nothing but that rule.
      return !whole;
    case 'invalid_value':
      return issue.values.some((value) => typeof value === type);
    case 'invalid_union':
      return issue.errors.some((errors) => errors.every((one) => ofTheValue(one, type, false)));
    default:
      return true;
  }
}
