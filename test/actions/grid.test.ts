import { describe, expect, it } from 'vitest';
import { isHeadless, isOnlyHead, type RawRow, toTable, widthOf } from '../../src/actions/page/extract/grid.ts';

type Cell = string | [text: string, colspan: number, rowspan?: number];

function row(cells: Cell[], kind: 'head' | 'headers' | 'body' = 'body'): RawRow {
  return {
    head: kind === 'head',
    cells: cells.map((cell) => {
      const [text, colspan = 1, rowspan = 1] = typeof cell === 'string' ? [cell] : cell;
      return { text, header: kind !== 'body', colspan, rowspan };
    }),
  };
}

describe('a table as rows of named values', () => {
  it('headers of several rows: joined by a space, a repeated part once', () => {
    const table = toTable([
      row(
        [
          ['Name', 1, 2],
          ['Sum', 2],
        ],
        'head',
      ),
      row(['net', 'gross'], 'head'),
      row(['a', '1', '2']),
    ]);
    expect(table).toEqual({
      columns: ['Name', 'Sum net', 'Sum gross'],
      rows: [{ Name: 'a', 'Sum net': '1', 'Sum gross': '2' }],
    });
  });

  it('spans: every place that a cell covers holds its text', () => {
    const { rows } = toTable([
      row(['A', 'B', 'C'], 'head'),
      row([
        ['x', 1, 2],
        ['wide', 2],
      ]),
      row(['1', '2']),
    ]);
    expect(rows).toEqual([
      { A: 'x', B: 'wide', C: 'wide' },
      { A: 'x', B: '1', C: '2' },
    ]);
  });

  it('a span to the end of its group does not leave the header', () => {
    const { rows } = toTable([row([['A', 1, 0], 'B'], 'head'), row([['x', 1, 0], '1']), row(['2'])]);
    expect(rows).toEqual([
      { A: 'x', B: '1' },
      { A: 'x', B: '2' },
    ]);
  });

  it('no thead: leading rows of header cells are the header', () => {
    expect(toTable([row(['A', 'B'], 'headers'), row(['1', '2'])])).toEqual({
      columns: ['A', 'B'],
      rows: [{ A: '1', B: '2' }],
    });
  });

  it('no header at all: columns are numbered and no row is lost', () => {
    expect(toTable([row(['1', '2']), row(['3'])])).toEqual({
      columns: ['column 1', 'column 2'],
      rows: [
        { 'column 1': '1', 'column 2': '2' },
        { 'column 1': '3', 'column 2': '' },
      ],
    });
  });

  it('names that are there twice or empty: each column has its own', () => {
    const { columns } = toTable([row(['A', '', 'A', '__proto__'], 'head'), row(['1', '2', '3', '4'])]);
    expect(columns).toEqual(['A', 'column 2', 'A 2', 'column __proto__']);
  });

  it('headers alone, rows alone, and how wide', () => {
    const heads = [row(['A', ['B', 2]], 'headers')];
    const rows = [row(['1', '2', '3'])];
    expect([isOnlyHead(heads), isOnlyHead(rows), isOnlyHead([])]).toEqual([true, false, false]);
    expect([isHeadless(heads), isHeadless(rows)]).toEqual([false, true]);
    expect([widthOf(heads), widthOf(rows)]).toEqual([3, 3]);
  });

  it('a long table takes no longer for each row', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => row([`${i}`, 'x', 'y', 'z']));
    expect(toTable([row(['A', 'B', 'C', 'D'], 'head'), ...many]).rows).toHaveLength(20_000);
  });

  it('a colspan that no page needs: bounded', () => {
    expect(toTable([row(['A'], 'head'), row([['x', 1_000_000]])]).columns).toHaveLength(1000);
  });
});
