/** A map that forgets its oldest entry beyond `limit`. For compiled texts: a miss only costs compiling again. */
export class BoundedCache<V> {
  readonly #limit: number;
  readonly #map = new Map<string, V>();
  constructor(limit: number) {
    this.#limit = limit;
  }
  get(key: string): V | undefined {
    const value = this.#map.get(key);
    if (value !== undefined) {
      this.#map.delete(key);
      this.#map.set(key, value);
    }
    return value;
  }
  set(key: string, value: V): V {
    this.#map.set(key, value);
    if (this.#map.size > this.#limit) this.#map.delete(this.#map.keys().next().value as string);
    return value;
  }
}
