import { describe, expect, it } from 'vitest';
import { checkSchema, validateSchema } from '../../../src/engine/values/schema.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';

function messages(schema: JsonObject, value: Json): string[] {
  return validateSchema(schema, value).errors.map((error) => error.message);
}

describe('JSON Schema', () => {
  it('values that fit: valid, also with $ref, prefixItems and formats', () => {
    const schema: JsonObject = {
      $defs: { n: { type: 'integer' } },
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/n' },
        u: { type: 'string', format: 'uri' },
        t: { prefixItems: [{ type: 'string' }, { type: 'number' }] },
      },
    };
    expect(validateSchema(schema, { a: 1, u: 'https://x.test/', t: ['a', 1] })).toEqual({ valid: true, errors: [] });
    expect(validateSchema(schema, { a: 1.5, u: 'nope', t: [1] }).errors.map((error) => error.path)).toEqual([
      '/a',
      '/u',
      '/t/0',
    ]);
  });

  it('values that do not fit: every fault as a sentence with its place', () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['a'],
      additionalProperties: false,
      properties: {
        rows: { type: 'array', items: { properties: { amount: { type: 'number' } } } },
        e: { enum: ['x', 'y'] },
        p: { pattern: '^[a-z]+$' },
      },
    };
    expect(messages(schema, { rows: [{ amount: 'x' }], e: 'z', p: 'A', q: 1 })).toEqual([
      'the value lacks "a"',
      '/rows/0/amount must be a number, found text',
      '/e must be one of ["x","y"]',
      '/p does not match the pattern ^[a-z]+$',
      '/q is not allowed',
    ]);
  });

  it('inherited properties: are neither there nor in the way', () => {
    expect(validateSchema({ type: 'object', required: ['constructor'] }, {}).valid).toBe(false);
    expect(validateSchema({ type: 'object', properties: { toString: { type: 'string' } } }, {}).valid).toBe(true);
    expect(validateSchema({ type: 'object', required: ['constructor'] }, { constructor: 1 }).valid).toBe(true);
  });

  it('a pattern that makes a backtracking matcher give up: is answered', () => {
    expect(validateSchema({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(29)}!`).valid).toBe(false);
  });

  it('schemas that cannot be used: said so, and every value is invalid', () => {
    for (const schema of [
      { type: 'strng' },
      { $ref: '#/nope' },
      { pattern: '(' },
      { pattern: '(?=a)' },
      { required: 'a' },
      { properties: [] },
      { anyOf: {} },
      { items: 3 },
      { patternProperties: { '(': {} } },
      { pattern: 'a'.repeat(2001) },
    ] as JsonObject[]) {
      expect(checkSchema(schema), JSON.stringify(schema)).toBeTypeOf('string');
      expect(validateSchema(schema, {}).valid).toBe(false);
    }
    expect(checkSchema({})).toBeUndefined();
    expect(checkSchema({ type: ['string', 'null'], minLength: 1 })).toBeUndefined();
  });

  it('names by pattern, names that are too long, and what no keyword has looked at', () => {
    const schema: JsonObject = { patternProperties: { '^n_': { type: 'number' } }, unevaluatedProperties: false };
    expect(messages(schema, { n_a: 1 })).toEqual([]);
    expect(messages(schema, { n_a: 'x', other: 1 })).toContain('/n_a must be a number, found text');
    expect(messages({ propertyNames: { maxLength: 1 } }, { ab: 1 }).join()).toContain('too long');
    expect(messages({ unevaluatedProperties: false }, { a: 1 }).length).toBeGreaterThan(0);
  });

  it('a list with a fault in each of its items: so many are told, and no more', () => {
    const faults = messages(
      { items: { type: 'string' } },
      Array.from({ length: 200 }, (_, n) => n),
    );
    expect(faults).toHaveLength(50);
    expect(faults[0]).toBe('/0 must be text, found number');
  });

  it('a schema that is given: is not changed by compiling it', () => {
    const schema = { type: 'object', properties: { a: { pattern: 'x' } } };
    const before = JSON.stringify(schema);
    validateSchema(schema, { a: 'x' });
    expect(JSON.stringify(schema)).toBe(before);
  });
});
