import { child, parseRelativePath } from '../engine/values/path.ts';
import { canonicalJson } from '../model/canonical.ts';
import { type Json, typeName } from '../model/json.ts';
import { OperationFailure } from './define.ts';

/** Reads the part of an item that `by` names (`price`, `a.b[0]`; left out: the item itself). `undefined` where an item has no such part. */
export function reader(by: string | undefined): (item: Json) => Json | undefined {
  if (by === undefined) return (item) => item;
  const path = parseRelativePath(by);
  if (!path) throw new OperationFailure(`"${by}" is not a path such as price or a.b[0]`);
  return (item) => path.reduce<Json | undefined>((at, part) => child(at, part), item);
}

const RANK: Record<string, number> = { null: 0, boolean: 1, number: 2, text: 3, list: 4, object: 5, nothing: 6 };
const collator = new Intl.Collator('en');

/** Order of any two values: null, booleans, numbers, texts (alphabetical, English), lists, objects; what is missing comes last. */
export function compareJson(a: Json | undefined, b: Json | undefined): number {
  const rank = (RANK[typeName(a)] as number) - (RANK[typeName(b)] as number);
  if (rank !== 0 || a === undefined || b === undefined) return rank;
  if (typeof a === 'string' && typeof b === 'string') return collator.compare(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  const x = canonicalJson(a);
  const y = canonicalJson(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** A text that is the same for equal values only; nothing there has its own. */
export function identityKey(value: Json | undefined): string {
  return value === undefined ? 'nothing' : canonicalJson(value);
}

/** The numbers that `by` names in a list. @throws OperationFailure at the first that is none */
export function numbersOf(items: Json[], by: string | undefined): number[] {
  const read = reader(by);
  return items.map((item, i) => {
    const value = read(item);
    if (typeof value !== 'number')
      throw new OperationFailure(
        `item ${i}${by === undefined ? '' : ` has at "${by}"`} ${by === undefined ? 'is' : ''} ${typeName(value)}, not a number`.replace(
          '  ',
          ' ',
        ),
      );
    return value;
  });
}
