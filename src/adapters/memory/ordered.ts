/** Compares as IndexedDB orders keys of one type: numbers by value, strings by code units. */
export function compareKeys(a: number | string, b: number | string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Newest first; rows of the same millisecond by id, downwards, as a reversed IndexedDB index gives them. */
export function newestFirst<T extends { createdAt: number }>(rows: Iterable<T>, id: (row: T) => string): T[] {
  return [...rows].sort((a, b) => compareKeys(b.createdAt, a.createdAt) || compareKeys(id(b), id(a)));
}

/**
 * Rows in order of a number that nearly always grows: appending is O(1), finding O(log n), an insert in the middle O(n).
 * What holds a run's events.
 */
export class OrderedRows<T> {
  readonly #key: (row: T) => number;
  readonly #rows: T[] = [];

  constructor(key: (row: T) => number) {
    this.#key = key;
  }

  has(key: number): boolean {
    const row = this.#rows[this.#indexFrom(key)];
    return row !== undefined && this.#key(row) === key;
  }

  add(row: T): void {
    this.#rows.splice(this.#indexFrom(this.#key(row)), 0, row);
  }

  /** Rows whose key is greater than `after`. */
  after(after: number): T[] {
    let index = this.#indexFrom(after);
    const row = this.#rows[index];
    if (row !== undefined && this.#key(row) === after) index += 1;
    return this.#rows.slice(index);
  }

  /** Index of the first row whose key is not below `key`. */
  #indexFrom(key: number): number {
    const last = this.#rows.at(-1);
    if (last === undefined || this.#key(last) < key) return this.#rows.length;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#key(this.#rows[middle] as T) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
