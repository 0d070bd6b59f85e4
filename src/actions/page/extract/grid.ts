/** One cell as the page writes it. Pure: the DOM is read elsewhere, so this is tested under Node. */
export interface RawCell {
  text: string;
  header: boolean;
  colspan: number;
  /** 0 means to the end of its group of rows. */
  rowspan: number;
}

export interface RawRow {
  cells: RawCell[];
  /** In a `thead`. */
  head: boolean;
}

export interface Table {
  columns: string[];
  rows: Record<string, string>[];
}

const MOST_COLUMNS = 1000;

/**
 * A table as rows of named values. Spans are filled: each place that a cell covers holds its text. Headers of several rows are joined
 * by a space, a repeated part once. Columns without a header are `column 3`; a name that is taken gets a number (`Name 2`).
 */
export function toTable(raw: RawRow[]): Table {
  const grid = spread(raw);
  const heads = headerRows(raw);
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = uniqueNames(Array.from({ length: width }, (_, column) => headerOf(grid, heads, column)));
  const rows = grid
    .slice(heads)
    .map((cells) => Object.fromEntries(columns.map((name, i) => [name, cells[i]?.text ?? ''])));
  return { columns, rows };
}

/** How many rows at the top are headers: those of `thead`, else the leading rows made of header cells only. */
function headerRows(raw: RawRow[]): number {
  const inHead = raw.findIndex((row) => !row.head);
  if (inHead !== 0 && raw.length > 0) return inHead === -1 ? raw.length : inHead;
  const first = raw.findIndex((row) => row.cells.some((cell) => !cell.header));
  return first === -1 ? Math.min(1, raw.length) : first;
}

/** Whether a table has headers and nothing else: those of another one, as where only the rows are scrolled. */
export function isOnlyHead(raw: RawRow[]): boolean {
  return (
    raw.length > 0 && raw.every((row) => row.head || (row.cells.length > 0 && row.cells.every((cell) => cell.header)))
  );
}

/** Whether a table has rows and no header. */
export function isHeadless(raw: RawRow[]): boolean {
  return raw.length > 0 && headerRows(raw) === 0;
}

/** How many columns a table has. */
export function widthOf(raw: RawRow[]): number {
  return spread(raw).reduce((most, row) => Math.max(most, row.length), 0);
}

function spread(raw: RawRow[]): RawCell[][] {
  const grid: RawCell[][] = raw.map(() => []);
  // Where the group of rows ends that each row is in; one that a long table would be searched for again and again.
  const ends: number[] = new Array(raw.length);
  for (let y = raw.length - 1; y >= 0; y--)
    ends[y] = raw[y + 1]?.head === raw[y]?.head ? (ends[y + 1] as number) : y + 1;
  for (const [y, row] of raw.entries()) {
    let x = 0;
    for (const cell of row.cells) {
      while (grid[y]?.[x]) x += 1;
      if (x >= MOST_COLUMNS) break;
      const most = (ends[y] as number) - y;
      const height = cell.rowspan === 0 ? most : Math.min(Math.max(cell.rowspan, 1), most);
      const wide = Math.min(Math.max(cell.colspan, 1), MOST_COLUMNS - x);
      for (let dy = 0; dy < height; dy++)
        for (let dx = 0; dx < wide; dx++) (grid[y + dy] as RawCell[])[x + dx] ??= cell;
      x += wide;
    }
  }
  return grid;
}

function headerOf(grid: RawCell[][], heads: number, column: number): string {
  const parts: string[] = [];
  for (const row of grid.slice(0, heads)) {
    const text = row[column]?.text ?? '';
    if (text !== '' && parts.at(-1) !== text) parts.push(text);
  }
  return parts.join(' ') || `column ${column + 1}`;
}

function uniqueNames(names: string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name === '__proto__' ? 'column __proto__' : name;
    for (let n = 2; used.has(unique); n++) unique = `${name} ${n}`;
    used.add(unique);
    return unique;
  });
}
