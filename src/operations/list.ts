import { type Json, typeName } from '../model/json.ts';
import { z } from '../model/zod.ts';
import { compareJson, identityKey, numbersOf, reader } from './by.ts';
import { defineOperation, OperationFailure } from './define.ts';
import { jsonList } from './json-schema.ts';

const itemsBy = z.strictObject({ items: jsonList, by: z.string().optional() });

export const listSort = defineOperation({
  id: 'list.sort',
  summary:
    'Sorts a list, by a part of its items (or several) or by the items; equal ones keep their order, those without that part come last.',
  args: z.strictObject({
    items: jsonList,
    by: z.union([z.string(), z.array(z.string())]).optional(),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  output: 'list',
  work({ items, by, order }) {
    const readers = (Array.isArray(by) ? by : [by]).map(reader);
    const sign = order === 'desc' ? -1 : 1;
    const keyed = items.map((item) => ({ item, keys: readers.map((read) => read(item)) }));
    keyed.sort((a, b) => {
      for (let i = 0; i < readers.length; i += 1) {
        const x = a.keys[i];
        const y = b.keys[i];
        const order = compareJson(x, y);
        if (order !== 0) return x === undefined || y === undefined ? order : sign * order;
      }
      return 0;
    });
    return keyed.map(({ item }) => item);
  },
});

export const listUnique = defineOperation({
  id: 'list.unique',
  summary: 'Keeps the first of items that are equal, or equal in the part that `by` names.',
  args: itemsBy,
  output: 'list',
  work({ items, by }) {
    const read = reader(by);
    const seen = new Set<string>();
    return items.filter((item) => {
      const key = identityKey(read(item));
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
  },
});

export const listGroup = defineOperation({
  id: 'list.group',
  summary: 'Puts items with an equal part together, groups in the order in which they first appear.',
  args: z.strictObject({ items: jsonList, by: z.string() }),
  output: 'list of {key, items}; key is null where an item has no such part',
  work({ items, by }) {
    const read = reader(by);
    const groups = new Map<string, { key: Json; items: Json[] }>();
    for (const item of items) {
      const key = read(item);
      const id = identityKey(key ?? null);
      const group = groups.get(id);
      if (group) group.items.push(item);
      else groups.set(id, { key: key ?? null, items: [item] });
    }
    return [...groups.values()].map(({ key, items: members }) => ({ key, items: members }));
  },
});

export const listChunk = defineOperation({
  id: 'list.chunk',
  summary: 'Cuts a list into lists of a given size; the last may be shorter.',
  args: z.strictObject({ items: jsonList, size: z.number().int().min(1) }),
  output: 'list of lists',
  work({ items, size }) {
    const chunks: Json[] = [];
    for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
    return chunks;
  },
});

export const listFlatten = defineOperation({
  id: 'list.flatten',
  summary: 'Takes lists inside a list apart, as many levels deep as `depth` (1) says.',
  args: z.strictObject({ items: jsonList, depth: z.number().int().min(0).max(100).default(1) }),
  output: 'list',
  work: ({ items, depth }) => flatten(items, depth),
});

function flatten(items: Json[], depth: number): Json[] {
  return depth === 0 ? [...items] : items.flatMap((item) => (Array.isArray(item) ? flatten(item, depth - 1) : [item]));
}

export const listSum = defineOperation({
  id: 'list.sum',
  summary: 'Adds numbers up; 0 for an empty list.',
  args: itemsBy,
  output: 'number',
  work: ({ items, by }) => finite(numbersOf(items, by).reduce((sum, value) => sum + value, 0)),
});

export const listAverage = defineOperation({
  id: 'list.average',
  summary: 'Mean of numbers; null for an empty list.',
  args: itemsBy,
  output: 'number or null',
  work({ items, by }) {
    const numbers = numbersOf(items, by);
    return numbers.length === 0 ? null : finite(numbers.reduce((sum, value) => sum + value, 0) / numbers.length);
  },
});

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new OperationFailure('the result is too large for a number');
  return value;
}

/** Smallest (sign 1) or largest (-1) of values that are all numbers or all texts. */
function extreme(items: Json[], by: string | undefined, sign: 1 | -1): Json {
  const read = reader(by);
  let best: Json | undefined;
  items.forEach((item, i) => {
    const value = read(item);
    if (typeof value !== 'number' && typeof value !== 'string')
      throw new OperationFailure(`item ${i} has ${typeName(value)} where a number or text is due`);
    if (best !== undefined && typeof best !== typeof value) throw new OperationFailure('numbers and texts are mixed');
    if (best === undefined || sign * compareJson(value, best) < 0) best = value;
  });
  return best ?? null;
}

export const listMin = defineOperation({
  id: 'list.min',
  summary: 'Smallest number, or first text in order; null for an empty list.',
  args: itemsBy,
  output: 'number, text or null',
  work: ({ items, by }) => extreme(items, by, 1),
});

export const listMax = defineOperation({
  id: 'list.max',
  summary: 'Largest number, or last text in order; null for an empty list.',
  args: itemsBy,
  output: 'number, text or null',
  work: ({ items, by }) => extreme(items, by, -1),
});
