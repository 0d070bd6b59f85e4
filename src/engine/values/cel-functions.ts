import { BoundedCache } from './cache.ts';
import { type CelValue, isContainer, isMap, kindOf, library, make, viaLibrary, wholeNumber } from './cel-values.ts';
import { EvaluationFailure } from './failures.ts';
import { linearRegex } from './regex.ts';

/** Functions worked out here: those on lists and maps, and `matches`. Keyed by name and number of values, the receiver counted. */
const OWN: Record<string, (values: CelValue[]) => CelValue> = {
  'size/1': ([value]) => size(value),
  'dyn/1': ([value]) => value,
  'matches/2': ([text, pattern]) => matches(text, pattern),
  'join/1': ([items]) => join(items, ''),
  'join/2': ([items, separator]) => join(items, separator),
  'type/1': ([value]) => typeOf(value),
  'split/2': (values) => make(viaLibrary('v0.split(v1)', values) as CelValue[]),
  'split/3': (values) => make(viaLibrary('v0.split(v1, v2)', ints(values)) as CelValue[]),
};
const OWN_CALLS = new Set(['size/1', 'dyn/1', 'matches/2', 'type/1']);
const OWN_METHODS = new Set(['size/1', 'matches/2', 'join/1', 'join/2', 'split/2', 'split/3']);

function size(value: CelValue): bigint {
  if (Array.isArray(value)) return BigInt(value.length);
  if (isMap(value)) return BigInt(Object.keys(value).length);
  return viaLibrary('size(v0)', [value]) as bigint;
}

/** Names of types, which stand for themselves in `type(x) == string`. */
export const TYPE_NAMES: ReadonlySet<string> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
]);

function typeOf(value: CelValue): string {
  if (isContainer(value)) return Array.isArray(value) ? 'list' : 'map';
  // The library's own name of it is another one than CEL's.
  if (value === null) return 'null_type';
  return (viaLibrary('type(v0)', [value]) as { name: string }).name;
}

function matches(text: CelValue, pattern: CelValue): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string')
    throw new EvaluationFailure(`matches() compares text with a pattern, not ${kindOf(text)}`);
  try {
    return linearRegex(pattern).test(text);
  } catch (error) {
    throw new EvaluationFailure((error as Error).message);
  }
}

function join(items: CelValue, separator: CelValue): string {
  if (!Array.isArray(items) || typeof separator !== 'string')
    throw new EvaluationFailure('join() is for a list of texts and a text between them');
  return items
    .map((item: CelValue) => {
      if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'bigint') {
        throw new EvaluationFailure(`join() takes texts and numbers, not ${kindOf(item)}`);
      }
      return String(item);
    })
    .join(separator);
}

/** Whole doubles as ints: the library's `substring(int)` does not take JSON's numbers. */
function ints(values: CelValue[]): CelValue[] {
  return values.map((value) => wholeNumber(value) ?? value);
}

function source(name: string, count: number, method: boolean): string {
  const names = Array.from({ length: count }, (_, i) => `v${i}`);
  return method ? `v0.${name}(${names.slice(1).join(', ')})` : `${name}(${names.join(', ')})`;
}

const known = new BoundedCache<boolean>(1000);

/** True when there is such a function. `count` is the number of arguments, the receiver not counted. */
export function functionExists(name: string, count: number, method: boolean): boolean {
  const total = count + (method ? 1 : 0);
  if ((method ? OWN_METHODS : OWN_CALLS).has(`${name}/${total}`)) return true;
  const text = source(name, total, method);
  return known.get(text) ?? known.set(text, library.check(text).valid);
}

/** Calls a function on values; for a method the receiver is the first. @throws EvaluationFailure */
export function callFunction(name: string, values: CelValue[], method: boolean): CelValue {
  const key = `${name}/${values.length}`;
  if ((method ? OWN_METHODS : OWN_CALLS).has(key)) return (OWN[key] as (values: CelValue[]) => CelValue)(values);
  const container = values.find(isContainer);
  if (container !== undefined) throw new EvaluationFailure(`${name}() does not take ${kindOf(container)}`);
  const text = source(name, values.length, method);
  try {
    return viaLibrary(text, values);
  } catch (error) {
    const whole = ints(values);
    if (whole.every((value, i) => value === values[i])) throw error;
    return viaLibrary(text, whole);
  }
}
