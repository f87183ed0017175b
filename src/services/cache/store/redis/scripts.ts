import { createHash } from "node:crypto";

/** A Lua script that the server runs atomically, and the SHA-1 hash by which it is called. */
export interface Script {
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
export const setIfAbsentScript: Script = defineScript(`${functions}
if find_fresh(redis.call('GET', KEYS[1]), ARGV[1]) then return 0 end
write(ARGV[2], ARGV[3])
return 1
`);

/** Arguments `now by entry ttlMs`. Returns the sum as text, or nil if the value is not an integer. */
export const incrementScript: Script = defineScript(`${functions}
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
export const replaceScript: Script = defineScript(`${functions}
if find_fresh(redis.call('GET', KEYS[1]), ARGV[1]) ~= ARGV[2] then return 0 end
write(ARGV[3], ARGV[4])
return 1
`);

/** Arguments `now [value]`. Returns 1 if a fresh entry, of this value if one is given, was deleted, else 0. */
export const removeScript: Script = defineScript(`${functions}
local value = find_fresh(redis.call('GET', KEYS[1]), ARGV[1])
if ARGV[2] and value ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
return value and 1 or 0
`);

/** Arguments `nowUs costUs capacityUs ttlMs`. Returns 1 or 0 for an available token, and when the bucket is full again. */
export const consumeScript: Script = defineScript(`
local now, cost, capacity = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full_at = tonumber(redis.call('GET', KEYS[1]) or 0)
full_at = math.min(math.max(full_at, now), now + capacity)
local is_allowed = full_at + cost <= now + capacity
if is_allowed then full_at = full_at + cost end
redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', ARGV[4])
return { is_allowed and 1 or 0, string.format('%.0f', full_at) }
`);
