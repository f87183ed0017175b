import { isError } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { withServerMessage } from "./classify.ts";

/** Order in which statements are sent on a connection: immediately, or after a running operation that blocks them. */
export class SendOrder {
  #predecessor: Promise<unknown> | undefined;
  #barrier: Promise<unknown> | undefined;

  /** True if statements can be sent immediately. */
  get isUnblocked(): boolean {
    return this.#predecessor === undefined && this.#barrier === undefined;
  }

  /** Sends immediately, or after the blocking operation. */
  send<T>(send: () => Promise<T>): Promise<T> {
    const blocker = this.#barrier === undefined ? this.#predecessor : Promise.all([this.#barrier, this.#predecessor]);
    return blocker === undefined ? send() : blocker.then(send);
  }

  /**
   * Blocks later statements until `operation` settles.
   *
   * If it fails and `failsFollowing` returns true, they all fail until `reset`.
   */
  blockUntil(operation: Promise<unknown>, failsFollowing: () => boolean): void {
    const waitForOperation = async (): Promise<void> => {
      try {
        await operation;
      } catch (cause) {
        if (isError(cause, "E_DATABASE_TRANSACTION_ABORTED")) throw cause;
        if (failsFollowing()) throw errors.E_DATABASE_TRANSACTION_ABORTED(cause).causedBy(cause);
      }
      if (this.#predecessor === predecessor) this.#predecessor = undefined;
    };
    const predecessor = waitForOperation();
    predecessor.catch(() => {});
    this.#predecessor = predecessor;
  }

  /** Removes the blocking operation and its failure. */
  reset(): void {
    this.#predecessor = undefined;
  }

  /** Blocks later statements until `operation` settles, with or without an error. `reset` does not remove it. */
  setBarrier(operation: Promise<unknown>): void {
    const barrier = Promise.allSettled([operation]).finally(() => {
      if (this.#barrier === barrier) this.#barrier = undefined;
    });
    this.#barrier = barrier;
  }
}

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
