import { isObject, type Json, type JsonObject, jsonEqual } from '../model/json.ts';

/** One changed place of a JSON value. `before` or `after` is absent where the place was added or removed. */
export interface Change {
  /** Readable place: `lines 3 › amount`. Steps in order: keys, and row numbers from 1. */
  place: (string | number)[];
  before?: Json;
  after?: Json;
}

/** Changed places of two JSON values, deepest that say it plainly. Lists are compared by the rows they share, so a removed row is one change. */
export function valueDiff(
  before: Json | undefined,
  after: Json | undefined,
  place: (string | number)[] = [],
): Change[] {
  if (jsonEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
      valueDiff(own(before, key), own(after, key), [...place, key]),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) return listDiff(before, after, place);
  return [{ place, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
}

const own = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Equal rows at both ends are matched; in between, rows equal to a later one count as removals before it, the rest are compared in pairs. */
function listDiff(before: Json[], after: Json[], place: (string | number)[]): Change[] {
  const changes: Change[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length) {
      if (jsonEqual(before[i], after[j])) {
        i += 1;
        j += 1;
        continue;
      }
      const rowsLeft = before.length - i - (after.length - j);
      const again = before.findIndex((row, at) => at > i && jsonEqual(row, after[j]));
      if (again > i && rowsLeft > 0 && again - i <= rowsLeft) {
        for (; i < again; i += 1) changes.push({ place: [...place, i + 1], before: before[i] as Json });
        continue;
      }
      changes.push(...valueDiff(before[i], after[j], [...place, i + 1]));
      i += 1;
      j += 1;
    } else if (i < before.length) {
      changes.push({ place: [...place, i + 1], before: before[i] as Json });
      i += 1;
    } else {
      changes.push({ place: [...place, j + 1], after: after[j] as Json });
      j += 1;
    }
  }
  return changes;
}

/** Top-level keys of `after` that differ from `before`: the edits that an approval takes (they are merged at the top level). */
export function topLevelEdits(before: JsonObject, after: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => !jsonEqual(own(before, key), value)));
}
