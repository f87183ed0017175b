import type { Entry } from "./contract.ts";

/** What an entry takes beside its texts, about: objects, and its place in the map. */
const overhead = 150;

/** Entries by id that together take at most so many bytes, about; then those go that were used least recently. */
export class Shelf {
  readonly #maxBytes: number;
  // In the order of their last use.
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(id: string): Entry | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry;
  }

  set(id: string, entry: Entry): void {
    this.delete(id);
    this.#entries.set(id, entry);
    this.#bytes += bytesOf(id, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#bytes -= bytesOf(id, entry);
  }

  /** Removes all entries of which it holds, and tells how many. */
  deleteWhere(matches: (id: string, entry: Entry) => boolean): number {
    const found = [...this.#entries].filter(([id, entry]) => matches(id, entry));
    for (const [id] of found) this.delete(id);
    return found.length;
  }
}

const bytesOf = (id: string, { value }: Entry): number => 2 * (id.length + value.length) + overhead;
