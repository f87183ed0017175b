import { withServerMessage } from "./classify.ts";

/** Replies that a server still owes. It sends them in order. */
export class PendingReplies {
  #count = 0;
  #untimedCount = 0;
  #failure: Error | undefined;
  /** Time of the last reply, or of the first pending statement, by `performance.now()`. */
  #waitingSinceMs = 0;

  get count(): number {
    return this.#count;
  }

  /** Returns true if no reply came for `timeoutMs` and none of the pending replies is exempt from the timeout. */
  isOverdue(timeoutMs: number): boolean {
    return this.#count > 0 && this.#untimedCount === 0 && performance.now() - this.#waitingSinceMs > timeoutMs;
  }

  /** Counts a reply as pending until it settles. */
  track<T>(reply: Promise<T>): Promise<T> {
    return this.trackAndMap(reply, (value) => value);
  }

  /** Counts a reply as pending until it settles, and exempts it from the timeout. */
  trackWithoutTimeout<T>(reply: Promise<T>): Promise<T> {
    this.#untimedCount += 1;
    return this.track(reply).finally(() => {
      this.#untimedCount -= 1;
    });
  }

  /** Counts a reply as pending until it settles, and maps its value. */
  trackAndMap<T, R>(reply: Promise<T>, map: (value: T) => R): Promise<R> {
    if (this.#count++ === 0) this.#waitingSinceMs = performance.now();
    return reply.then((value) => {
      this.#countDown();
      return map(value);
    }, this.#rejectReply);
  }

  /** Sets the error with which the pending replies will reject. */
  setFailure(reason: Error): void {
    this.#failure = reason;
  }

  readonly #rejectReply = (cause: unknown): never => {
    this.#countDown();
    throw this.#failure ?? withServerMessage(cause);
  };

  #countDown(): void {
    this.#count -= 1;
    this.#waitingSinceMs = performance.now();
  }
}
