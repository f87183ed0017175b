import { isError } from "../../core/index.ts";
import { errors } from "../errors.ts";

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
