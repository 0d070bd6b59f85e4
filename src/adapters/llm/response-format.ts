import type { JSONSchema7, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** How a call asks for structured output. */
export interface FormatOptions {
  responseFormat?: LanguageModelV4CallOptions['responseFormat'];
  providerOptions?: SharedV4ProviderOptions;
  /** What to add to the system text where no provider mechanism fits. */
  instruction?: string;
}

/**
 * Asks for JSON by a schema: by the provider's own mechanism when the schema describes an object (no provider takes another root), else
 * in words. OpenAI's *strict* mode is asked for only when the schema keeps to its rules, since it answers 400 to any other.
 */
export function formatOptions(schema: JsonObject | undefined): FormatOptions {
  if (!schema) return {};
  if (!describesObject(schema)) {
    return {
      instruction: `Answer with JSON only, no other text, valid for this JSON Schema: ${JSON.stringify(schema)}`,
    };
  }
  const strictJsonSchema = isStrict(schema);
  return {
    responseFormat: { type: 'json', schema: schema as JSONSchema7, name: 'reply' },
    providerOptions: { openai: { strictJsonSchema }, openaiCompatible: { strictJsonSchema } },
  };
}

function describesObject(schema: JsonObject): boolean {
  return schema.type === 'object' || (schema.type === undefined && isObject(schema.properties));
}

const ALLOWED = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'description',
  'title',
  'anyOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'pattern',
  'minItems',
  'maxItems',
]);

/** True when every object in the schema is closed and requires all its properties, and no keyword beyond the strict subset is used. */
export function isStrict(schema: Json | undefined): boolean {
  if (!isObject(schema)) return false;
  if (Object.keys(schema).some((key) => !ALLOWED.has(key))) return false;
  if (
    schema.type === undefined &&
    schema.anyOf === undefined &&
    schema.enum === undefined &&
    schema.const === undefined
  )
    return false;
  if (schema.type === 'object') {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (schema.additionalProperties !== false) return false;
    if (Object.keys(properties).some((key) => !required.includes(key))) return false;
    if (!Object.values(properties).every(isStrict)) return false;
  }
  if (schema.type === 'array' && !isStrict(schema.items)) return false;
  return !Array.isArray(schema.anyOf) || schema.anyOf.every(isStrict);
}
