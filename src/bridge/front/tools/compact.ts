import { targetSchema } from '../../../actions/index.ts';
import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { z } from '../../../model/zod.ts';

/** Said once, in the server's instructions and in short at one tool: a schema of it in each would be a third of the list. */
export const TARGETS =
  'A target names an element in one way: {ref} from a snapshot, {role, name}, {label}, {text}, {placeholder}, {testId}, {css} or {xpath}, ' +
  'with exact, nth (from 0), within: target or frame: target.';
const TARGET: JsonObject = { type: 'object' };
/** The same at the one tool. */
export const TARGET_SAID: JsonObject = {
  type: 'object',
  description: 'An element: {ref} of a snapshot, {role, name}, {label}, {text}, {css} …; nth',
};

/** Limits that a call is told of when it breaks them. */
const LEFT_OUT = new Set([
  '$schema',
  '$defs',
  'additionalProperties',
  'propertyNames',
  'default',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
]);

/**
 * A short JSON Schema of a tool's arguments, for the list of tools, which every conversation pays for. What is left out of it is checked all
 * the same when the tool is called.
 * @param hidden arguments that are not listed
 * @param instead what is listed for some otherwise than their schema says
 */
export function compactSchema(args: z.ZodType, hidden: readonly string[] = [], instead: JsonObject = {}): JsonObject {
  const whole = z.toJSONSchema(args, {
    io: 'input',
    unrepresentable: 'any',
    cycles: 'ref',
    override({ zodSchema, jsonSchema }) {
      if ((zodSchema as unknown) !== targetSchema) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key as keyof typeof jsonSchema];
      Object.assign(jsonSchema, TARGET);
    },
  }) as JsonObject;
  const short = compact(whole) as JsonObject;
  const properties = { ...(isObject(short.properties) ? short.properties : {}) };
  for (const name of hidden) delete properties[name];
  return { ...short, properties: { ...properties, ...instead } };
}

function compact(value: Json): Json {
  if (Array.isArray(value)) return value.map(compact);
  if (!isObject(value)) return value;
  const short: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (LEFT_OUT.has(key) && !(key === 'additionalProperties' && isObject(inner))) continue;
    // Names of properties are no keywords.
    short[key] = key === 'properties' && isObject(inner) ? mapValues(inner, compact) : compact(inner);
  }
  // Any JSON refers to itself.
  if (short.$ref !== undefined) return {};
  // Of several types the first is enough to write a call by.
  if (Array.isArray(short.anyOf)) return short.anyOf[0] as Json;
  if (Array.isArray(short.type)) short.type = short.type[0] as Json;
  return short;
}

function mapValues(given: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, change(value)]));
}
