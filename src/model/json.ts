/** A JSON value: what step inputs and outputs are made of. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** True for a plain JSON object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Only own properties are visible to workflows (SPEC §2): an inherited `constructor` is not there. */
export function own(value: unknown, key: string): Json | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  return Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
}

/** Deep equality of two JSON values; the order of keys does not count. `"1"` is not `1`. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a === undefined || b === undefined) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => jsonEqual(item, b[i]));
  }
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}

/** The type word used in messages: `null`, `boolean`, `number`, `text`, `list` or `object`. */
export function typeName(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  return typeof value;
}

/**
 * The same value with every lone surrogate replaced by U+FFFD and every `undefined` member left out. Text from pages, or text that was cut,
 * can hold lone surrogates, which canonical JSON (RFC 8785) refuses.
 */
export function wellFormed(value: unknown): Json {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value as Json;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    // Data may own a key of that name; assigning it would set the prototype instead.
    if (key === '__proto__')
      Object.defineProperty(copy, key, {
        value: wellFormed(member),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    else copy[key.toWellFormed()] = wellFormed(member);
  }
  return copy;
}

/**
 * JSON values inside others up to which a value from outside is taken. Comparing, hashing and checking it goes down level by level, and a
 * few thousand levels are more than any runtime's stack holds.
 */
export const MAX_DEPTH = 500;

/** Whether a value has more levels than that. Does not go down by calling itself. */
export function isTooDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
