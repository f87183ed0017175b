/**
 * Map with a maximum number of entries. When a new key exceeds it, the entry whose last `set` is longest ago is evicted.
 * `get` does not change the order.
 */
export class BoundedMap<Key, Value> {
  readonly #maxEntries: number;
  // A Map iterates in insertion order. `set` deletes a key first, which makes it the order of the last `set`.
  readonly #entries = new Map<Key, Value>();

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (!this.#entries.delete(key) && this.#entries.size >= this.#maxEntries) this.#deleteOldest();
    this.#entries.set(key, value);
  }

  /** Returns the value of a key, which is made if there is none. It counts as a `set`. */
  getOrInsertComputed(key: Key, make: (key: Key) => Value): Value {
    const value = this.#entries.has(key) ? (this.#entries.get(key) as Value) : make(key);
    this.set(key, value);
    return value;
  }

  /** Deletes an entry. Returns true if there was one. */
  delete(key: Key): boolean {
    return this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #deleteOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}
