import { Time } from "../time/index.ts";
import { errors } from "./errors.ts";
import type { Options } from "./options.ts";

/**
 * Waits for something until it is there, the signal is aborted or the time is over. What is still under way is given
 * up through `giveUp`; its outcome is then ignored.
 */
export function guard<T>(work: Promise<T>, options: Options, giveUp: () => void): Promise<T> {
  const { signal, timeout } = options;
  if (signal === undefined && timeout === undefined) return work;
  return new Promise((resolve, reject) => {
    const end = (): void => {
      cancel?.();
      signal?.removeEventListener("abort", abort);
    };
    const stop = (reason: unknown): void => {
      end();
      reject(reason);
      giveUp();
    };
    const abort = (): void => stop(signal?.reason);
    const cancel =
      timeout === undefined ? undefined : Time.after(timeout, () => stop(errors.E_DATABASE_TIMEOUT(timeout)));
    signal?.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(end);
    if (signal?.aborted === true) abort();
  });
}
