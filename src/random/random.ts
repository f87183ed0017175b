import { randomUUID } from "node:crypto";
import { errors } from "./errors.ts";
import { type RandomSource, systemSource } from "./source.ts";

export { type RandomSource, seededSource } from "./source.ts";

let source: RandomSource = systemSource;

/**
 * Puts a source in the place of the system's, for the whole process, and gives the function that puts the former
 * back. For tests: see `Random.seededSource`.
 */
export function useSource(replacement: RandomSource): () => void {
  const former = source;
  source = replacement;
  return () => {
    source = former;
  };
}

/** So many random bytes. */
export function bytes(size: number): Buffer {
  return source(size);
}

/** So many random bytes in hexadecimal: twice as many characters. */
export function hex(size: number): string {
  return source(size).toString("hex");
}

/** So many random bytes in base64url without padding (RFC 4648 §5): four characters for three bytes. */
export function base64url(size: number): string {
  return source(size).toString("base64url");
}

/** A text of 43 characters that nobody guesses: 32 random bytes in base64url. Safe in URLs, headers and cookies. */
export function token(): string {
  return base64url(32);
}

/** A UUID of version 4 (RFC 9562 §5.4), in lower case. */
export function uuid(): string {
  if (source === systemSource) return randomUUID();
  const digits = source(16);
  digits[6] = ((digits[6] ?? 0) & 0x0f) | 0x40;
  digits[8] = ((digits[8] ?? 0) & 0x3f) | 0x80;
  return digits.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/**
 * A whole number from `min` to `max`, both included, each as likely as any other.
 *
 * @throws E_RANDOM_RANGE when the limits are no safe integers, in the wrong order, or 2^48 or more apart.
 */
export function int(min: number, max: number): number {
  const range = max - min + 1;
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || range < 1 || range > 2 ** 48) {
    throw errors.E_RANDOM_RANGE(min, max);
  }
  // Numbers above the largest multiple of the range would make the small results likelier: they are drawn again.
  const fair = 2 ** 48 - (2 ** 48 % range);
  let drawn = source(6).readUIntBE(0, 6);
  while (drawn >= fair) drawn = source(6).readUIntBE(0, 6);
  return min + (drawn % range);
}
