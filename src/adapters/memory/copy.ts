/**
 * A deep copy of plain data: JSON values, `undefined` and byte arrays. Does what `structuredClone` does for these in a tenth of the time,
 * which is most of what a commit to the memory store costs.
 * @throws DataCloneError for what a database could not store either (a function, a class instance of its own kind).
 */
export function copyData<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'function' || typeof value === 'symbol' ? structuredClone(value) : value;
  }
  if (Array.isArray(value)) return value.map(copy);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const part = copy((value as Record<string, unknown>)[key]);
    // Assigned, `__proto__` would change the prototype and lose the value.
    if (key === '__proto__')
      Object.defineProperty(result, key, { value: part, enumerable: true, writable: true, configurable: true });
    else result[key] = part;
  }
  return result;
}
