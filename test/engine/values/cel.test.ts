import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluateProgram } from '../../../src/engine/values/cel.ts';
import { compileExpression } from '../../../src/engine/values/cel-compile.ts';
import { summary } from '../../../src/engine/values/cel-values.ts';
import { EvaluationFailure, MissingValue, SyntaxFailure } from '../../../src/engine/values/failures.ts';
import type { Json } from '../../../src/model/json.ts';
import { plainScope, type Scope } from '../../../src/model/roots.ts';

const DATA = {
  workflow_input: {
    n: 7,
    f: 2.5,
    zero: 0,
    list: [1, 2, { a: 'x' }],
    s: 'hello',
    nothing: null,
    o: { a: 1, 'b-c': 2 },
    constructor: { z: 1 },
    flag: true,
  },
  step: { 'my-step': { t: 'T' }, constructor: { a: 1 }, a: { b: 1, nil: null } },
  status: { a: 'completed' },
  loop: { outer: { item: { name: 'n' }, index: 2 } },
  loop_item: 'a',
};

function run(text: string, scope: Scope = plainScope(DATA)): Json {
  return evaluateProgram(compileExpression(text), scope);
}

describe('expressions', () => {
  const values: [string, Json][] = [
    ['workflow_input.n / 2', 3.5],
    ['7 / 2', 3],
    ['workflow_input.n % 4', 3],
    ['workflow_input.n + 0.5', 7.5],
    ['1 + workflow_input.f', 3.5],
    ['workflow_input.n - 1', 6],
    ['2 * workflow_input.f', 5],
    ['-workflow_input.n', -7],
    ['workflow_input.n >= 7 && workflow_input.n < 7.5', true],
    ['workflow_input.n == 7', true],
    ['7.0 == 7', true],
    ['"1" == 1', false],
    ['1 == "1"', false],
    ['workflow_input.nothing == null', true],
    ['workflow_input.nothing == "x"', false],
    ['workflow_input.list == [1, 2.0, {"a": "x"}]', true],
    ['workflow_input.o == {"b-c": 2, "a": 1}', true],
    ['true == 1', false],
    ['"n=" + workflow_input.n', 'n=7'],
    ['workflow_input.n + "x"', '7x'],
    ['"x" + 1.5', 'x1.5'],
    ['workflow_input.list[workflow_input.n - 6]', 2],
    ['workflow_input.list[1.0]', 2],
    ['true ? 1 : "x"', 1],
    ['workflow_input.flag ? [1] : {"a": 1}', [1]],
    ['[1, "a", null, [2], {"k": 1.5}]', [1, 'a', null, [2], { k: 1.5 }]],
    ['[1] + ["a"]', [1, 'a']],
    ['2 in [1, 2.0]', true],
    ['"a" in workflow_input.o', true],
    ['"toString" in workflow_input.o', false],
    ['loop.outer.item.name + "!"', 'n!'],
    ['loop.outer.index + 1', 3],
    ['[1].map(loop, loop + 1)', [2]],
    ['"loop.outer" + r"\\loop"', 'loop.outer\\loop'],
    ['workflow_input.constructor.z + 1', 2],
    ['step.constructor.a + 1', 2],
    ['step["my-step"].t + status.a', 'Tcompleted'],
    ['step[loop_item].b + 1', 2],
    ['size(workflow_input.list) + size("añ")', 5],
    ['workflow_input.list.filter(x, x == 1 || x == 2).map(x, x * 2)', [2, 4]],
    ['workflow_input.list.exists(x, x > 1)', true],
    ['[1, 2].all(x, x > 0) && ![1, 2].all(x, x > 1)', true],
    ['[1, 2, 2].exists_one(x, x == 2)', false],
    ['{"a": 1, "b": 2}.map(k, k + "!")', ['a!', 'b!']],
    ['[1, 2].map(x, [3].map(y, x * y))', [[3], [6]]],
    ['cel.bind(x, workflow_input.n, x * x)', 49],
    ['workflow_input.s.startsWith("he") && workflow_input.s.contains("ll") && workflow_input.s.endsWith("o")', true],
    ['workflow_input.s.substring(0, workflow_input.n - 5)', 'he'],
    ['"a,b".split(",").join("-")', 'a-b'],
    ['workflow_input.s.matches("^h.*o$")', true],
    ['int("5") + int(2.9)', 7],
    ['string(workflow_input.n) + string(true)', '7true'],
    ['type(workflow_input.s) == string && type(workflow_input.list) == list', true],
    ['timestamp("2026-01-05T09:00:00Z") + duration("1h")', '2026-01-05T10:00:00.000Z'],
    ['timestamp("2026-01-05T09:00:00Z") < timestamp("2026-01-06T09:00:00Z")', true],
    ['duration("90s")', '90s'],
    ['has(step.a.b)', true],
    ['has(step.a.nil)', true],
    ['has(step.a.c)', false],
    ['has(step.gone)', false],
    ['has(step.gone.b.c)', false],
    ['has(step.a.nil.x.y)', false],
    ['has(trigger.url)', false],
    ['has(workflow_input.list[9])', false],
    ['has(step["my-step"].t)', true],
    ['has(workflow_input.toString)', false],
    ['has(step.a.c) ? step.a.c : "none"', 'none'],
    ['workflow_input.flag || step.gone.x', true],
    ['size(workflow_input.o) + size({})', 2],
    ['workflow_input.o == {"a": 1, "b-c": 3}', false],
    ['workflow_input.o == [1] || {"a": 1} == 1', false],
    ['type(workflow_input.o) == map && type(1) == int && type(1.5) == double', true],
    ['["a", 1, 2.5].join()', 'a12.5'],
    ['"a" <= "b" && "b" >= "b" && "b" > "a"', true],
    ['false < true && true >= true', true],
    ['1.5 <= 2 && 2.5 > 2 && workflow_input.n >= 7.0', true],
    ['workflow_input.f * 2.0 - 1.0', 4],
    ['"a,b,c".split(",", 2)', ['a', 'b,c']],
    ['[3, 1].map(x, x > 1, x * 2)', [6]],
    ['dyn(workflow_input.n) == 7', true],
    ['!(1 in [2]) && !("z" in {"a": 1})', true],
    ['7 - 2', 5],
    ['7 % 4', 3],
    ['uint(5) + uint(6)', 11],
    ['type(null) == null_type && type(uint(1)) == uint && type(b"x") == bytes', true],
    ['type(timestamp("2026-01-05T09:00:00Z"))', 'google.protobuf.Timestamp'],
    ['timestamp("2026-01-05T09:00:00Z") == timestamp("2026-01-05T10:00:00+01:00")', true],
    ['timestamp("2026-01-05T09:00:00Z") == {"a": 1} || {"a": 1} == duration("1s")', false],
    ['timestamp("2026-01-05T09:00:00Z") == duration("1s")', false],
    ['b"ab" == b"ab"', true],
  ];
  for (const [text, value] of values) it(`${text}: ${JSON.stringify(value)}`, () => expect(run(text)).toEqual(value));

  const missing: [string, string][] = [
    ['step.a.c == 1', 'step.a.c'],
    ['step.gone.x + 1', 'step.gone'],
    ['workflow_input.list[9] == 1', 'workflow_input.list[9]'],
    ['workflow_input.list[-1] == 1', 'workflow_input.list[-1]'],
    ['workflow_input.s.length == 5', 'workflow_input.s.length'],
    ['workflow_input.list.length == 3', 'workflow_input.list.length'],
    ['workflow_input.o.toString == 1', 'workflow_input.o.toString'],
    ['workflow_input.constructor.constructor == 1', 'workflow_input.constructor.constructor'],
    ['step.toString == 1', 'step.toString'],
    ['step["__proto__"] == 1', 'step["__proto__"]'],
    ['loop.inner.item == 1', 'loop.inner'],
    ['trigger.url == ""', 'trigger'],
    ['has(step.a.b) && step.a.nil.x', 'step.a.nil.x'],
  ];
  for (const [text, path] of missing) {
    it(`${text}: says that ${path} is not there`, () => {
      try {
        run(text);
        expect.unreachable();
      } catch (error) {
        expect(error).toBeInstanceOf(MissingValue);
        expect((error as MissingValue).path).toBe(path);
      }
    });
  }

  for (const text of [
    '1 / 0',
    '1 % 0',
    'workflow_input.n % 0',
    'workflow_input.f % 2',
    '1.0 / 0.0',
    '1 + true',
    '1 + null',
    '1 < "a"',
    '!1',
    '-"a"',
    'workflow_input.s ? 1 : 2',
    '1 && true',
    '"a" in "abc"',
    'workflow_input.list["x" == "x"]',
    '9223372036854775807 + 1',
    '{"__proto__": 1}',
    'b"x"',
    '"a".matches("(")',
    '5.map(x, x)',
    '[1].map(x, x + true)',
    'workflow_input.o.contains("a")',
    'matches(1, "a")',
    'matches("a", 1)',
    '[[1]].join(",")',
    '[true].join(",")',
    '"a".join(",")',
    '["a"].join(1)',
    '1 in 5',
    'size(5)',
    'workflow_input.o < 1',
    'workflow_input.f / 0.0 - workflow_input.f / 0.0',
    '"x".substring("a")',
    'has(workflow_input.list["x" == "x"])',
  ]) {
    it(`${text}: cannot be worked out`, () => expect(() => run(text)).toThrow(EvaluationFailure));
  }

  for (const text of [
    '',
    'foo',
    'foo.bar',
    'foo(1)',
    'eval("1")',
    'Function("return 1")()',
    'step.x.call(1)',
    'import("x")',
    'globalThis.process',
    'this',
    'has(step)',
    'has(1)',
    'has()',
    '[1].map(1, 2)',
    '1 +',
    '(',
    '"a',
    'step.in == 1',
    'a ? b',
    `${'('.repeat(300)}1${')'.repeat(300)}`,
    `1${'+1'.repeat(5000)}`,
    'x'.repeat(20_000),
  ]) {
    it(`${text.slice(0, 40)}: cannot be read`, () => expect(() => compileExpression(text)).toThrow(SyntaxFailure));
  }

  const said: [string, RegExp][] = [
    ['timestamp("2026-01-05T09:00:00Z") + true', /timestamp \+ boolean has no meaning/],
    ['b"x" + 1', /bytes \+ number has no meaning/],
    ['duration("1s") * 2', /special value \* number has no meaning/],
    ['bytes("x")', /the result is bytes; use \.base64\(\)/],
    ['timestamp("soon")', /^[^\n]+$/],
    ['"a".matches("[")', /not a pattern that runs in linear time/],
  ];
  for (const [text, sentence] of said)
    it(`${text}: says what is wrong in one line`, () => expect(() => run(text)).toThrow(sentence));

  it.each(['[1].all(1, true)', 'cel.bind(1, 2, 3)', '[1].map(step.a, 2)', 'step.?a', 'step[?"a"]', '{"a": 1}.?a'])(
    '%s: not of this language',
    (text) => expect(() => compileExpression(text)).toThrow(SyntaxFailure),
  );

  it('a name with a dash, of which the rest is called nothing: says how it is written', () => {
    expect(() => compileExpression('step.a-b.c == 1')).toThrow('nothing called "b"');
    expect(() => compileExpression('step.a-b.c == 1')).toThrow('is written step["a-b"]');
    expect(() => compileExpression('step.a.b-c.d == 1')).toThrow('is written step.a["b-c"]');
  });

  it('a failure of the library itself: its first line', () => {
    expect(summary(new Error('It broke\nhere ^'))).toBe('It broke');
  });

  it('a list that doubles again and again: ends with an error', () => {
    const text = Array.from({ length: 22 }, (_, i) => i).reduceRight(
      (inner, i) => `cel.bind(x${i}, ${i === 0 ? '[1, 2, 3, 4]' : `x${i - 1} + x${i - 1}`}, ${inner})`,
      'size(x21)',
    );
    expect(() => run(text)).toThrow(/a million items/);
  });

  it('a pattern that makes a backtracking matcher give up: is answered', () => {
    const scope = plainScope({ workflow_input: { s: `${'a'.repeat(29)}!` } });
    expect(run('workflow_input.s.matches("^(a+)+$")', scope)).toBe(false);
    expect(run('matches(workflow_input.s, "^(a|aa)+!$")', scope)).toBe(true);
  });

  it('nested loops over long lists: end with an error, not with a stalled browser', () => {
    const scope = plainScope({ workflow_input: { l: Array.from({ length: 3000 }, (_, i) => i) } });
    expect(() =>
      run('workflow_input.l.all(a, workflow_input.l.all(b, workflow_input.l.all(c, a + b + c >= 0)))', scope),
    ).toThrow(/too much work/);
  });

  it('a text that doubles again and again: ends with an error', () => {
    const text = Array.from({ length: 26 }, (_, i) => i).reduceRight(
      (inner, i) => `cel.bind(x${i}, ${i === 0 ? '"aaaaaaaa"' : `x${i - 1} + x${i - 1}`}, ${inner})`,
      'x25',
    );
    expect(() => run(text)).toThrow(/8 million/);
  });

  it('members of step: are asked for one by one, and only those that count', () => {
    const asked: string[] = [];
    const scope: Scope = {
      root: (name) => {
        asked.push(name);
        return undefined;
      },
      member: (name, key) => {
        asked.push(`${name}.${key}`);
        return { b: true };
      },
    };
    expect(run('step.a.b || step.never.b', scope)).toBe(true);
    expect(asked).toEqual(['step.a']);
  });

  it('a result that is data: is the very same value, and never changed', () => {
    const frozen = Object.freeze({ list: Object.freeze([1, 2]) }) as unknown as Json;
    const scope = plainScope({ workflow_input: frozen });
    expect(run('true ? workflow_input.list : []', scope)).toBe((frozen as { list: Json }).list);
    expect(run('workflow_input.list + [3]', scope)).toEqual([1, 2, 3]);
  });

  it('arbitrary text: gives JSON or one of three failures', () => {
    const pieces = fc.constantFrom(
      'workflow_input',
      '.n',
      '.list',
      '[0]',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"a"',
      "'",
      '+',
      '-',
      '/',
      '%',
      '==',
      '&&',
      '||',
      '!',
      '?',
      ':',
      ',',
      ' in ',
      'has(',
      'size(',
      '.map(x,',
      'x',
      '1',
      '2.5',
      'null',
      'loop',
      '.',
      ' ',
      '__proto__',
      'constructor',
      '//',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            expect(JSON.stringify(run(text))).toBeTypeOf('string');
          } catch (error) {
            expect(
              [MissingValue, EvaluationFailure, SyntaxFailure].some((kind) => error instanceof kind),
              `${text}: ${String(error)}`,
            ).toBe(true);
          }
        },
      ),
      { numRuns: 2000 },
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('sums of doubles: are those of the language', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), fc.integer(), (a, b) => {
        const scope = plainScope({ workflow_input: { a, b } });
        expect(run('workflow_input.a + workflow_input.b', scope)).toBe(a + b);
        expect(run('workflow_input.a < workflow_input.b', scope)).toBe(a < b);
      }),
    );
  });
});
