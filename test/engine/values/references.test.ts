import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkTemplates,
  inspectCondition,
  inspectExpression,
  inspectSourced,
  referencesOf,
} from '../../../src/engine/values/references.ts';
import type { Json } from '../../../src/model/json.ts';

function brief(value: Json): string[] {
  return referencesOf(value).map(
    ({ root, member, path, guarded, pointer }) =>
      `${pointer} ${root}${member === undefined ? '' : `.${member}`} ${path.join('/')}${guarded ? ' guarded' : ''}`,
  );
}

describe('references found without running', () => {
  it('paths and expressions, deep: each with root, member, path and place', () => {
    expect(
      brief({ a: ['x {{step.a.b[0].c}} {{loop_item.n}}'], 'b/c': '{{step["my-step"].t + workflow_input.n}}' }),
    ).toEqual(['/a/0 step.a b/0/c', '/a/0 loop_item n', '/b~1c step.my-step t', '/b~1c workflow_input n']);
  });

  it('a member worked out at run time: has no name, and what names it is found', () => {
    expect(brief('{{step[loop_item].x == 1}}')).toEqual([' loop_item ', ' step ']);
    expect(brief('{{step.a.b[1.0].c == {"k": step.d.e}.k}}')).toEqual([' step.a b/1/c', ' step.d e']);
  });

  it('has() and what stands beside it: guarded; another path is not', () => {
    expect(brief('{{has(step.a.b) ? step.a.b.c : step.d.e}}')).toEqual([
      ' step.a b guarded',
      ' step.a b/c guarded',
      ' step.d e',
    ]);
  });

  it('variables of macros: are no references', () => {
    expect(brief('{{workflow_input.l.map(step, step.x + loop_index)}}')).toEqual([' workflow_input l', ' loop_index ']);
  });

  it('conditions: strings, operator forms and named steps', () => {
    const of = (condition: Json) =>
      inspectCondition(condition).references.map(
        ({ root, member, guarded, pointer }) => `${pointer} ${root}.${member} ${guarded}`,
      );
    expect(of('status.a == "failed" && loop.outer.index > 0')).toEqual([' status.a false', ' loop.outer false']);
    expect(of({ op: 'exists', input: '{{step.a.b}}' })).toEqual(['/input step.a true']);
    expect(of({ op: 'equals', input: '{{step.a.b}}', expected: ['{{step.c.d}}'] })).toEqual([
      '/input step.a false',
      '/expected/0 step.c false',
    ]);
    expect(of({ op: 'any_failed', steps: ['x', 'y'] })).toEqual(['/steps/0 status.x false', '/steps/1 status.y false']);
  });

  it('conditions that cannot be right: condition_invalid, or template_invalid inside their values', () => {
    const codes = (condition: Json) => inspectCondition(condition).problems.map((problem) => problem.code);
    expect(codes('a ? b')).toEqual(['condition_invalid']);
    expect(codes('"text"')).toEqual(['condition_invalid']);
    expect(codes('[true]')).toEqual(['condition_invalid']);
    expect(codes({ op: 'near', input: 1 })).toEqual(['condition_invalid']);
    expect(codes({ op: 'exists', input: '{{(}}' })).toEqual(['template_invalid']);
    expect(codes('step.a.b')).toEqual([]);
    expect(codes('true')).toEqual([]);
  });

  it('sources: references like any other; static ones are not looked at', () => {
    const { references, problems } = inspectSourced({
      a: { from: 'previousStep', step: 'g', path: 'x.y' },
      b: { from: 'static', value: '{{(}}' },
      c: '{{loop_item}}',
      d: { from: 'workflowInput', path: 'a b' },
    });
    expect(references.map(({ root, member, path }) => ({ root, member, path }))).toEqual([
      { root: 'step', member: 'g', path: ['x', 'y'] },
      { root: 'loop_item', member: undefined, path: [] },
    ]);
    expect(problems.map((problem) => problem.pointer)).toEqual(['/d/path']);
  });

  it('a name with a dash or a CEL word in an expression: a hint how to write it; none for a path', () => {
    expect(referencesOf('{{step.my-step.x == 1}}')[0]?.hint).toContain('step["my-step"]');
    expect(referencesOf('{{step.my-step.x}}')[0]?.hint).toBeUndefined();
    expect(checkTemplates('{{step.a.in == 1}}')[0]?.message).toContain('step.a["in"]');
    expect(referencesOf('{{step["my-step"].x == "step.a-b"}}')[0]?.hint).toBeUndefined();
  });

  it('secrets: told apart, and whether they stand alone', () => {
    expect(referencesOf('{{secret.pin}}')[0]).toMatchObject({
      root: 'secret',
      member: 'pin',
      inSecret: true,
      plain: true,
    });
    expect(referencesOf('{{secret.pin + "x"}}')[0]).toMatchObject({ inSecret: true, plain: false });
  });

  it('an expression of transform: read like any other', () => {
    expect(inspectExpression('value.x + step.a.n').references.map(({ root }) => root)).toEqual(['value', 'step']);
    expect(inspectExpression('nope(').problems).toHaveLength(1);
  });

  it('any JSON: is looked through without an error', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(checkTemplates(value as Json).every((problem) => problem.code === 'template_invalid')).toBe(true);
      }),
    );
  });
});
