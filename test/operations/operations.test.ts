import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TabloomError } from '../../src/model/errors.ts';
import type { Json } from '../../src/model/json.ts';
import { plainScope } from '../../src/model/roots.ts';
import { OPERATIONS, operationProblem, runOperation } from '../../src/operations/index.ts';

const scope = plainScope({ step: { a: { n: 2 } }, secret: { pin: '1234' } });

/** Output, or the error as `! code message`. */
function run(id: string, args: Json): Json {
  try {
    return runOperation(id, args, { scope });
  } catch (error) {
    if (TabloomError.is(error)) return `! ${error.code} ${error.message}`;
    throw error;
  }
}

describe('built-in operations', () => {
  const cases: [string, Json, Json][] = [
    ['identity', { value: null }, null],
    ['identity', { value: { a: [1] } }, { a: [1] }],
    ['transform', { value: { n: 3 }, expression: 'value.n * step.a.n' }, 6],
    ['transform', { value: [1, 2], expression: 'value' }, [1, 2]],
    ['json.parse', { text: '{"a": [1]}' }, { a: [1] }],
    ['json.stringify', { value: { b: 1, a: [null, 'é'] } }, '{"a":[null,"é"],"b":1}'],
    ['json.stringify', { value: { b: 1 }, indent: 2 }, '{\n  "b": 1\n}'],
    ['text.split', { text: 'a, b', separator: ', ' }, ['a', 'b']],
    ['text.split', { text: 'a😀', separator: '' }, ['a', '😀']],
    ['text.join', { items: ['a', 1, null, { b: 1 }], separator: '-' }, 'a-1--{"b":1}'],
    ['text.replace', { text: 'a.a.', search: '.', replacement: '$&' }, 'a$&a$&'],
    ['text.extract', { text: 'order 12, order 34', pattern: 'order (\\d+)' }, { match: 'order 12', groups: ['12'] }],
    [
      'text.extract',
      { text: 'order 12, order 34', pattern: '\\d+', all: true },
      [
        { match: '12', groups: [] },
        { match: '34', groups: [] },
      ],
    ],
    ['text.extract', { text: 'y', pattern: '(?<a>y)|(z)' }, { match: 'y', groups: ['y', null], named: { a: 'y' } }],
    ['text.extract', { text: 'x', pattern: 'y' }, { match: null, groups: [] }],
    ['text.extract', { text: 'x', pattern: 'y', all: true }, []],
    ['text.extract', { text: `${'a'.repeat(29)}!`, pattern: '^(a+)+$' }, { match: null, groups: [] }],
    ['csv.parse', { text: '\uFEFFa,b\r\n1,"x\ny"\r\n' }, { columns: ['a', 'b'], rows: [{ a: '1', b: 'x\ny' }] }],
    ['csv.parse', { text: 'a;b\n1', delimiter: ';' }, { columns: ['a', 'b'], rows: [{ a: '1', b: '' }] }],
    [
      'csv.parse',
      { text: '1,2\n3,4', header: false },
      {
        columns: [],
        rows: [
          ['1', '2'],
          ['3', '4'],
        ],
      },
    ],
    [
      'csv.parse',
      { text: 'a,a,\n1,2,3' },
      { columns: ['a', 'a_2', 'column_3'], rows: [{ a: '1', a_2: '2', column_3: '3' }] },
    ],
    ['csv.parse', { text: '' }, { columns: [], rows: [] }],
    [
      'csv.format',
      {
        rows: [
          { a: '=1+1', b: -5 },
          { a: '@x', c: 'é"漢' },
        ],
        bom: true,
      },
      '\uFEFFa,b,c\r\n\'=1+1,-5,\r\n\'@x,,"é""漢"',
    ],
    [
      'csv.format',
      {
        rows: [
          ['a;b', '+1'],
          ['-1.5', '+x'],
        ],
        delimiter: ';',
      },
      '"a;b";+1\r\n-1.5;\'+x',
    ],
    [
      'list.sort',
      { items: [{ p: 2 }, { p: 10 }, {}, { p: 1 }], by: 'p', order: 'desc' },
      [{ p: 10 }, { p: 2 }, { p: 1 }, {}],
    ],
    ['list.sort', { items: ['b', 'a', 10, 9, null] }, [null, 9, 10, 'a', 'b']],
    [
      'list.sort',
      {
        items: [
          { a: 1, b: 2 },
          { a: 1, b: 1 },
        ],
        by: ['a', 'b'],
      },
      [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
      ],
    ],
    ['list.unique', { items: [1, 1, '1', { a: 1, b: 2 }, { b: 2, a: 1 }] }, [1, '1', { a: 1, b: 2 }]],
    [
      'list.unique',
      {
        items: [
          { k: 1, v: 1 },
          { k: 1, v: 2 },
        ],
        by: 'k',
      },
      [{ k: 1, v: 1 }],
    ],
    [
      'list.group',
      { items: [{ k: 'x' }, { k: 'y' }, { k: 'x', v: 1 }], by: 'k' },
      [
        { key: 'x', items: [{ k: 'x' }, { k: 'x', v: 1 }] },
        { key: 'y', items: [{ k: 'y' }] },
      ],
    ],
    [
      'list.group',
      { items: [{ k: '__proto__' }, {}], by: 'k' },
      [
        { key: '__proto__', items: [{ k: '__proto__' }] },
        { key: null, items: [{}] },
      ],
    ],
    ['list.chunk', { items: [1, 2, 3], size: 2 }, [[1, 2], [3]]],
    ['list.flatten', { items: [[1, [2]], 3] }, [1, [2], 3]],
    ['list.flatten', { items: [[1, [2]], 3], depth: 2 }, [1, 2, 3]],
    ['list.sum', { items: [] }, 0],
    ['list.sum', { items: [{ n: 1 }, { n: 2.5 }], by: 'n' }, 3.5],
    ['list.min', { items: [3, 1, 2] }, 1],
    ['list.max', { items: ['2026-01-05', '2026-02-01'] }, '2026-02-01'],
    ['list.min', { items: [] }, null],
    ['list.average', { items: [1, 2] }, 1.5],
    ['list.average', { items: [] }, null],
    [
      'table.diff',
      {
        before: [{ id: 1, a: 1 }, { id: 2 }],
        after: { columns: ['id'], rows: [{ id: 1, a: 2 }, { id: 3 }] },
        key: 'id',
      },
      {
        added: [{ id: 3 }],
        removed: [{ id: 2 }],
        changed: [{ key: 1, before: { id: 1, a: 1 }, after: { id: 1, a: 2 }, fields: ['a'] }],
      },
    ],
    ['date.parse', { text: '2026-01-05' }, '2026-01-05T00:00:00.000Z'],
    ['date.parse', { text: '2026-01-05T09:00:00+02:00' }, '2026-01-05T07:00:00.000Z'],
    ['date.parse', { text: '2026-01-05 09:00', timezone: 'Europe/Berlin' }, '2026-01-05T09:00:00.000+01:00'],
    ['date.parse', { text: 'Mon, 05 Jan 2026 09:00:00 GMT' }, '2026-01-05T09:00:00.000Z'],
    ['date.parse', { text: '5.1.2026', format: 'd.M.yyyy' }, '2026-01-05T00:00:00.000Z'],
    ['date.parse', { text: 0 }, '1970-01-01T00:00:00.000Z'],
    [
      'date.format',
      { date: '2026-01-05T09:00:00Z', format: 'd LLLL yyyy HH:mm', timezone: 'America/New_York' },
      '5 January 2026 04:00',
    ],
    ['date.format', { date: '2026-01-05', format: 'cccc', locale: 'de' }, 'Montag'],
    ['date.add', { date: '2026-01-31', amount: 1, unit: 'month' }, '2026-02-28T00:00:00.000Z'],
    [
      'date.add',
      { date: '2026-03-28T09:00', amount: 1, unit: 'days', timezone: 'Europe/Berlin' },
      '2026-03-29T09:00:00.000+02:00',
    ],
    ['date.add', { date: '2026-01-05', amount: -90, unit: 'minutes' }, '2026-01-04T22:30:00.000Z'],
    [
      'url.parse',
      { url: 'https://ex.test:8443/a%20b?x=1&x=2&y=z#h' },
      {
        href: 'https://ex.test:8443/a%20b?x=1&x=2&y=z#h',
        protocol: 'https',
        origin: 'https://ex.test:8443',
        host: 'ex.test',
        port: 8443,
        path: '/a%20b',
        query: { x: ['1', '2'], y: 'z' },
        hash: 'h',
      },
    ],
    [
      'url.build',
      { host: 'ex.test', path: '/a b', query: { q: 'ä&', l: [1, 2], none: null }, hash: 'x' },
      'https://ex.test/a%20b?q=%C3%A4%26&l=1&l=2#x',
    ],
    ['url.build', { base: 'https://a.test/x?y=1', query: { z: 1 } }, 'https://a.test/x?z=1'],
    ['hash.sha256', { value: 'abc' }, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'schema.validate',
      { value: { a: 'x' }, schema: { properties: { a: { type: 'number' } } } },
      { valid: false, errors: [{ path: '/a', message: '/a must be a number, found text' }] },
    ],
    ['schema.validate', { value: 1, schema: {} }, { valid: true, errors: [] }],
  ];
  for (const [id, args, output] of cases)
    it(`${id} ${JSON.stringify(args).slice(0, 80)}: gives its output`, () => expect(run(id, args)).toEqual(output));

  const failing: [string, Json, RegExp][] = [
    ['identity', {}, /arguments\.value/],
    ['identity', { value: 1, extra: 2 }, /extra/],
    ['identity', null, /arguments/],
    ['transform', { value: 1, expression: 'value.x' }, /value\.x is not there/],
    ['transform', { value: 1, expression: 'process.exit()' }, /nothing called "process"/],
    ['transform', { value: 1, expression: 'secret.pin' }, /secret/],
    ['json.parse', { text: '{"a": 1234 5}' }, /not JSON/],
    ['text.replace', { text: 'a', search: '', replacement: 'b' }, /search/],
    ['text.extract', { text: 'a', pattern: '(' }, /pattern/],
    ['text.extract', { text: 'a', pattern: '(a)\\1' }, /linear time/],
    ['csv.parse', { text: 'a\n1,2' }, /line 2 has 2 values/],
    ['csv.parse', { text: '"a' }, /not closed/],
    ['csv.format', { rows: [1] }, /row 0/],
    ['list.sort', { items: 'abc' }, /must be a list/],
    ['list.chunk', { items: [], size: 0 }, /size/],
    ['list.sum', { items: [{ n: 1 }, { n: 'x' }], by: 'n' }, /item 1 has at "n" text/],
    ['list.max', { items: [1, 'a'] }, /mixed/],
    ['list.unique', { items: [], by: 'a b' }, /not a path/],
    ['table.diff', { before: [{ id: 1 }, { id: 1 }], after: [], key: 'id' }, /same key/],
    ['table.diff', { before: [{}], after: [], key: 'id' }, /lacks the key/],
    ['date.parse', { text: 'soon' }, /not a date/],
    ['date.parse', { text: '2026-01-05', timezone: 'Mars/X' }, /time zone/],
    ['date.add', { date: '2026-01-05', amount: 1, unit: 'moons' }, /unit/],
    ['date.add', { date: '2026-01-05', amount: 1e20, unit: 'years' }, /date/],
    ['url.parse', { url: 'nope' }, /not an address/],
    ['url.build', { host: 'a@b' }, /not a host/],
    ['url.build', {}, /needs/],
    ['schema.validate', { value: 1, schema: { type: 'wat' } }, /cannot be used/],
  ];
  for (const [id, args, message] of failing) {
    it(`${id} ${JSON.stringify(args).slice(0, 80)}: operation_failed with a sentence`, () => {
      const out = String(run(id, args));
      expect(out).toMatch(/^! operation_failed /);
      expect(out).toMatch(message);
      expect(out).not.toContain('1234');
    });
  }

  it('ids that are commands or code: operation_forbidden; unknown ones operation_unknown', () => {
    for (const id of ['rm -rf /', 'a;b', 'a|b', 'a&b', '$x', '`x`', 'a<b', 'a>b', 'eval(1)', 'a\\b', 'a\nb'])
      expect(operationProblem(id)?.code, id).toBe('operation_forbidden');
    for (const id of ['text.reverse', '', 'constructor', '__proto__', 'toString', 'IDENTITY'])
      expect(operationProblem(id)?.code, id).toBe('operation_unknown');
    for (const id of OPERATIONS.keys()) expect(operationProblem(id)).toBeUndefined();
    expect(run('rm -rf /', {})).toMatch(/^! operation_forbidden/);
    expect(run('constructor', {})).toMatch(/^! operation_unknown/);
  });

  it('any rows of texts: csv.parse of csv.format gives the same rows, and no value begins a formula', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('=1+1', "'=x", "''@a", '-5', '+49 1', '\t', '\r', '"', ',', ' a ', '\n', '', "'", '\uFEFF'),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(cell, cell), { maxLength: 5 }),
        fc.constantFrom(',', ';', '\t'),
        fc.boolean(),
        (pairs, delimiter, bom) => {
          const rows = pairs.map(([a, b]) => ({ a, b }));
          const text = run('csv.format', { rows, columns: ['a', 'b'], delimiter, bom }) as string;
          expect(run('csv.parse', { text, delimiter })).toEqual({ columns: ['a', 'b'], rows });
          const raw = run('csv.parse', { text: text.replaceAll("'", '~'), delimiter }) as {
            rows: { a: string; b: string }[];
          };
          for (const value of raw.rows.flatMap((row) => [row.a, row.b]))
            expect(/^[=@]|^[+-][^\d.]/.test(value), value).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('a single column with empty values: csv.parse of csv.format gives the same rows', () => {
    const rows = [{ a: '' }, { a: 'x' }, { a: '' }];
    expect(run('csv.parse', { text: run('csv.format', { rows }) as string })).toEqual({ columns: ['a'], rows });
  });

  it('any arguments to any operation: an output or operation_failed, and the arguments unchanged', () => {
    const names = fc.constantFrom(
      'value',
      'text',
      'items',
      'by',
      'html',
      'date',
      'url',
      'rows',
      'pattern',
      'separator',
      'expression',
      'schema',
      'format',
      'amount',
      'unit',
      'key',
      'before',
      'after',
      'size',
      'host',
      'query',
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...OPERATIONS.keys()),
        fc.dictionary(names, fc.jsonValue(), { maxKeys: 4 }),
        (id, args) => {
          const before = JSON.stringify(args);
          const out = run(id, args as Json);
          if (typeof out === 'string' && out.startsWith('! ')) expect(out).toMatch(/^! operation_failed /);
          expect(JSON.stringify(args)).toBe(before);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('every operation: has a summary, an output and a schema', () => {
    for (const [id, operation] of OPERATIONS) {
      expect(operation.id).toBe(id);
      expect(operation.summary).toMatch(/\.$/);
      expect(operation.output.length).toBeGreaterThan(0);
    }
  });
});
