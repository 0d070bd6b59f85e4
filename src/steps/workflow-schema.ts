import { conditionSchema } from '../engine/preflight/condition-schema.ts';
import { COMMON_KEYS, FILE_KEYS } from '../engine/preflight/file-schema.ts';
import type { StepRegistry, StepType } from '../engine/step-type.ts';
import { isObject, type JsonObject } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { CONDITION_WORDS, FILE_WORDS, STEP_WORDS, TYPE_WORDS, type Words } from './schema-words.ts';

const CONDITION = '#/$defs/condition';

/**
 * JSON Schema (2020-12) of the workflow format, for editors: made from the schemas that preflight checks files by. What goes beyond shape
 * (references, templates, ids that must be unique) is preflight's alone.
 * @param registry the step types that may be used
 */
export function workflowSchema(registry: StepRegistry): JsonObject {
  const types = [...registry.values()];
  const file = described(convert(FILE_KEYS), { ...STEP_WORDS, ...FILE_WORDS });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Tabloom workflow, format tabloom/v1',
    ...file,
    $defs: {
      steps: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
      common: described(convert(COMMON_KEYS), STEP_WORDS),
      step: stepSchema(types),
      condition: described(read(z.toJSONSchema(conditionSchema, { io: 'input' })), CONDITION_WORDS, {
        description: 'A path or CEL text such as step.read.count > 3, or an object with op.',
      }),
      ...Object.fromEntries(types.map((type) => [`step-${type.type}`, typeSchema(type)])),
    },
  };
}

/** Any step: its type says which keys it may have. */
function stepSchema(types: readonly StepType[]): JsonObject {
  // Offered before the type is written; what they may be is the type's word.
  const offered = Object.keys(COMMON_KEYS).map((key) => [key, { description: STEP_WORDS[key] as string }]);
  return {
    type: 'object',
    required: ['id', 'type'],
    properties: {
      ...Object.fromEntries(offered),
      type: {
        description: STEP_WORDS.type as string,
        anyOf: types.map(({ type, title, summary }) => ({ const: type, title, description: summary })),
      },
    },
    allOf: types.map(({ type }) => ({
      if: { properties: { type: { const: type } }, required: ['type'] },
      then: { $ref: `#/$defs/step-${type}` },
    })),
  };
}

function typeSchema({ type, title, summary, keys, container, wait }: StepType): JsonObject {
  const own = described(convert(keys), TYPE_WORDS[type] ?? {});
  const properties: JsonObject = { id: common('id'), type: { const: type, description: summary } };
  for (const key of Object.keys(COMMON_KEYS)) properties[key] ??= common(key);
  Object.assign(properties, own.properties);
  // What only work can have, see `checkShape`.
  if (wait || container) delete properties.cache;
  const required = ['id', 'type', ...(Array.isArray(own.required) ? own.required : [])];
  return { title, description: summary, type: 'object', properties, required, additionalProperties: false };
}

function common(key: string): JsonObject {
  return { $ref: `#/$defs/common/properties/${key}` };
}

function convert(keys: z.ZodRawShape): JsonObject {
  return read(
    z.toJSONSchema(z.strictObject(keys), {
      io: 'input',
      override: ({ zodSchema, jsonSchema }) => {
        if (zodSchema === conditionSchema) only(jsonSchema, { $ref: CONDITION });
        // A list of steps, see `nested.ts`.
        else if (jsonSchema.$ref !== undefined) only(jsonSchema, { $ref: jsonSchema.$ref });
      },
    }),
  );
}

function only(schema: object, rest: JsonObject): void {
  for (const key of Object.keys(schema)) delete (schema as JsonObject)[key];
  Object.assign(schema, rest);
}

/** Zod's schema, without what only zod needs: its own name for "any JSON", and bounds that every JSON number of the kind has. */
function read(schema: unknown): JsonObject {
  const { $schema: _, $defs: __, ...rest } = plain(schema) as JsonObject;
  return rest;
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  if (typeof value.$ref === 'string' && value.$ref.startsWith('#/$defs/__')) return {};
  const out: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key === 'propertyNames' || (key === 'maximum' && member === Number.MAX_SAFE_INTEGER)) continue;
    if (key === 'additionalProperties' && isObject(member) && Object.keys(plain(member) as JsonObject).length === 0)
      continue;
    out[key] = plain(member) as JsonObject;
  }
  return out;
}

/** Puts the words for each key, at any depth, into a schema that is ours alone. */
function described(schema: JsonObject, words: Words, more: JsonObject = {}, path: readonly string[] = []): JsonObject {
  for (const [key, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const at = [...path, key];
    const word = wordsFor(words, at);
    if (isObject(member))
      Object.assign(member, described(member, words, word === undefined ? {} : { description: word }, at));
  }
  const { items, additionalProperties, anyOf } = schema;
  if (isObject(items)) described(items, words, {}, path);
  if (isObject(additionalProperties)) described(additionalProperties, words, {}, [...path, '*']);
  if (Array.isArray(anyOf)) for (const each of anyOf) if (isObject(each)) described(each, words, {}, path);
  return Object.assign(schema, more);
}

function wordsFor(words: Words, path: readonly string[]): string | undefined {
  for (let from = 0; from < path.length; from++) {
    const word = words[path.slice(from).join('.')];
    if (word !== undefined) return word;
  }
  return undefined;
}
