import Papa from 'papaparse';
import { asText } from '../engine/values/template.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isObject } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { jsonList } from './json-schema.ts';

/**
 * Spreadsheets run what begins with `=`, `+`, `-`, `@`, tab or return. Such a text gets an apostrophe before it (one more, where it begins
 * with apostrophes and one of those), and `csv.parse` takes one away again, so that the rows are the same. Plain numbers are left alone.
 */
const RISKY = /^'*[=+\-@\t\r]/;
const GUARDED = /^'+[=+\-@\t\r]/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

function guard(text: string): string {
  return RISKY.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

function unguard(text: string): string {
  return GUARDED.test(text) ? text.slice(1) : text;
}

const delimiter = z
  .string()
  .length(1, 'must be one character')
  .refine((char) => char !== '"' && char !== '\n' && char !== '\r', 'must not be a quote or a line break');

export const csvParse = defineOperation({
  id: 'csv.parse',
  summary:
    'Reads CSV; with `header` (default) each row is an object with the names of the first line. Values stay texts.',
  args: z.strictObject({ text: z.string(), delimiter: delimiter.optional(), header: z.boolean().default(true) }),
  output: '{columns, rows}',
  work({ text, delimiter: char, header }) {
    const plain = text.replace(/^\uFEFF/, '');
    const parsed = Papa.parse<string[]>(plain, { delimiter: char ?? ',', skipEmptyLines: false });
    const quotes = parsed.errors.find((error) => error.type === 'Quotes');
    if (quotes) throw new OperationFailure(`a quote in line ${(quotes.row ?? 0) + 1} is not closed`);
    const lines = parsed.data.map((line) => line.map(unguard));
    // A final line break ends the last row, it does not begin another.
    const last = lines.at(-1);
    if (last?.length === 1 && last[0] === '' && !plain.endsWith('""')) lines.pop();
    if (!header) return { columns: [], rows: lines };
    const columns = distinct(lines.shift() ?? []);
    return { columns, rows: lines.map((line, i) => toRow(columns, line, i + 2)) };
  },
});

/** Names made distinct: the second `a` is `a_2`. */
function distinct(names: string[]): string[] {
  const seen = new Set<string>();
  return names.map((name, i) => {
    const base = name === '' ? `column_${i + 1}` : name;
    let own = base;
    for (let n = 2; seen.has(own); n += 1) own = `${base}_${n}`;
    seen.add(own);
    return own;
  });
}

function toRow(columns: string[], line: string[], number: number): JsonObject {
  if (line.length > columns.length)
    throw new OperationFailure(`line ${number} has ${line.length} values for ${columns.length} columns`);
  return Object.fromEntries(columns.map((name, i): [string, Json] => [name, line[i] ?? '']));
}

export const csvFormat = defineOperation({
  id: 'csv.format',
  summary:
    'Writes rows (objects or lists) as CSV that no spreadsheet takes for formulas; `bom` adds a byte order mark.',
  args: z.strictObject({
    rows: jsonList,
    columns: z.array(z.string()).optional(),
    delimiter: delimiter.default(','),
    bom: z.boolean().default(false),
  }),
  output: 'text, lines ended by CR LF',
  work({ rows, columns, delimiter: char, bom }) {
    const names = columns ?? columnsOf(rows);
    const lines = rows.map((row, i) => toLine(row, names, i));
    const all = names.length > 0 ? [names, ...lines] : lines;
    const text = all
      .map((line) => line.map((value) => quoted(guard(value), char, line.length === 1)).join(char))
      .join('\r\n');
    return `${bom ? '\uFEFF' : ''}${text}`;
  },
});

/** Names of all keys of the rows that are objects, in the order in which they first appear. */
function columnsOf(rows: Json[]): string[] {
  const names = new Set<string>();
  for (const row of rows) if (isObject(row)) for (const key of Object.keys(row)) names.add(key);
  return [...names];
}

function toLine(row: Json, columns: string[], index: number): string[] {
  if (Array.isArray(row)) return row.map(asText);
  if (!isObject(row)) throw new OperationFailure(`row ${index} is neither an object nor a list`);
  return columns.map((name) => (Object.hasOwn(row, name) ? asText(row[name] as Json) : ''));
}

function quoted(text: string, char: string, alone: boolean): string {
  const needs = text.includes(char) || /["\r\n]/.test(text) || /^\s|\s$/.test(text) || (alone && text === '');
  return needs ? `"${text.replaceAll('"', '""')}"` : text;
}
