import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSource } from '../../../src/engine/source/bytes.ts';
import { MAX_SOURCE, readWorkflowSource } from '../../../src/engine/source/index.ts';
import { expressionHint } from '../../../src/engine/source/messages.ts';

function problems(text: string, name = 'a.yaml'): string[] {
  return readWorkflowSource(text, { name }).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe('workflow files', () => {
  it('plain YAML: the value, with core types only', () => {
    expect(
      readWorkflowSource(
        'a: 0x10\nb: yes\nc: ~\nd: 2026-01-05T09:00:00Z\ne: [1, 2.5, "{{x}}"]\nf: |\n  two\n  lines\ng:\n',
      ).value,
    ).toEqual({
      a: 16,
      b: 'yes',
      c: null,
      d: '2026-01-05T09:00:00Z',
      e: [1, 2.5, '{{x}}'],
      f: 'two\nlines\n',
      g: null,
    });
  });

  it('JSON: the value, also when it begins with a byte order mark', () => {
    expect(readWorkflowSource('\uFEFF{"a": [1, {"b": null}]}', { name: 'x.json' }).value).toEqual({
      a: [1, { b: null }],
    });
  });

  const refused: [string, RegExp][] = [
    ['a: 1\na: 2', /^2:1 .*twice/],
    ['a: {k: 1, k: 2}', /^1:11 .*twice/],
    ['a: &x 1', /^1:7 Anchors \(&x\)/],
    ['a: *x', /^1:4 Aliases \(\*x\)/],
    ['a: !foo x', /^1:9 Tags \(!foo\)/],
    ['a: !!str x', /^1:10 Tags/],
    ['a: !!js/function "x"', /Tags/],
    ['a: {<<: {b: 1}}', /^1:5 Merge keys/],
    ['1: a', /^1:1 A key must be text/],
    ['x:\n  true: a', /^2:3 A key must be text/],
    ['? [a]\n: 1', /key must be text/],
    ['a:\n  __proto__: 1', /^2:3 .*__proto__/],
    ['"__proto__": 1', /__proto__/],
    ['a: 1e400', /^1:4 1e400 is not a number/],
    ['a: .nan', /not a number/],
    ['a: -.inf', /not a number/],
    ['a: 12345678901234567890', /too large to be kept exactly/],
    ['a: 1\n---\nb: 2', /^2:1 .*more than one document/],
    ['', /^1:1 The file is empty/],
    ['# only a comment', /empty/],
    ['a:\n\t- b', /^2:1 .*tabs/],
    ['a: [1, 2', /missing/],
    ['a: "b', /missing/],
    ['['.repeat(150), /nested more than 100/],
    ['- '.repeat(150), /^1:\d+ .*nested more than 100/],
    [Array.from({ length: 150 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), /^102:102 .*nested more than 100/],
    ['a: 1\nb: 2\n\u0000c', /^3:1 .*zero bytes/],
    ['[a: 1, : 2]', /key must be text/],
    ['%FOO\n---\na: 1', /^1:1 Unknown directive %FOO\.$/],
    ['a: "\\q"', /^1:5 Invalid escape sequence \\q\.$/],
  ];
  for (const [text, message] of refused) {
    it(`${JSON.stringify(text.slice(0, 40))}: refused with line and column`, () => {
      const source = readWorkflowSource(text);
      expect(source.value).toBeUndefined();
      expect(
        source.problems.every((problem) => problem.code === 'schema_invalid' && problem.severity === 'error'),
      ).toBe(true);
      expect(
        problems(text).some((line) => message.test(line)),
        problems(text).join('\n'),
      ).toBe(true);
    });
  }

  for (const text of [
    'if: has(a) ? a : b',
    'x: { if: has(a) ? a : b }',
    'a: {{x}}',
    'a: {{ x.y }} and more',
    'a: !x.y',
    'a: [0].x',
    'a: {b: step.x[0]}',
    'a: "x" == b',
    '- when: !step.a.ok',
    'a: *x',
    'a: &x && b',
  ]) {
    it(`${text}: the message suggests quotes`, () => {
      expect(problems(text).length).toBeGreaterThan(0);
      expect(problems(text).join(' ')).toMatch(/in quotes/);
    });
  }

  it('a fault that has nothing to do with expressions: no advice about quotes', () => {
    expect(problems('a: 1\na: 2').join(' ')).not.toMatch(/quotes/);
    expect(problems('a:\n\tb: 1').join(' ')).not.toMatch(/expression/);
  });

  it('several faults: all told at once, in order', () => {
    expect(problems('a: &x 1\nb: !t 2\nc: .nan\nd: 1\nd: 2').map((line) => line.split(':')[0])).toEqual([
      '1',
      '2',
      '3',
      '5',
    ]);
  });

  it('YAML in a file that is called JSON: refused', () => {
    expect(problems('{a: 1}', 'x.JSON')).toEqual(['1:2 The file is not JSON; correct it here, or name it .yaml.']);
    expect(problems('steps', 'x.json')).toEqual(['1:1 The file is not JSON; correct it here, or name it .yaml.']);
    // What is no YAML either is told once.
    expect(problems('a: &x 1', 'x.json')).toHaveLength(1);
  });

  it('a file beyond the size limit, or nested a hundred thousand deep: refused, not a crash', () => {
    expect(problems(`a: ${'x'.repeat(MAX_SOURCE)}`).join()).toContain('longer than');
    expect(readWorkflowSource('['.repeat(100_000)).problems.length).toBeGreaterThan(0);
    expect(readWorkflowSource('a: '.repeat(10_000)).problems.length).toBeGreaterThan(0);
  });

  it('a pointer: gives the line and column of the key or the item, or of the nearest parent', () => {
    const { locate } = readWorkflowSource(
      'steps:\n  - id: a\n    type: x\n  - id: b\n    args: {k: [1, 2], "a/b": 1}\n',
    );
    expect(locate('')).toEqual({ line: 1, column: 1 });
    expect(locate('/steps/1')).toEqual({ line: 4, column: 5 });
    expect(locate('/steps/1/args')).toEqual({ line: 5, column: 5 });
    expect(locate('/steps/1/args/k/1')).toEqual({ line: 5, column: 19 });
    expect(locate('/steps/1/args/a~1b')).toEqual({ line: 5, column: 23 });
    expect(locate('/steps/1/nope/deeper')).toEqual({ line: 4, column: 5 });
    expect(locate('/steps/x')).toEqual({ line: 1, column: 1 });
    expect(locate('/steps/0/id/deeper')).toEqual({ line: 2, column: 5 });
    expect(readWorkflowSource('\u0000').locate('/steps/0')).toEqual({ line: 1, column: 1 });
  });

  it('bytes: none are an empty file', () => {
    expect(decodeSource(new Uint8Array())).toMatchObject({
      problem: { line: 1, message: expect.stringContaining('empty') },
    });
    expect(decodeSource(new TextEncoder().encode('\uFEFFa: 1'))).toEqual({ text: 'a: 1' });
  });

  it('advice about quotes: not for a text that is in quotes as a whole', () => {
    expect(expressionHint('a: "x ? y : z"')).toBeUndefined();
    expect(expressionHint("- 'a' == 'b'")).toBeDefined();
    expect(expressionHint('when: "a" == "b"')).toBeDefined();
  });

  it('arbitrary text: a value or problems with a place, never an exception', () => {
    const pieces = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '&x',
      '*x',
      '!t',
      '|',
      '>',
      '#',
      '? ',
      ',',
      '---',
      '\t',
      '1',
      '{{x}}',
      '%',
      '@',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 15 }).map((parts) => parts.join('')),
        ),
        (text) => {
          const source = readWorkflowSource(text);
          expect(source.value === undefined).toBe(source.problems.length > 0);
          for (const { line, column } of source.problems) expect(Math.min(line ?? 0, column ?? 0)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('any JSON value written as JSON: is read as it was', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__') && !text.includes('-0') && !/\d{16}|"<<"/.test(text));
        expect(readWorkflowSource(text, { name: 'x.json' })).toMatchObject({ value: JSON.parse(text), problems: [] });
      }),
    );
  });
});
