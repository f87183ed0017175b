import type { MemoryInstance } from "./memory-instance.ts";

/** Pending instances in the order in which they begin: by time, and by their place among those of one time. */
export class Line {
  readonly #waiting: MemoryInstance[] = [];

  [Symbol.iterator](): Iterator<MemoryInstance> {
    return this.#waiting[Symbol.iterator]();
  }

  add(instance: MemoryInstance): void {
    // Most come last: they are looked for from the end.
    let index = this.#waiting.length;
    while (index > 0 && this.#isBehind(index - 1, instance)) index -= 1;
    this.#waiting.splice(index, 0, instance);
  }

  remove(instance: MemoryInstance): void {
    const index = this.#waiting.indexOf(instance);
    if (index !== -1) this.#waiting.splice(index, 1);
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  #isBehind(index: number, { next_run_at, place }: MemoryInstance): boolean {
    const other = this.#waiting[index];
    if (other === undefined) return false;
    const [own, others] = [next_run_at.getTime(), other.next_run_at.getTime()];
    return others > own || (others === own && other.place > place);
  }
}
