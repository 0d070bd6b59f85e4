import { isObject, type Json, type JsonObject } from '../model/json.ts';

/** One line for a JSON value, cut at `max` characters. Texts stand as they are, line breaks as spaces. */
export function previewJson(value: Json | undefined, max = 80): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ') : JSON.stringify(value);
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

/** A value shown as a table: its columns in order of first appearance, and its rows. */
export interface JsonTable {
  columns: string[];
  rows: JsonObject[];
}

const MAX_COLUMNS = 12;

/** A list of flat-enough objects as a table; `undefined` for anything else, or for more than twelve columns. */
export function asTable(value: Json | undefined): JsonTable | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return undefined;
  const rows = value as JsonObject[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return columns.length > 0 && columns.length <= MAX_COLUMNS ? { columns, rows } : undefined;
}

/** A field's key as a label: `fullName` → `Full name`, `due_date` → `Due date`. Keys with other signs stay as they are. */
export function labelOf(key: string): string {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(key)) return key;
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, (_, before: string, next: string) => `${before} ${next.toLowerCase()}`)
    .replace(/[_-]+/g, ' ')
    .trim();
  return words === '' ? key : words.charAt(0).toUpperCase() + words.slice(1);
}
