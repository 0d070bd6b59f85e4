import { describe, expect, it } from 'vitest';
import { partOf, resolveFields } from '../../../src/engine/values/fields.ts';
import { TabloomError } from '../../../src/model/errors.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { plainScope } from '../../../src/model/roots.ts';

const scope = plainScope({
  workflow_input: { a: { b: 1 }, v: '[secret:pin]', line: 'L' },
  step: { grade: { score: 2 } },
  loop_item: { name: 'n' },
});

function code(work: () => unknown): string {
  try {
    work();
    return 'none';
  } catch (error) {
    return TabloomError.is(error) ? error.code : String(error);
  }
}

describe('fields of a step', () => {
  it('secrets in the fields for them: placeholders in the value, names and places beside it', () => {
    const fields = {
      arguments: {
        value: '{{secret.pin}}',
        list: ['x {{secret.other-one}} {{workflow_input.line}}'],
        'a/b~': { k: '{{secret.pin}}' },
        plain: '{{workflow_input.line}}',
      },
    };
    expect(resolveFields(fields, scope, 's', { secretFields: ['arguments'] })).toEqual({
      value: {
        arguments: {
          value: '[secret:pin]',
          list: ['x [secret:other-one] L'],
          'a/b~': { k: '[secret:pin]' },
          plain: 'L',
        },
      },
      secrets: [
        { pointer: '/arguments/value', parts: [{ secret: 'pin' }] },
        { pointer: '/arguments/list/0', parts: ['x ', { secret: 'other-one' }, ' ', 'L'] },
        { pointer: '/arguments/a~1b~0/k', parts: [{ secret: 'pin' }] },
      ],
    });
  });

  it('data that looks like a placeholder or a secret template: is no secret', () => {
    const forged = plainScope({
      workflow_input: { v: '[secret:pin]', w: '{{secret.pin}}', o: { value: '{{secret.pin}}' } },
    });
    for (const value of [
      '{{workflow_input.v}}',
      '{{workflow_input.w}}',
      'x{{workflow_input.w}}',
      '{{workflow_input.o}}',
      { from: 'workflowInput', path: 'w' },
    ] as Json[]) {
      expect(resolveFields({ arguments: { value } }, forged, 's', { secretFields: ['arguments'] }).secrets).toEqual([]);
    }
    const { secrets } = resolveFields({ arguments: { value: '{{secret.pin}} {{workflow_input.v}}' } }, forged, 's', {
      secretFields: ['arguments'],
    });
    expect(secrets).toEqual([{ pointer: '/arguments/value', parts: [{ secret: 'pin' }, ' ', '[secret:pin]'] }]);
  });

  it('a secret elsewhere, in an expression, or taken apart: template_invalid', () => {
    const options = { secretFields: ['arguments'] };
    expect(code(() => resolveFields({ prompt: '{{secret.pin}}' }, scope, 's', options))).toBe('template_invalid');
    expect(code(() => resolveFields({ arguments: { v: '{{secret.pin + "x"}}' } }, scope, 's', options))).toBe(
      'template_invalid',
    );
    expect(code(() => resolveFields({ arguments: { v: '{{secret.pin.x}}' } }, scope, 's', options))).toBe(
      'template_invalid',
    );
    expect(code(() => resolveFields({ arguments: { v: '{{secret}}' } }, scope, 's', options))).toBe('template_invalid');
    expect(code(() => resolveFields({ arguments: { v: '{{secret.pin}}' } }, scope, 's'))).toBe('template_invalid');
  });

  it('sources named outright: whole and field by field', () => {
    const from = (source: JsonObject) => resolveFields({ input: source }, scope, 's').value.input;
    expect(from({ from: 'workflowInput', path: 'a.b' })).toBe(1);
    expect(from({ from: 'workflowInput' })).toEqual({ a: { b: 1 }, v: '[secret:pin]', line: 'L' });
    expect(from({ from: 'previousStep', step: 'grade', path: 'score' })).toBe(2);
    expect(from({ from: 'loopItem', path: 'name' })).toBe('n');
    expect(from({ from: 'static', value: '{{to the letter}}' })).toBe('{{to the letter}}');
    expect(
      from({
        x: { from: 'workflowInput', path: 'a["b"]' },
        y: '{{loop_item.name}}',
        z: { from: 'static', value: null },
      }),
    ).toEqual({ x: 1, y: 'n', z: null });
  });

  it('an object that only looks like a source, or stands elsewhere: stays as it is', () => {
    const still: Json[] = [
      { from: 'Bo' },
      { from: 'workflowInput', path: 'a', extra: 1 },
      { from: 'previousStep', path: 'x' },
      { from: 'static' },
      { from: 'constructor' },
      { k: { deep: { from: 'workflowInput' } } },
    ];
    for (const value of still)
      expect(resolveFields({ input: { a: value } }, scope, 's').value).toEqual({ input: { a: value } });
    expect(resolveFields({ other: { from: 'workflowInput' } }, scope, 's').value).toEqual({
      other: { from: 'workflowInput' },
    });
  });

  it('a source that is not there, or has no path: says so', () => {
    expect(code(() => resolveFields({ input: { from: 'workflowInput', path: 'nope.x' } }, scope, 's'))).toBe(
      'template_unresolved',
    );
    expect(code(() => resolveFields({ input: { from: 'previousStep', step: 'gone' } }, scope, 's'))).toBe(
      'template_unresolved',
    );
    expect(code(() => resolveFields({ input: { from: 'previousStep', step: '__proto__' } }, scope, 's'))).toBe(
      'template_unresolved',
    );
    expect(code(() => resolveFields({ input: { from: 'loopItem', path: 'a b' } }, scope, 's'))).toBe(
      'template_invalid',
    );
  });

  it('a field that fails: named by its whole place', () => {
    try {
      resolveFields({ input: { rows: [{ 'a b': '{{step.gone.x}}' }] } }, scope, 'each[1]/s');
      expect.unreachable();
    } catch (error) {
      expect((error as TabloomError).info).toMatchObject({
        step: 'each[1]/s',
        field: 'input.rows[0]["a b"]',
        path: 'step.gone',
      });
    }
  });

  it('part of an output for an edge: found, or template_unresolved', () => {
    expect(partOf({ a: [5] }, 'a[0]', 'step.x', { step: 's', field: 'dependsOn[0].output' })).toBe(5);
    expect(partOf(3, '', 'step.x', { step: 's', field: 'dependsOn[0].output' })).toBe(3);
    expect(code(() => partOf({}, 'a', 'step.x', { step: 's', field: 'f' }))).toBe('template_unresolved');
  });

  it('a part that is not there, a path that is none, an item outside a loop: each with its code', () => {
    expect(code(() => partOf({ a: 1 }, 'b', 'step.x', { step: 's', field: 'f' }))).toBe('template_unresolved');
    expect(code(() => partOf({ a: 1 }, 'a b', 'step.x', { step: 's', field: 'f' }))).toBe('template_invalid');
    const item = { arguments: { a: { from: 'loopItem' } } } as JsonObject;
    expect(code(() => resolveFields(item, plainScope({}), 's', { secretFields: [] }))).toBe('template_unresolved');
    const odd = { arguments: { a: { from: 'workflowInput', path: 'a b' } } } as JsonObject;
    expect(code(() => resolveFields(odd, scope, 's', { secretFields: [] }))).toBe('template_invalid');
  });
});
