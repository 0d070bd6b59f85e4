import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MissingValue } from '../../../src/engine/values/failures.ts';
import { formatPath, type Path, parsePath, parseRelativePath, resolvePath } from '../../../src/engine/values/path.ts';
import type { Json } from '../../../src/model/json.ts';
import { plainScope } from '../../../src/model/roots.ts';

function at(text: string, roots: Record<string, Json>): Json | string {
  try {
    return resolvePath(parsePath(text) as Path, plainScope(roots));
  } catch (error) {
    if (error instanceof MissingValue) return `missing ${error.path}`;
    throw error;
  }
}

describe('paths', () => {
  it('dots, indexes, quoted keys and dashes: each gives its value', () => {
    const roots = {
      workflow_input: { 'a.b': 1, 'net-total': 2, rows: [{ n: 3 }], "it's": 4, größe: 5, in: 6 },
      step: { 'my-step': { x: 7 } },
      loop: { outer: { item: { name: 8 }, index: 9 } },
    };
    expect(at('workflow_input["a.b"]', roots)).toBe(1);
    expect(at(' workflow_input.net-total ', roots)).toBe(2);
    expect(at('workflow_input.rows[0].n', roots)).toBe(3);
    expect(at("workflow_input['it\\'s']", roots)).toBe(4);
    expect(at('workflow_input.größe', roots)).toBe(5);
    expect(at('workflow_input.in', roots)).toBe(6);
    expect(at('step.my-step.x', roots)).toBe(7);
    expect(at('step["my-step"]["x"]', roots)).toBe(7);
    expect(at('loop.outer.item.name', roots)).toBe(8);
    expect(at('loop.outer.index', roots)).toBe(9);
  });

  it('escapes in quoted keys, an empty one, and an index into what is no list', () => {
    const roots = { workflow_input: { A: 1, 'a\nb': 2, '': 3, list: [4] } };
    expect(at('workflow_input["\\u0041"]', roots)).toBe(1);
    expect(at('workflow_input["a\\nb"]', roots)).toBe(2);
    expect(at('workflow_input[""]', roots)).toBe(3);
    expect(at('workflow_input.list[0]', roots)).toBe(4);
    expect(at('workflow_input.A[0]', roots)).toBe('missing workflow_input.A[0]');
    expect(at('workflow_input[0]', roots)).toBe('missing workflow_input[0]');
  });

  it('anything else: is not a path', () => {
    for (const text of [
      '',
      'nothing.here',
      'workflow_input.a + 1',
      'workflow_input.',
      'workflow_input..a',
      'workflow_input[a]',
      'workflow_input[-1]',
      'workflow_input.a()',
      'workflow_input["a',
      '"workflow_input"',
      'step .a',
      'step.a b',
    ]) {
      expect(parsePath(text), text).toBeUndefined();
    }
  });

  it('inherited properties and lengths: are not there', () => {
    const roots = { workflow_input: { list: [1], text: 'abc', o: {} }, step: {} };
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length', '0']) {
      for (const base of ['workflow_input.o', 'workflow_input.list', 'workflow_input.text', 'workflow_input', 'step']) {
        const path = `${base}["${name}"]`;
        expect(String(at(path, roots)), path).toMatch(/^missing /);
      }
    }
  });

  it('a step called constructor, and a key of that name: are found', () => {
    const roots = { step: { constructor: { a: 1 } }, workflow_input: { constructor: { prototype: 2 } } };
    expect(at('step.constructor.a', roots)).toBe(1);
    expect(at('workflow_input.constructor.prototype', roots)).toBe(2);
  });

  it('a key __proto__ that JSON brought along: is never there', () => {
    const roots = {
      workflow_input: JSON.parse('{"__proto__": {"x": 1}}') as Json,
      step: JSON.parse('{"__proto__": 1}') as Json,
    };
    expect(at('workflow_input.__proto__.x', roots)).toBe('missing workflow_input.__proto__');
    expect(at('step["__proto__"]', roots)).toBe('missing step.__proto__');
  });

  it('any names and indexes, written and read: are the same', () => {
    const segment = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('a-b', '__x', '"', '\\', '\n', ']'),
      fc.nat(1000),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        expect(parsePath(formatPath('workflow_input', segments))?.segments).toEqual(segments);
        expect(parseRelativePath(formatPath('', segments))).toEqual(segments);
      }),
    );
  });
});
