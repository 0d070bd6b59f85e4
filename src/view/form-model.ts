import { isObject, type Json, type JsonObject } from '../model/json.ts';
import { labelOf } from './json-preview.ts';

/** How a field is entered. `json` is the way out for whatever the others cannot hold. */
export type FieldKind =
  | 'text'
  | 'longText'
  | 'uri'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'enum'
  | 'stringList'
  | 'rows'
  | 'group'
  | 'json';

/** A form field made from a JSON Schema property. */
export interface FormField {
  key: string;
  label: string;
  help?: string;
  kind: FieldKind;
  required: boolean;
  options?: Json[];
  /** Value that the schema gives, if any. */
  preset?: Json;
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  /** For `rows`: the columns; for `group`: the inner fields. */
  fields?: FormField[];
}

/** A problem with one field; `limit` fills the message where it has one. */
export interface FieldProblem {
  code:
    | 'required'
    | 'number'
    | 'integer'
    | 'min'
    | 'max'
    | 'uri'
    | 'json'
    | 'enum'
    | 'minLength'
    | 'maxLength'
    | 'minItems';
  limit?: number;
}

const LONG = 200;

/** Fields of an object schema, in its order, required ones marked. No fields where it names no properties. */
export function formFields(schema: JsonObject | undefined): FormField[] {
  if (!schema || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([key, value]) =>
    fieldOf(key, isObject(value) ? value : {}, required.includes(key)),
  );
}

function fieldOf(key: string, schema: JsonObject, required: boolean): FormField {
  const num = (name: string) => (typeof schema[name] === 'number' ? (schema[name] as number) : undefined);
  const str = (name: string) => (typeof schema[name] === 'string' ? (schema[name] as string) : undefined);
  const kind = kindOf(schema);
  const field: FormField = { key, label: str('title') ?? labelOf(key), kind, required };
  const help = str('description');
  if (help !== undefined) field.help = help;
  if (schema.default !== undefined) field.preset = schema.default;
  if (kind === 'enum') field.options = enumOf(schema);
  if (kind === 'rows') field.fields = formFields(schema.items as JsonObject);
  if (kind === 'group') field.fields = formFields(schema);
  for (const [name, limit] of [
    ['min', num('minimum')],
    ['max', num('maximum')],
    ['minLength', num('minLength')],
    ['maxLength', num('maxLength')],
    ['minItems', num('minItems')],
  ] as const) {
    if (limit !== undefined) field[name] = limit;
  }
  return field;
}

function enumOf(schema: JsonObject): Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

function kindOf(schema: JsonObject): FieldKind {
  if (enumOf(schema)) return 'enum';
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== 'null') : [schema.type];
  if (types.length !== 1) return 'json';
  switch (types[0]) {
    case 'string':
      if (schema.format === 'uri' || schema.format === 'url') return 'uri';
      return typeof schema.maxLength === 'number'
        ? schema.maxLength > LONG
          ? 'longText'
          : 'text'
        : schema.format === 'multiline'
          ? 'longText'
          : 'text';
    case 'number':
      return 'number';
    case 'integer':
      return 'integer';
    case 'boolean':
      return 'boolean';
    case 'array':
      return listKind(schema.items);
    case 'object':
      return isObject(schema.properties) &&
        formFields(schema).every((field) => field.kind !== 'rows' && field.kind !== 'group')
        ? 'group'
        : 'json';
    default:
      return 'json';
  }
}

const FLAT: readonly FieldKind[] = ['text', 'longText', 'uri', 'number', 'integer', 'boolean', 'enum'];

function listKind(items: Json | undefined): FieldKind {
  if (!isObject(items)) return 'json';
  if (items.type === 'string' && !items.enum) return 'stringList';
  const columns = items.type === 'object' ? formFields(items) : [];
  return columns.length > 0 && columns.every((field) => FLAT.includes(field.kind)) ? 'rows' : 'json';
}

/** What a field's control holds for a value: text, or a boolean. Rows and groups are edited as values and have no draft of their own. */
export function draftOf(field: FormField, value: Json | undefined): string | boolean {
  const given = value === undefined ? field.preset : value;
  if (field.kind === 'boolean') return given === true;
  if (given === undefined || (given === null && field.kind !== 'json')) return '';
  if (field.kind === 'enum')
    return String((field.options ?? []).findIndex((option) => JSON.stringify(option) === JSON.stringify(given)));
  if (field.kind === 'stringList') return Array.isArray(given) ? given.join('\n') : '';
  if (field.kind === 'json') return JSON.stringify(given, null, 2);
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** The field with room for its value: a text that is long or has several lines is entered as such. */
export function roomFor(field: FormField, value: Json | undefined): FormField {
  const given = value === undefined ? field.preset : value;
  const wide = typeof given === 'string' && (given.length > 60 || given.includes('\n'));
  return field.kind === 'text' && wide ? { ...field, kind: 'longText' } : field;
}

/** Reads a control back. `value` is absent where an optional field was left empty. */
export function readDraft(field: FormField, draft: string | boolean): { value?: Json; problem?: FieldProblem } {
  if (typeof draft === 'boolean') return { value: draft };
  const text = field.kind === 'text' || field.kind === 'longText' ? draft : draft.trim();
  if (text.trim() === '' || (field.kind === 'enum' && text === '-1')) {
    if (field.kind === 'stringList' && field.required && !field.minItems) return { value: [] };
    return field.required ? { problem: { code: 'required' } } : {};
  }
  switch (field.kind) {
    case 'number':
    case 'integer':
      return readNumber(field, text);
    case 'enum': {
      const option = field.options?.[Number(text)];
      return option === undefined ? { problem: { code: 'enum' } } : { value: option };
    }
    case 'uri':
      return isUri(text) ? { value: text } : { problem: { code: 'uri' } };
    case 'stringList': {
      const value = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      if (field.minItems !== undefined && value.length < field.minItems)
        return { problem: { code: 'minItems', limit: field.minItems } };
      return { value };
    }
    case 'json':
      try {
        return { value: JSON.parse(text) as Json };
      } catch {
        return { problem: { code: 'json' } };
      }
    default: {
      const length = [...text].length;
      if (field.minLength !== undefined && length < field.minLength)
        return { problem: { code: 'minLength', limit: field.minLength } };
      if (field.maxLength !== undefined && length > field.maxLength)
        return { problem: { code: 'maxLength', limit: field.maxLength } };
      return { value: text };
    }
  }
}

function readNumber(field: FormField, text: string): { value?: Json; problem?: FieldProblem } {
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: { code: 'number' } };
  if (field.kind === 'integer' && !Number.isInteger(value)) return { problem: { code: 'integer' } };
  if (field.min !== undefined && value < field.min) return { problem: { code: 'min', limit: field.min } };
  if (field.max !== undefined && value > field.max) return { problem: { code: 'max', limit: field.max } };
  return { value };
}

function isUri(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text) && URL.canParse(text);
}

export type Drafts = Record<string, string | boolean>;

/** Reads a whole form: the input object, or the problems by field. Rows and groups come from `values`. */
export function readForm(
  fields: readonly FormField[],
  drafts: Drafts,
): { value: JsonObject; problems: Record<string, FieldProblem> } {
  const value: JsonObject = {};
  const problems: Record<string, FieldProblem> = {};
  for (const field of fields) {
    const read = readDraft(field, drafts[field.key] ?? draftOf(field, undefined));
    if (read.problem) problems[field.key] = read.problem;
    else if (read.value !== undefined) value[field.key] = read.value;
  }
  return { value, problems };
}

/** For the run form, where rows and groups are entered as JSON: every field gets a control of its own. */
export function flatFields(fields: readonly FormField[]): FormField[] {
  return fields.map((field) =>
    field.kind === 'rows' || field.kind === 'group' ? { ...field, kind: 'json', fields: undefined } : field,
  );
}

/** An empty row for a table, with the presets of its columns. */
export function emptyRow(fields: readonly FormField[]): JsonObject {
  return Object.fromEntries(
    fields.map((field) => [
      field.key,
      field.preset ??
        (field.kind === 'boolean'
          ? false
          : field.kind === 'enum'
            ? (field.options?.[0] ?? null)
            : field.kind === 'number' || field.kind === 'integer'
              ? 0
              : ''),
    ]),
  );
}
