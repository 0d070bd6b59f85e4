import type { JSONSchema7, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { TabloomError } from '../../model/errors.ts';
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
 * @param inWords the server is known to refuse its mechanism for this schema
 */
export function formatOptions(schema: JsonObject | undefined, inWords = false): FormatOptions {
  if (!schema) return {};
  if (inWords || !describesObject(schema)) {
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

/** Whether a server refused a call because of the way in which it asked for JSON: it has no such mechanism, or not for this schema. */
export function refusesFormat(error: unknown): boolean {
  return (
    TabloomError.is(error) &&
    error.code === 'bad_request' &&
    /response_?format|json_?schema|text\.format|structured output|output_config|output_format|guided_json|grammar/i.test(
      error.message,
    )
  );
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
