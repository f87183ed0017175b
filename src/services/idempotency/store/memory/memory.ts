import type { Idempotency, IdempotencyOptions } from "../../contract.ts";
import { errors } from "../../errors.ts";
import { makeIdempotency } from "../../make-idempotency.ts";
import { memoryKeyStore } from "./memory-store.ts";

/** Options of `memory`. */
export interface MemoryIdempotencyOptions extends IdempotencyOptions {
  /**
   * Maximum number of stored keys. Beyond it, the oldest responses are deleted before their time, and a repetition of their
   * requests runs again. Running keys stay. Default 1,000, which with `maxResponseBytes` of the middleware is 250 MiB at most.
   */
  readonly maxKeys?: number;
}

/**
 * Makes an idempotency service in the memory of this process, for tests and for applications of one process without a
 * database. A restart loses the keys, and the changes of failed work are not undone.
 *
 * @throws E_IDEMPOTENCY_OPTION
 * @example
 * export const idempotency = Idempotency.memory();
 */
export function memory({ maxKeys = 1000, ...options }: MemoryIdempotencyOptions = {}): Idempotency {
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1)
    throw errors.E_IDEMPOTENCY_OPTION("maxKeys", maxKeys, "a whole number above 0");
  return makeIdempotency({ ...options, implementation: "memory", store: memoryKeyStore(maxKeys) });
}
