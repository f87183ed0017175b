import { readable } from "./classify.ts";

/** What a server that answers in order still owes, and for how long. */
export class Unanswered {
  #count = 0;
  #patient = 0;
  #reason: Error | undefined;
  /** When the server gave the last answer, or began to owe one. */
  #since = 0;

  get count(): number {
    return this.#count;
  }

  /** Whether nothing came for so many milliseconds, though no answer is owed that may take as long as it likes. */
  isLate(timeout: number): boolean {
    return this.#count > 0 && this.#patient === 0 && performance.now() - this.#since > timeout;
  }

  /** Counts an answer until it is there. */
  track<T>(answer: Promise<T>): Promise<T> {
    return this.read(answer, (value) => value);
  }

  /** The same, for an answer that may take as long as it likes. */
  trackPatiently<T>(answer: Promise<T>): Promise<T> {
    this.#patient += 1;
    return this.track(answer).finally(() => {
      this.#patient -= 1;
    });
  }

  /** Counts an answer until it is there, and gives what is read from it. */
  read<T, R>(answer: Promise<T>, read: (value: T) => R): Promise<R> {
    if (this.#count++ === 0) this.#since = performance.now();
    return answer.then((value) => {
      this.#settle();
      return read(value);
    }, this.#fail);
  }

  /** Why the answers that are owed will not come. */
  giveUp(reason: Error): void {
    this.#reason = reason;
  }

  readonly #fail = (cause: unknown): never => {
    this.#settle();
    throw this.#reason ?? readable(cause);
  };

  #settle(): void {
    this.#count -= 1;
    this.#since = performance.now();
  }
}
