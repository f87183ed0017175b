import { Context, type ContextOptions } from "../../../../core/index.ts";
import type { IdempotencyStore, KeyRecord } from "../contract.ts";

/** Makes a store in memory of at most `maxKeys` keys, and of those whose work runs. */
export function memoryKeyStore(maxKeys: number): IdempotencyStore {
  const records = new Map<string, KeyRecord>();
  const deleteWhere = (matches: (key: string, record: KeyRecord) => boolean): number => {
    const matching = [...records].filter(([key, record]) => matches(key, record));
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
    purge: async (now, options) =>
      deleteWhere((key, { expiresAt }) => key.startsWith(keyOf("", options)) && expiresAt <= now),
    clear: async (options) => void deleteWhere((key) => key.startsWith(keyOf("", options))),
  };
}

/** Returns the pool in JSON and the id. */
const keyOf = (id: string, { ctx }: ContextOptions): string =>
  `${JSON.stringify(Context.get(ctx, "pool") ?? "")}\n${id}`;
