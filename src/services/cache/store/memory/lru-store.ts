import type { CacheEntry } from "../contract.ts";

/** Approximate size of an entry besides its text, in bytes: objects and the slot in the map. */
const entryOverheadBytes = 150;

/** Entries by id, limited to an approximate total size. Over the limit, the least recently used entries are evicted. */
export class LruStore {
  readonly #maxBytes: number;
  // Ordered by last use, oldest first.
  readonly #entries = new Map<string, CacheEntry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(id: string): CacheEntry | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry;
  }

  set(id: string, entry: CacheEntry): void {
    this.delete(id);
    this.#entries.set(id, entry);
    this.#bytes += sizeInBytes(id, entry);
    for (const oldestId of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldestId);
    }
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#bytes -= sizeInBytes(id, entry);
  }

  /** Deletes all entries that match a predicate and returns their number. */
  deleteWhere(matches: (id: string, entry: CacheEntry) => boolean): number {
    const matching = [...this.#entries].filter(([id, entry]) => matches(id, entry));
    for (const [id] of matching) this.delete(id);
    return matching.length;
  }
}

const sizeInBytes = (id: string, { value }: CacheEntry): number => 2 * (id.length + value.length) + entryOverheadBytes;
