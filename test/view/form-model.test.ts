import { describe, expect, it } from 'vitest';
import { draftOf, emptyRow, type FormField, formFields, readDraft, readForm } from '../../src/view/form-model.ts';

const one = (schema: object, required = false): FormField =>
  formFields({ type: 'object', properties: { it: schema as never }, required: required ? ['it'] : [] })[0] as FormField;

describe('formFields', () => {
  it.each([
    [{ type: 'string' }, 'text'],
    [{ type: 'string', format: 'uri' }, 'uri'],
    [{ type: 'string', maxLength: 5000 }, 'longText'],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'number' }, 'number'],
    [{ type: 'integer' }, 'integer'],
    [{ type: 'boolean' }, 'boolean'],
    [{ enum: [1, 'two', null] }, 'enum'],
    [{ const: 'only' }, 'enum'],
    [{ type: 'array', items: { type: 'string' } }, 'stringList'],
    [{ type: 'array', items: { type: 'object', properties: { a: { type: 'number' } } } }, 'rows'],
    [{ type: 'array', items: { type: 'object', properties: { a: { type: 'array' } } } }, 'json'],
    [{ type: 'object', properties: { a: { type: 'string' } } }, 'group'],
    [{ type: 'object' }, 'json'],
    [{ anyOf: [{ type: 'string' }] }, 'json'],
    [{}, 'json'],
  ])('%j: %s', (schema, kind) => {
    expect(one(schema).kind).toBe(kind);
  });

  it('labels: the title, else words of the key', () => {
    expect(
      formFields({ properties: { dueDate: {}, is_paid: {}, 'a b': {}, x: { title: 'The X' } } }).map(
        (field) => field.label,
      ),
    ).toEqual(['Due date', 'Is paid', 'a b', 'The X']);
  });
});

describe('readDraft', () => {
  it.each([
    [{ type: 'number' }, ' 3.5 ', { value: 3.5 }],
    [{ type: 'number' }, '3,5', { problem: { code: 'number' } }],
    [{ type: 'integer' }, '3.5', { problem: { code: 'integer' } }],
    [{ type: 'number', minimum: 0 }, '-1', { problem: { code: 'min', limit: 0 } }],
    [{ type: 'string', format: 'uri' }, 'example.com', { problem: { code: 'uri' } }],
    [{ type: 'string', format: 'uri' }, 'https://example.com/a', { value: 'https://example.com/a' }],
    [{ type: 'string' }, ' kept ', { value: ' kept ' }],
    [{ type: 'string' }, '', {}],
    [{ type: 'array', items: { type: 'string' } }, 'a\n\n b ', { value: ['a', 'b'] }],
    [{ type: 'object' }, '{"a":', { problem: { code: 'json' } }],
    [{ enum: ['x', 2] }, '1', { value: 2 }],
  ])('%j given %j', (schema, text, expected) => {
    expect(readDraft(one(schema), text)).toEqual(expected);
  });

  it('a required field left empty: says so', () => {
    expect(readDraft(one({ type: 'string' }, true), '  ')).toEqual({ problem: { code: 'required' } });
  });

  it.each([
    [{ type: 'number' }, 0],
    [{ enum: ['a', 'b'] }, 'b'],
    [{ type: 'array', items: { type: 'string' } }, ['a', 'b']],
    [{ type: 'object' }, { a: [1] }],
    [{ type: 'boolean' }, false],
  ])('%j: a value survives being put into its control and read back', (schema, value) => {
    const field = one(schema);
    expect(readDraft(field, draftOf(field, value as never)).value).toEqual(value);
  });
});

describe('readForm', () => {
  it('defaults and an untouched optional field: defaults are sent, the rest is left out', () => {
    const fields = formFields({ properties: { n: { type: 'number', default: 5 }, s: { type: 'string' } } });
    expect(readForm(fields, {})).toEqual({ value: { n: 5 }, problems: {} });
  });

  it('two bad fields: both are reported at once', () => {
    const fields = formFields({ required: ['a'], properties: { a: { type: 'string' }, b: { type: 'number' } } });
    expect(readForm(fields, { a: '', b: 'x' }).problems).toEqual({ a: { code: 'required' }, b: { code: 'number' } });
  });

  it('a new row: every column has a value of its type', () => {
    const rows = one({
      type: 'array',
      items: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'string' }, c: { type: 'boolean' }, d: { enum: ['x'] } },
      },
    });
    expect(emptyRow(rows.fields ?? [])).toEqual({ a: 0, b: '', c: false, d: 'x' });
  });
});
