import { createHash } from "node:crypto";

/** What the server runs as one step, and the hash under which it keeps the text. */
export interface Script {
  readonly text: string;
  readonly hash: string;
}

const script = (text: string): Script => ({ text, hash: createHash("sha1").update(text).digest("hex") });

// An entry is one text: when it is over, until when it is kept (milliseconds, or nothing for ever), and its value.
const functions = `
local function fresh(entry, now)
  if not entry then return nil end
  local over, kept, value = string.match(entry, '^(%d*):(%d*):(.*)$')
  if over ~= '' and tonumber(over) <= tonumber(now) then return nil end
  return value, over, kept
end
local function write(entry, milliseconds)
  if milliseconds == '' then return redis.call('SET', KEYS[1], entry) end
  return redis.call('SET', KEYS[1], entry, 'PX', milliseconds)
end
`;

/** `now entry milliseconds`: 1 when it was written, 0 when there was one. */
export const add: Script = script(`${functions}
if fresh(redis.call('GET', KEYS[1]), ARGV[1]) then return 0 end
write(ARGV[2], ARGV[3])
return 1
`);

/** `now by entry milliseconds`: the sum as text, or nothing when the value is not a whole number. */
export const increment: Script = script(`${functions}
local largest = 9007199254740991
local value, over, kept = fresh(redis.call('GET', KEYS[1]), ARGV[1])
if not value then
  write(ARGV[3], ARGV[4])
  return ARGV[2]
end
if not string.match(value, '^%-?%d+$') or value == '-0' then return false end
local number = tonumber(value)
if string.format('%.0f', number) ~= value or math.abs(number) > largest then return false end
local sum = string.format('%.0f', math.max(-largest, math.min(largest, number + tonumber(ARGV[2]))))
redis.call('SET', KEYS[1], over .. ':' .. kept .. ':' .. sum, 'KEEPTTL')
return sum
`);

/** `now value entry milliseconds`: 1 when the entry had the value and was replaced. */
export const replace: Script = script(`${functions}
if fresh(redis.call('GET', KEYS[1]), ARGV[1]) ~= ARGV[2] then return 0 end
write(ARGV[3], ARGV[4])
return 1
`);

/** `now`, and maybe a value that the entry must have: 1 when there was such an entry. */
export const remove: Script = script(`${functions}
local value = fresh(redis.call('GET', KEYS[1]), ARGV[1])
if ARGV[2] and value ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
return value and 1 or 0
`);

/** `now cost capacity milliseconds`: whether there was a token, and when the bucket is full again. */
export const take: Script = script(`
local now, cost, capacity = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local full = tonumber(redis.call('GET', KEYS[1]) or 0)
full = math.min(math.max(full, now), now + capacity)
local allowed = full + cost <= now + capacity
if allowed then full = full + cost end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', ARGV[4])
return { allowed and 1 or 0, string.format('%.0f', full) }
`);
