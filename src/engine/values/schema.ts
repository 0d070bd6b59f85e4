import { format, type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { isObject, type Json, type JsonObject, typeName } from '../../model/json.ts';
import { linearRegex } from './regex.ts';

export interface SchemaError {
  /** JSON pointer into the value; empty for the value itself. */
  path: string;
  /** A sentence such as `/rows/0/amount must be a number, found text`. */
  message: string;
}

export interface SchemaResult {
  valid: boolean;
  errors: SchemaError[];
}

const MAX_ERRORS = 50;
const PATTERN_FORMAT = 'tabloom-pattern:';
const compiled = new WeakMap<JsonObject, { validator: Validator } | { problem: string }>();

/**
 * Checks a value against a JSON Schema (draft 2020-12). Validators are kept by schema object, which must not be changed afterwards.
 * A schema that cannot be used makes every value invalid, with the reason.
 */
export function validateSchema(schema: JsonObject, value: Json): SchemaResult {
  const entry = compile(schema);
  if ('problem' in entry) return { valid: false, errors: [{ path: '', message: entry.problem }] };
  // Copies without prototypes: to the validator an inherited `constructor` would otherwise be there.
  const instance = bare(value);
  let result: ReturnType<Validator['validate']>;
  try {
    result = entry.validator.validate(instance);
  } catch (error) {
    return {
      valid: false,
      errors: [
        {
          path: '',
          message: unusable(error),
        },
      ],
    };
  }
  if (result.valid) return { valid: true, errors: [] };
  return { valid: false, errors: readable(result.errors, value) };
}

/** What makes a schema unusable, as a sentence; `undefined` when it can be used. */
export function checkSchema(schema: JsonObject): string | undefined {
  const entry = compile(schema);
  if ('problem' in entry) return entry.problem;
  try {
    for (const sample of [null, true, 0, '', [], {}]) entry.validator.validate(sample);
  } catch (error) {
    return unusable(error);
  }
  return undefined;
}

function compile(schema: JsonObject): { validator: Validator } | { problem: string } {
  const known = compiled.get(schema);
  if (known) return known;
  let entry: { validator: Validator } | { problem: string };
  try {
    entry = { validator: new Validator(prepare(schema) as Schema, '2020-12', false) };
  } catch (error) {
    entry = { problem: unusable(error) };
  }
  compiled.set(schema, entry);
  return entry;
}

/** The first line of what the validator says. */
function unusable(error: unknown): string {
  return `the schema cannot be used: ${(error as Error).message.replace(/\n[\s\S]*/, '')}`;
}

function bare(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(bare);
  const copy = Object.create(null) as JsonObject;
  for (const [key, item] of Object.entries(value)) copy[key] = bare(item);
  return copy;
}

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const ONE = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const MANY = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/**
 * The schema with every `pattern` made a format that runs in linear time, since the validator's own `RegExp` backtracks and the texts
 * come from pages and models. @throws Error with a sentence for a schema that is wrong
 */
function prepare(schema: Json): Json {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) throw new Error(`a schema is an object, found ${typeName(schema)}`);
  const next: JsonObject = { ...schema };
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  for (const type of types)
    if (typeof type !== 'string' || !TYPES.has(type))
      throw new Error(`"type" has the unknown value ${JSON.stringify(type)}`);
  if (
    schema.required !== undefined &&
    !(Array.isArray(schema.required) && schema.required.every((name) => typeof name === 'string'))
  ) {
    throw new Error('"required" must be a list of names');
  }
  for (const key of ONE) if (schema[key] !== undefined) next[key] = prepare(schema[key]);
  for (const key of MANY) {
    const list = schema[key];
    if (list === undefined) continue;
    if (!Array.isArray(list)) throw new Error(`"${key}" must be a list of schemas`);
    next[key] = list.map(prepare);
  }
  for (const key of NAMED) {
    const named = schema[key];
    if (named === undefined) continue;
    if (!isObject(named)) throw new Error(`"${key}" must be an object of schemas`);
    next[key] = Object.fromEntries(Object.entries(named).map(([name, item]) => [name, prepare(item)]));
    if (key === 'patternProperties') for (const pattern of Object.keys(named)) linearRegex(pattern);
  }
  if (typeof schema.pattern === 'string') {
    delete next.pattern;
    next.allOf = [...((next.allOf as Json[] | undefined) ?? []), { format: patternFormat(schema.pattern) }];
  }
  return next;
}

function patternFormat(pattern: string): string {
  const name = `${PATTERN_FORMAT}${pattern}`;
  const regex = linearRegex(pattern);
  format[name] ??= (text: string) => regex.test(text);
  return name;
}

/** Keywords whose own report only says that one below has failed. */
const OUTER = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'additionalProperties',
  'patternProperties',
  'dependentSchemas',
  'then',
  'else',
  'if',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  '$dynamicRef',
]);

function readable(units: OutputUnit[], value: Json): SchemaError[] {
  const errors = new Map<string, SchemaError>();
  const leaves = units.filter((unit) => !OUTER.has(unit.keyword));
  for (const unit of leaves.length > 0 ? leaves : units) {
    if (errors.size >= MAX_ERRORS) break;
    const path = decode(unit.instanceLocation);
    const message = sentence(unit, path, valueAt(value, path));
    errors.set(`${path}\n${message}`, { path, message });
  }
  return [...errors.values()];
}

/** The validator's locations are URI fragments (`#/a%25b`). */
function decode(location: string): string {
  const pointer = location.replace(/^#/, '');
  try {
    return decodeURI(pointer);
  } catch {
    return pointer;
  }
}

function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
    at = (at as JsonObject)[key];
  }
  return at;
}

const WORDS: Record<string, string> = {
  array: 'a list',
  object: 'an object',
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function sentence(unit: OutputUnit, path: string, value: Json | undefined): string {
  const name = path === '' ? 'the value' : path;
  const quoted = [...unit.error.matchAll(/"([^"]*)"/g)].map((match) => match[1] as string);
  switch (unit.keyword) {
    case 'type': {
      const wanted = quoted.filter((word) => Object.hasOwn(WORDS, word)).slice(1);
      const found = typeName(value) === 'number' && wanted.includes('integer') ? String(value) : typeName(value);
      return `${name} must be ${wanted.map((word) => WORDS[word]).join(' or ')}, found ${found}`;
    }
    case 'required':
      return `${name} lacks "${quoted[0]}"`;
    case 'enum':
    case 'const':
      return `${name} must be ${unit.keyword === 'enum' ? 'one of' : ''} ${unit.error.replace(/^Instance does not match (any of )?/, '').slice(0, 200)}`
        .replace('  ', ' ')
        .replace(/\.$/, '');
    case 'format': {
      const pattern = unit.error.indexOf(PATTERN_FORMAT);
      if (pattern !== -1)
        return `${name} does not match the pattern ${unit.error.slice(pattern + PATTERN_FORMAT.length).replace(/"?\.?$/, '')}`;
      break;
    }
    case 'false':
      return `${name} is not allowed`;
    default:
  }
  return `${name}: ${unit.error.replace(/\.$/, '')}`;
}
