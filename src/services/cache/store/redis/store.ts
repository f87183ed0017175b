import { createHash } from "node:crypto";
import { Context, type ContextOptions } from "../../../../core/index.ts";
import { TimeInternals } from "../../../../time/index.ts";
import type { CacheEntry, CacheStore, EntryKey } from "../contract.ts";
import type { RedisClient } from "./connection.ts";

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

/** A Lua script that the server runs atomically, and the SHA-1 hash by which it is called. */
interface Script {
  readonly text: string;
  readonly hash: string;
}

const defineScript = (text: string): Script => ({ text, hash: createHash("sha1").update(text).digest("hex") });

// An entry is stored as `<expiresAt>:<keptUntil>:<value>`. Times are milliseconds; an empty time means no expiry.
const functions = `
local function find_fresh(entry, now)
  if not entry then return nil end
  local expires_at, kept_until, value = string.match(entry, '^(%d*):(%d*):(.*)$')
  if expires_at ~= '' and tonumber(expires_at) <= tonumber(now) then return nil end
  return value, expires_at, kept_until
end
local function write(entry, ttl_ms)
  if ttl_ms == '' then return redis.call('SET', KEYS[1], entry) end
  return redis.call('SET', KEYS[1], entry, 'PX', ttl_ms)
end
`;

/** Arguments `now entry ttlMs`. Returns 1 if the entry was written, 0 if one existed. */
const setIfAbsentScript: Script = defineScript(`${functions}
if find_fresh(redis.call('GET', KEYS[1]), ARGV[1]) then return 0 end
write(ARGV[2], ARGV[3])
return 1
`);

/** Arguments `now by entry ttlMs`. Returns the sum as text, or nil if the value is not an integer. */
const incrementScript: Script = defineScript(`${functions}
local max_integer = 9007199254740991
local value, expires_at, kept_until = find_fresh(redis.call('GET', KEYS[1]), ARGV[1])
if not value then
  write(ARGV[3], ARGV[4])
  return ARGV[2]
end
if not string.match(value, '^%-?%d+$') or value == '-0' then return false end
local number = tonumber(value)
if string.format('%.0f', number) ~= value or math.abs(number) > max_integer then return false end
local sum = string.format('%.0f', math.max(-max_integer, math.min(max_integer, number + tonumber(ARGV[2]))))
redis.call('SET', KEYS[1], expires_at .. ':' .. kept_until .. ':' .. sum, 'KEEPTTL')
return sum
`);

/** Arguments `now value entry ttlMs`. Returns 1 if the entry had the value and was replaced, else 0. */
const replaceScript: Script = defineScript(`${functions}
if find_fresh(redis.call('GET', KEYS[1]), ARGV[1]) ~= ARGV[2] then return 0 end
write(ARGV[3], ARGV[4])
return 1
`);

/** Arguments `now [value]`. Returns 1 if a fresh entry, of this value if one is given, was deleted, else 0. */
const removeScript: Script = defineScript(`${functions}
local value = find_fresh(redis.call('GET', KEYS[1]), ARGV[1])
if ARGV[2] and value ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
return value and 1 or 0
`);

/** Arguments `nowUs costUs capacityUs ttlMs`. Returns 1 or 0 for an available token, and when the bucket is full again. */
const consumeScript: Script = defineScript(`
local now, cost, capacity = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full_at = tonumber(redis.call('GET', KEYS[1]) or 0)
full_at = math.min(math.max(full_at, now), now + capacity)
local is_allowed = full_at + cost <= now + capacity
if is_allowed then full_at = full_at + cost end
redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', ARGV[4])
return { is_allowed and 1 or 0, string.format('%.0f', full_at) }
`);
