import { Context, type ContextOptions } from "../../../core/index.ts";
import type { Idempotency, IdempotencyOptions } from "../contract.ts";
import { checkCount } from "../errors.ts";
import { makeIdempotency } from "../make-idempotency.ts";
import type { IdempotencyStore, KeyRecord } from "./contract.ts";

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
  checkCount("maxKeys", maxKeys);
  return makeIdempotency({ ...options, implementation: "memory", store: memoryStore(maxKeys) });
}

/** Makes a store in memory of at most `maxKeys` keys, and of those whose work runs. */
function memoryStore(maxKeys: number): IdempotencyStore {
  const records = new Map<string, KeyRecord>();
  const deleteWhere = (options: ContextOptions, matches: (record: KeyRecord) => boolean): number => {
    const matching = [...records].filter(([key, record]) => key.startsWith(keyOf("", options)) && matches(record));
    for (const [key] of matching) records.delete(key);
    return matching.length;
  };
  /** Deletes the oldest keys beyond the maximum. A running key stays: without it, a repetition would run at the same time. */
  const evict = (): void => {
    for (const [key, { response }] of records) {
      if (records.size <= maxKeys) return;
      if (response !== undefined) records.delete(key);
    }
  };
  const findRunning = (id: string, token: string, options: ContextOptions): KeyRecord | undefined => {
    const record = records.get(keyOf(id, options));
    return record?.token === token && record.response === undefined ? record : undefined;
  };

  return {
    findOpt: async (id, options) => records.get(keyOf(id, options)),
    claim: async (record, now, options) => {
      const key = keyOf(record.id, options);
      const current = records.get(key);
      const isLapsed = (other: KeyRecord): boolean =>
        other.fingerprint === record.fingerprint && other.response === undefined && other.leasedUntil <= now;
      if (current !== undefined && current.expiresAt > now && !isLapsed(current)) return false;
      // A map iterates in the order of insertion: a renewed key becomes the latest.
      records.delete(key);
      records.set(key, record);
      evict();
      return true;
    },
    complete: async (id, token, response, options) => {
      const record = findRunning(id, token, options);
      if (record !== undefined) records.set(keyOf(id, options), { ...record, response: structuredClone(response) });
      return record !== undefined;
    },
    release: async (id, token, options) => {
      if (findRunning(id, token, options) !== undefined) records.delete(keyOf(id, options));
    },
    transaction: (callback) => callback(),
    isAborted: () => false,
    purge: async (now, options) => deleteWhere(options, ({ expiresAt }) => expiresAt <= now),
    clear: async (options) => void deleteWhere(options, () => true),
  };
}

/** Returns the pool in JSON and the id. */
const keyOf = (id: string, { ctx }: ContextOptions): string =>
  `${JSON.stringify(Context.get(ctx, "pool") ?? "")}\n${id}`;
