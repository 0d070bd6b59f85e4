import { Environment } from '@marcbachmann/cel-js';
import { isObject, type Json, type JsonObject, typeName } from '../../model/json.ts';
import { EvaluationFailure } from './failures.ts';

/**
 * A value while an expression is worked out: JSON, `bigint` for CEL's int (literals, sizes), and the library's own classes for
 * timestamps, durations, bytes and types. JSON numbers are doubles.
 */
export type CelValue = unknown;

const MAX_INT = 9223372036854775807n;
const MIN_INT = -9223372036854775808n;
const MAX_TEXT = 8 * 1024 * 1024;
const MAX_ITEMS = 1_000_000;

/** Lists and maps that expressions have made, as against those that came from outside, which are JSON already. */
const made = new WeakSet<object>();

/** Marks a list or map as made by an expression. */
export function make<T extends object>(container: T): T {
  made.add(container);
  return container;
}

/** The library's environment. Only its parser and its functions on simple values are used; operators are ours (see `binary`). */
export const library = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 4000, maxDepth: 100 },
});

/** True for lists and maps; everything the library makes (timestamps, bytes) is not one. */
export function isContainer(value: CelValue): boolean {
  return Array.isArray(value) || isMap(value);
}

/** True for maps. Looks at the prototype: an own key may be called `constructor`. */
export function isMap(value: CelValue): value is JsonObject {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The word for a value's type in messages. */
export function kindOf(value: CelValue): string {
  if (typeof value === 'bigint') return 'number';
  if (value instanceof Date) return 'timestamp';
  if (value instanceof Uint8Array) return 'bytes';
  if (typeof value === 'object' && value !== null && !isContainer(value)) return 'special value';
  return typeName(value as Json);
}

/** A whole number as `bigint`, or `undefined` (whole doubles count: JSON has no ints). */
export function wholeNumber(value: CelValue): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

function isNumeric(value: CelValue): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Calls the library on simple values, by a small program that is compiled once. @throws EvaluationFailure with its sentence */
export function viaLibrary(source: string, values: CelValue[]): CelValue {
  let program = programs.get(source);
  if (!program) {
    program = library.parse(source);
    programs.set(source, program);
  }
  const context: Record<string, CelValue> = {};
  for (let i = 0; i < values.length; i += 1) context[`v${i}`] = values[i];
  try {
    return program(context) as CelValue;
  } catch (error) {
    throw new EvaluationFailure(summary(error));
  }
}
const programs = new Map<string, ReturnType<Environment['parse']>>();

/** The library's sentence without its drawing of the source. */
export function summary(error: unknown): string {
  const { summary: said, message } = error as Error & { summary?: string };
  return (said ?? message).replace(/\n[\s\S]*/, '').trim();
}

/** Deep, typed equality: 1 == 1.0, "1" != 1; own keys only, their order does not count. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (a === b) return true;
  // biome-ignore lint/suspicious/noDoubleEquals: int and double compare by value, as CEL does
  if (isNumeric(a) && isNumeric(b)) return a == b;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i]));
  }
  if (isMap(a) && isMap(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
  }
  if (isMap(a) || isMap(b)) return false;
  try {
    return viaLibrary('v0 == v1', [a, b]) === true;
  } catch {
    return false;
  }
}

/** `a in b`: member of a list, or own key of a map. */
export function contained(a: CelValue, b: CelValue): boolean {
  if (Array.isArray(b)) return b.some((item) => equal(a, item));
  if (isMap(b)) return typeof a === 'string' && a !== '__proto__' && Object.hasOwn(b, a);
  throw new EvaluationFailure(
    `"in" looks into a list or an object, not ${kindOf(b)}${typeof b === 'string' ? '; use .contains()' : ''}`,
  );
}

function wrong(a: CelValue, op: string, b: CelValue): EvaluationFailure {
  return new EvaluationFailure(`${kindOf(a)} ${op} ${kindOf(b)} has no meaning`);
}

/** Arithmetic and order. Ints stay ints among themselves; with a double everything is a double. @throws EvaluationFailure */
export function binary(op: string, a: CelValue, b: CelValue): CelValue {
  if (op === '<' || op === '<=' || op === '>' || op === '>=') return ordered(op, a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return intArithmetic(op, a, b);
  if (isNumeric(a) && isNumeric(b)) return doubleArithmetic(op, a, b);
  if (op === '+') {
    const textual =
      (typeof a === 'string' && (typeof b === 'string' || isNumeric(b))) || (typeof b === 'string' && isNumeric(a));
    if (textual) {
      const text = `${a as string | number | bigint}${b as string | number | bigint}`;
      if (text.length > MAX_TEXT) throw new EvaluationFailure('the text grows beyond 8 million characters');
      return text;
    }
    if (Array.isArray(a) && Array.isArray(b)) {
      if (a.length + b.length > MAX_ITEMS) throw new EvaluationFailure('the list grows beyond a million items');
      return make([...(a as CelValue[]), ...(b as CelValue[])]);
    }
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object' || isContainer(a) || isContainer(b))
    throw wrong(a, op, b);
  return viaLibrary(`v0 ${op} v1`, [a, b]);
}

function intArithmetic(op: string, a: bigint, b: bigint): bigint {
  if (b === 0n && (op === '/' || op === '%')) throw new EvaluationFailure('it divides by zero');
  const result = op === '+' ? a + b : op === '-' ? a - b : op === '*' ? a * b : op === '/' ? a / b : a % b;
  if (result > MAX_INT || result < MIN_INT) throw new EvaluationFailure('the whole number is too large');
  return result;
}

function doubleArithmetic(op: string, left: number | bigint, right: number | bigint): number {
  const a = Number(left);
  const b = Number(right);
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      if (!Number.isInteger(a) || !Number.isInteger(b))
        throw new EvaluationFailure(`% takes whole numbers, not ${a} % ${b}`);
      if (b === 0) throw new EvaluationFailure('it divides by zero');
      return a % b;
  }
}

function ordered(op: string, a: CelValue, b: CelValue): boolean {
  const alike =
    (isNumeric(a) && isNumeric(b)) ||
    (typeof a === 'string' && typeof b === 'string') ||
    (typeof a === 'boolean' && typeof b === 'boolean');
  if (alike) {
    const x = a as number;
    const y = b as number;
    return op === '<' ? x < y : op === '<=' ? x <= y : op === '>' ? x > y : x >= y;
  }
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object' || isContainer(a) || isContainer(b))
    throw wrong(a, op, b);
  return viaLibrary(`v0 ${op} v1`, [a, b]) === true;
}

/**
 * JSON of a result: ints become numbers, timestamps ISO 8601 text, durations text in seconds (`90s`).
 * @throws EvaluationFailure for what JSON cannot hold
 */
export function toJson(value: CelValue): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return Number(value);
    case 'number':
      if (!Number.isFinite(value))
        throw new EvaluationFailure(
          Number.isNaN(value) ? 'the result is not a number' : 'the result is infinite (a division by zero?)',
        );
      return value;
    default:
  }
  if (value === null) return null;
  if (Array.isArray(value)) return made.has(value) ? value.map(toJson) : (value as Json[]);
  if (isMap(value)) {
    if (!made.has(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  }
  return foreignToJson(value as object);
}

/** Of the library's own classes: timestamps, bytes, durations, and what is left, unsigned numbers. */
function foreignToJson(value: object): Json {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) throw new EvaluationFailure('the result is bytes; use .base64() or .string()');
  if ('seconds' in value && 'nanos' in value && typeof value.seconds === 'bigint') {
    return `${Number(value.seconds) + Number(value.nanos) / 1e9}s`;
  }
  return Number(value);
}
