import { isObject, type Json, type JsonObject, jsonEqual } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { identityKey, reader } from './by.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { anyJson } from './json-schema.ts';

const key = z.union([z.string(), z.array(z.string()).min(1)]);

export const tableDiff = defineOperation({
  id: 'table.diff',
  summary:
    'Compares two tables row by row, by a key column (or several). Tables are lists of objects, or {columns, rows}.',
  args: z.strictObject({ before: anyJson, after: anyJson, key }),
  output: '{added: rows, removed: rows, changed: [{key, before, after, fields: names of what differs}]}',
  work({ before, after, key: by }) {
    const old = index(before, by, 'before');
    const now = index(after, by, 'after');
    const added: Json[] = [];
    const changed: Json[] = [];
    for (const [id, row] of now) {
      const earlier = old.get(id);
      if (!earlier) added.push(row.row);
      else if (!jsonEqual(earlier.row, row.row))
        changed.push({ key: row.key, before: earlier.row, after: row.row, fields: differing(earlier.row, row.row) });
    }
    const removed = [...old].filter(([id]) => !now.has(id)).map(([, { row }]) => row);
    return { added, removed, changed };
  },
});

function index(table: Json, by: string | string[], name: string): Map<string, { key: Json; row: JsonObject }> {
  const rows = isObject(table) ? table.rows : table;
  if (!Array.isArray(rows)) throw new OperationFailure(`"${name}" is neither a list of rows nor {columns, rows}`);
  const readers = (Array.isArray(by) ? by : [by]).map(reader);
  const found = new Map<string, { key: Json; row: JsonObject }>();
  rows.forEach((row, i) => {
    if (!isObject(row)) throw new OperationFailure(`row ${i} of "${name}" is not an object`);
    const values = readers.map((read) => read(row));
    const parts = values.map((value) => {
      if (value === undefined)
        throw new OperationFailure(`row ${i} of "${name}" lacks the key ${Array.isArray(by) ? by.join(', ') : by}`);
      return value;
    });
    const id = identityKey(parts);
    if (found.has(id)) throw new OperationFailure(`row ${i} of "${name}" has the same key as an earlier one`);
    found.set(id, { key: Array.isArray(by) ? parts : (parts[0] as Json), row });
  });
  return found;
}

function differing(before: JsonObject, after: JsonObject): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => {
    const inBoth = Object.hasOwn(before, name) && Object.hasOwn(after, name);
    return !inBoth || !jsonEqual(before[name], after[name]);
  });
}
