import { createHash, randomBytes, randomFillSync, randomUUID, timingSafeEqual } from "node:crypto";
import { Time } from "../time/index.ts";
import { errors } from "./errors.ts";

/** Generator of random bytes: returns `size` new bytes for each call. */
export type RandomSource = (size: number) => Buffer;

// One call of the system generator costs as much as hundreds of copies, and a page with a form needs three or four values.
const poolBytes = 4096;
const maxPooledBytes = 256;

// Process-wide state of this module.
const pool = Buffer.alloc(poolBytes);
let usedPoolBytes = poolBytes;

/** The operating system's generator, through OpenSSL. Each byte is returned once and then erased from the pool. */
const systemSource: RandomSource = (size) => {
  if (!Number.isInteger(size) || size < 0 || size > maxPooledBytes) return randomBytes(size);
  if (usedPoolBytes + size > pool.length) {
    randomFillSync(pool);
    usedPoolBytes = 0;
  }
  const drawn = Buffer.allocUnsafe(size);
  for (let index = 0; index < size; index++, usedPoolBytes++) {
    drawn[index] = pool[usedPoolBytes]!;
    pool[usedPoolBytes] = 0;
  }
  return drawn;
};

let source: RandomSource = systemSource;

/** Replaces the system generator, for tests. Returns a function that restores the former source. */
export function useSource(replacement: RandomSource): () => void {
  const former = source;
  source = replacement;
  return () => {
    source = former;
  };
}

/**
 * Creates a deterministic source for tests. The same seed gives the same bytes, however they are split into calls.
 *
 * Never use it elsewhere: the seed reveals all later bytes.
 */
export function seededSource(seed: string): RandomSource {
  let block = 0;
  let remaining = Buffer.alloc(0);
  return (size) => {
    const parts = [remaining];
    for (let length = remaining.length; length < size; length += 32) {
      parts.push(createHash("sha256").update(`${block++}:${seed}`).digest());
    }
    const joined = Buffer.concat(parts);
    remaining = joined.subarray(size);
    return joined.subarray(0, size);
  };
}

/** Returns `size` random bytes of the system generator, which are safe as keys. */
export function bytes(size: number): Buffer {
  return source(size);
}

/** Returns `size` random bytes in hexadecimal: two characters for each byte. */
export function hex(size: number): string {
  return source(size).toString("hex");
}

/** Returns `size` random bytes in base64url without padding (RFC 4648 §5): four characters for three bytes. */
export function base64url(size: number): string {
  return source(size).toString("base64url");
}

/** Returns an unguessable text of 43 characters: 32 random bytes in base64url. Safe in URLs, headers and cookies. */
export function token(): string {
  return base64url(32);
}

/** Returns a UUID of version 4 (RFC 9562 §5.4), in lower case. */
export function uuid(): string {
  if (source === systemSource) return randomUUID();
  const digits = source(16);
  digits[6] = ((digits[6] ?? 0) & 0x0f) | 0x40;
  digits[8] = ((digits[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(digits);
}

// State of `uuid7`: time and counter of the last UUID.
const lastUuid7 = { timeMs: 0, counter: 0 };

// A clock that was set back further is a new clock: UUIDs follow it again.
const maxClockStepMs = 10_000;

/**
 * Returns a UUID of version 7 (RFC 9562 §5.7), in lower case: the time in milliseconds, then random bits. UUIDs of one
 * process sort in the order in which they were made: 12 bits count those of one millisecond (§6.2, method 1).
 *
 * It reveals the time of its creation. Use `uuid` or `token` for what must not be guessed or dated.
 */
export function uuid7(): string {
  const digits = source(16);
  const nowMs = Time.now().getTime();
  let { timeMs, counter } = lastUuid7;
  if (nowMs > timeMs || nowMs < timeMs - maxClockStepMs) {
    timeMs = nowMs;
    // The highest bit is clear, so that at least 2,048 UUIDs fit into the millisecond.
    counter = digits.readUInt16BE(6) & 0x7ff;
  } else if (++counter > 0xfff) {
    // The counter is full: borrow from the next millisecond.
    timeMs += 1;
    counter = 0;
  }
  lastUuid7.timeMs = timeMs;
  lastUuid7.counter = counter;
  digits.writeUIntBE(timeMs, 0, 6);
  digits.writeUInt16BE(0x7000 | counter, 6);
  digits[8] = ((digits[8] ?? 0) & 0x3f) | 0x80;
  return formatUuid(digits);
}

const formatUuid = (digits: Buffer): string =>
  digits.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/**
 * Returns a uniformly distributed whole number from `min` to `max`, both included.
 *
 * @throws E_RANDOM_RANGE when the limits are not safe integers, in the wrong order, or 2^48 or more apart.
 */
export function int(min: number, max: number): number {
  const range = max - min + 1;
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || range < 1 || range > 2 ** 48) {
    throw errors.E_RANDOM_RANGE(min, max);
  }
  // Rejection sampling: numbers above the largest multiple of the range would make small results more likely.
  const limit = 2 ** 48 - (2 ** 48 % range);
  let drawn = source(6).readUIntBE(0, 6);
  while (drawn >= limit) drawn = source(6).readUIntBE(0, 6);
  return min + (drawn % range);
}

/**
 * Compares two secrets in constant time. Returns false at once if their lengths in bytes differ: hash both first if the
 * length is secret as well.
 */
export function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [leftBytes, rightBytes] = [toBytes(left), toBytes(right)];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

const toBytes = (value: string | Uint8Array): Uint8Array => (typeof value === "string" ? Buffer.from(value) : value);
