import { readable } from "./classify.ts";

/** What a server that answers in order still owes, and for how long. */
export class Unanswered {
  #count = 0;
  #patient = 0;
  /** When it gave the last answer, or began to owe one. */
  #since = 0;

  get count(): number {
    return this.#count;
  }

  /** Whether nothing came for so many milliseconds, though an answer is owed that should not take long. */
  isLate(timeout: number): boolean {
    return this.#count > 0 && this.#patient === 0 && performance.now() - this.#since > timeout;
  }

  /** Counts an answer until it is there, and makes its failure readable. */
  track<T>(answer: Promise<T>): Promise<T> {
    if (this.#count++ === 0) this.#since = performance.now();
    return answer.then(this.#answered as (value: T) => T, this.#failed);
  }

  /** The same, for an answer that may take as long as it likes. */
  trackPatiently<T>(answer: Promise<T>): Promise<T> {
    this.#patient += 1;
    return this.track(answer).finally(() => {
      this.#patient -= 1;
    });
  }

  readonly #answered = (value: unknown): unknown => {
    this.#count -= 1;
    this.#since = performance.now();
    return value;
  };

  readonly #failed = (cause: unknown): never => {
    this.#count -= 1;
    this.#since = performance.now();
    throw readable(cause);
  };
}
