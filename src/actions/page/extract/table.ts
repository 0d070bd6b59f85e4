import type { JsonObject } from '../../../model/json.ts';
import { elementsIn, flatParent, matches } from '../dom.ts';
import { PageError } from '../env.ts';
import { describe, type Found, findAll, findOne } from '../find/resolve.ts';
import { shownText, textOf, tidy } from '../text.ts';
import { isVisible } from '../visibility.ts';
import { isHeadless, isOnlyHead, type RawCell, type RawRow, toTable, widthOf } from './grid.ts';

const TABLES = 'table, [role="table"], [role="grid"], [role="treegrid"]';
const ROWS = ':scope > tr, :scope > thead > tr, :scope > tbody > tr';
const CELLS = ':scope > td, :scope > th';
const ARIA_CELLS = '[role="cell"], [role="gridcell"], [role="columnheader"], [role="rowheader"], td, th';

/** The table of a page that has one. A table that holds nothing but another one's headers is none of its own. */
export function findTable(): Found {
  const [only, ...others] = findAll({ css: TABLES }).filter((table) => !isOnlyHead(rawRows(table)));
  return only && others.length === 0 ? { element: only, matched: 0 } : findOne({ css: TABLES });
}

/** Rows of the table that an element is, or holds. @throws PageError `element_not_found` while it has none that are visible */
export function readTable(element: Element): { columns: string[]; rows: JsonObject[] } {
  const tables = matches(element, TABLES) ? [element] : [...element.querySelectorAll(TABLES)];
  const table = tables.find((one) => !isOnlyHead(rawRows(one))) ?? tables[0] ?? element;
  const raw = rawRows(table);
  if (raw.length === 0) {
    throw new PageError('element_not_found', `Name a table: ${describe(element)} has no rows that are visible.`, {
      wait: true,
    });
  }
  return toTable(isHeadless(raw) ? [...(headersBefore(table, widthOf(raw)) ?? []), ...raw] : raw);
}

/** How far up from a table its headers are looked for. */
const LEVELS = 5;

/** The rows of a table of headers alone that stands before this one and is as wide: where only the rows scroll, they are two. */
function headersBefore(table: Element, width: number): RawRow[] | undefined {
  let around = flatParent(table);
  for (let level = 0; around && level < LEVELS; level++, around = flatParent(around)) {
    const before = [...around.querySelectorAll(TABLES)].filter(
      (other) => !other.contains(table) && other.compareDocumentPosition(table) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    for (const other of before.reverse()) {
      const rows = rawRows(other);
      if (isOnlyHead(rows) && widthOf(rows) === width) return rows.map((row) => ({ ...row, head: true }));
    }
    // Another table with rows of its own in between: what is further up belongs to that.
    if (before.length > 0) return undefined;
  }
  return undefined;
}

function rawRows(table: Element): RawRow[] {
  if (table instanceof HTMLTableElement) {
    // Rows of `tfoot` are sums and notes about the rows, not rows of their own.
    return [...table.querySelectorAll(ROWS)].filter(isVisible).map((row) => ({
      head: row.parentElement?.localName === 'thead',
      cells: [...row.querySelectorAll(CELLS)].filter(isShownCell).map(rawCell),
    }));
  }
  const rows = [...elementsIn(table)].filter(
    (row) => isRow(row) && closest(row, TABLES_OR_GRIDS, table) === table && isVisible(row),
  );
  return merged(rows).map((parts) => {
    const cells = parts.flatMap((row) =>
      [...elementsIn(row)].filter((cell) => cell.matches(ARIA_CELLS) && rowOf(cell) === row && isShownCell(cell)),
    );
    return { head: parts.every((row) => row.closest('thead') !== null), cells: inOrder(cells).map(rawCell) };
  });
}

/** Tables inside a grid that only lay out its rows are seen through; a grid in a cell is another one. */
const TABLES_OR_GRIDS = '[role="table"], [role="grid"], [role="treegrid"]';

function isRow(element: Element): boolean {
  return element.getAttribute('role') === 'row' || (element.localName === 'tr' && !element.hasAttribute('role'));
}

function closest(element: Element, selector: string, end: Element): Element | null {
  for (let node = flatParent(element); node; node = flatParent(node))
    if (node === end || node.matches(selector)) return node;
  return null;
}

function rowOf(cell: Element): Element | null {
  for (let node = flatParent(cell); node; node = flatParent(node)) if (isRow(node)) return node;
  return null;
}

/** Rows by their number where each has one: a grid with fixed columns draws each row in parts, and in any order. */
function merged(rows: Element[]): Element[][] {
  const numbers = rows.map((row) => Number(row.getAttribute('aria-rowindex') ?? Number.NaN));
  if (numbers.some(Number.isNaN)) return rows.map((row) => [row]);
  const byNumber = new Map<number, Element[]>();
  for (const [index, row] of rows.entries()) {
    const number = numbers[index] as number;
    byNumber.set(number, [...(byNumber.get(number) ?? []), row]);
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([, parts]) => parts);
}

function inOrder(cells: Element[]): Element[] {
  const numbers = new Map(cells.map((cell) => [cell, Number(cell.getAttribute('aria-colindex') ?? Number.NaN)]));
  if ([...numbers.values()].some(Number.isNaN)) return cells;
  return [...cells].sort((a, b) => (numbers.get(a) as number) - (numbers.get(b) as number));
}

function rawCell(cell: Element): RawCell {
  const native = cell instanceof HTMLTableCellElement;
  return {
    text: tidy(shownText(cell) || textOfFields(cell)),
    header:
      cell.getAttribute('role') === 'columnheader' ||
      (cell.localName === 'th' && !cell.hasAttribute('role') && cell.getAttribute('scope') !== 'row'),
    colspan: native ? cell.colSpan : spanOf(cell, 'aria-colspan'),
    rowspan: native ? cell.rowSpan : spanOf(cell, 'aria-rowspan'),
  };
}

function spanOf(cell: Element, name: string): number {
  const span = Number.parseInt(cell.getAttribute(name) ?? '', 10);
  return Number.isNaN(span) ? 1 : span;
}

/** Empty cells have no height of their own in some tables, yet take their place. */
function isShownCell(cell: Element): boolean {
  return getComputedStyle(cell).display !== 'none';
}

/** What the fields in a cell hold, for tables that are forms. */
function textOfFields(cell: Element): string {
  const fields = [...cell.querySelectorAll('input:not([type="password"], [type="hidden"]), select, textarea')];
  return (
    fields.map((field) => (field.matches('[type="checkbox"], [type="radio"]') ? '' : shownText(field))).join(' ') ||
    textOf(cell)
  );
}
