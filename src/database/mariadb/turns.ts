import { isError } from "../../core/index.ts";
import { errors } from "../errors.ts";

/** Who may send next on a connection: everybody at once, unless something was told to go before. */
export class Turns {
  #before: Promise<unknown> | undefined;
  #barrier: Promise<unknown> | undefined;

  /** Whether nothing goes before. */
  get areFree(): boolean {
    return this.#before === undefined && this.#barrier === undefined;
  }

  /** Sends at once, or when what goes before has ended. */
  take<T>(send: () => Promise<T>): Promise<T> {
    const before = this.#barrier === undefined ? this.#before : Promise.all([this.#barrier, this.#before]);
    return before === undefined ? send() : before.then(send);
  }

  /** Lets the others wait until this has ended. When it fails and `isStrict` says so, they all fail until `reset`. */
  first(running: Promise<unknown>, isStrict: () => boolean): void {
    const end = async (): Promise<void> => {
      try {
        await running;
      } catch (cause) {
        if (isError(cause, "E_DATABASE_TRANSACTION_ABORTED")) throw cause;
        if (isStrict()) throw errors.E_DATABASE_TRANSACTION_ABORTED(cause).causedBy(cause);
      }
      if (this.#before === before) this.#before = undefined;
    };
    const before = end();
    before.catch(() => {});
    this.#before = before;
  }

  /** Forgets what was to go before, and failed. */
  reset(): void {
    this.#before = undefined;
  }

  /** Lets the others wait until this has ended, however it ends, and whatever is reset. */
  bar(running: Promise<unknown>): void {
    const barrier = Promise.allSettled([running]).finally(() => {
      if (this.#barrier === barrier) this.#barrier = undefined;
    });
    this.#barrier = barrier;
  }
}
