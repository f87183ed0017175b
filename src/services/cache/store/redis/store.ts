import { Context, type ContextOptions } from "../../../../core/index.ts";
import { TimeInternals } from "../../../../time/index.ts";
import type { CacheEntry, CacheStore, EntryKey } from "../contract.ts";
import type { RedisClient } from "./connection.ts";
import {
  consumeScript,
  incrementScript,
  removeScript,
  replaceScript,
  type Script,
  setIfAbsentScript,
} from "./scripts.ts";

const scanCount = 500;

/** Runs a command on a connected client. Throws E_CACHE_NOT_STARTED, E_CACHE_UNAVAILABLE. */
export type RunCommand = <T>(command: (client: RedisClient) => Promise<T>) => Promise<T>;

/** Makes a store on a Redis server whose keys begin with a prefix. */
export function redisStore(runCommand: RunCommand, prefix: string): CacheStore {
  const poolPrefix = ({ ctx }: ContextOptions): string =>
    `${prefix}${encodeURIComponent(Context.get(ctx, "pool") ?? "")}:`;
  const toRedisKey = (entryKey: EntryKey): string => `${poolPrefix(entryKey)}${entryKey.kind}:${entryKey.key}`;

  const runScript = (script: Script, entryKey: EntryKey, ...values: readonly (string | number)[]): Promise<unknown> =>
    runCommand(async (client) => {
      const redisKey = toRedisKey(entryKey);
      try {
        return await client.evalsha(script.hash, 1, redisKey, ...values);
      } catch (error) {
        // A restart of the server clears its script cache.
        if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
        return client.eval(script.text, 1, redisKey, ...values);
      }
    });

  /** Deletes all keys with a prefix and returns their number. */
  const deleteByPrefix = (keyPrefix: string): Promise<number> =>
    runCommand(async (client) => {
      const pattern = `${keyPrefix.replace(/[*?[\]\\^-]/g, String.raw`\$&`)}*`;
      let count = 0;
      let cursor = "0";
      do {
        const [nextCursor, keys] = await client.scan(cursor, "MATCH", pattern, "COUNT", scanCount);
        if (keys.length > 0) count += await client.unlink(...keys);
        cursor = nextCursor;
      } while (cursor !== "0");
      return count;
    });

  return {
    findOpt: async (entryKey) => {
      const text = await runCommand((client) => client.get(toRedisKey(entryKey)));
      return text === null ? undefined : parseEntry(text);
    },
    set: async (entryKey, entry) => {
      const ttlMs = ttlOf(entry);
      await runCommand((client) =>
        ttlMs === ""
          ? client.set(toRedisKey(entryKey), formatEntry(entry))
          : client.set(toRedisKey(entryKey), formatEntry(entry), "PX", ttlMs),
      );
    },
    setIfAbsent: async (entryKey, entry, now) =>
      (await runScript(setIfAbsentScript, entryKey, now, formatEntry(entry), ttlOf(entry))) === 1,
    increment: async (entryKey, by, entry, now) => {
      const sum = await runScript(incrementScript, entryKey, now, by, formatEntry(entry), ttlOf(entry));
      return sum === null ? undefined : Number(sum);
    },
    extend: async (entryKey, value, until, now) => {
      const entry = { value, expiresAt: until, keptUntil: until };
      return (await runScript(replaceScript, entryKey, now, value, formatEntry(entry), ttlOf(entry))) === 1;
    },
    remove: async (entryKey, now, value) => {
      const requiredValue = value === undefined ? [] : [value];
      return (await runScript(removeScript, entryKey, now, ...requiredValue)) === 1;
    },
    consume: async (entryKey, { nowUs, costUs, capacityUs }) => {
      const ttlMs = Math.ceil(capacityUs / 1000) + 1000;
      const reply = await runScript(consumeScript, entryKey, nowUs, costUs, capacityUs, ttlMs);
      const [isAllowed, fullAt] = reply as [number, string];
      return { isAllowed: isAllowed === 1, fullAt: Number(fullAt) };
    },
    clear: ({ prefix: valuePrefix, isAll, ...options }) =>
      deleteByPrefix(poolPrefix(options) + (isAll ? "" : `value:${valuePrefix}`)),
    // The server deletes expired keys.
    purge: async () => 0,
  };
}

const formatEntry = ({ value, expiresAt, keptUntil }: CacheEntry): string =>
  `${expiresAt ?? ""}:${keptUntil ?? ""}:${value}`;

function parseEntry(text: string): CacheEntry {
  const [, expiresAt = "", keptUntil = "", value = ""] = /^(\d*):(\d*):([^]*)$/.exec(text) ?? [];
  return { value, expiresAt: parseTime(expiresAt), keptUntil: parseTime(keptUntil) };
}

const parseTime = (text: string): number | undefined => (text === "" ? undefined : Number(text));

/** Returns the time to live of a key in milliseconds; empty means no expiry. */
const ttlOf = ({ keptUntil }: CacheEntry): number | "" =>
  keptUntil === undefined ? "" : Math.max(1, keptUntil - TimeInternals.timestamp());
