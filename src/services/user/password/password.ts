import { timingSafeEqual } from "node:crypto";
import { Random } from "../../../random/index.ts";
import { argon2id, type Derivation } from "./argon2.ts";
import { errors } from "./errors.ts";
import { isPossible } from "./length.ts";
import { decodePhc, encodePhc } from "./phc.ts";
import { currentCost } from "./settings.ts";

export { type PasswordContext, type PasswordPolicy, policy } from "./policy.ts";

/** What hashing may be given. */
export interface HashOptions {
  /** Gives up a hash that has not begun. */
  readonly signal?: AbortSignal | undefined;
}

const saltBytes = 16;
const hashBytes = 32;

/**
 * The argon2id hash of a password, as a PHC string that holds the salt and the parameters: 19 MiB, two passes, one lane
 * (OWASP Password Storage Cheat Sheet), or more by `PASSWORD_MEMORY` and `PASSWORD_PASSES`.
 *
 * The password is taken exactly as it was typed, every character of it: no blank is cut off, no letter changed, and
 * Unicode is not normalised (OWASP ASVS 6.2.8). It is computed beside the event loop, of a few passwords at once;
 * others wait in order.
 *
 * @throws E_PASSWORD_INVALID (422) for an empty one, more than 4,096 characters, or half of a surrogate pair;
 * E_PASSWORD_BUSY (503) when too many wait; E_PASSWORD_UNSUPPORTED
 */
export async function hash(password: string, options: HashOptions = {}): Promise<string> {
  if (!isPossible(password)) throw errors.E_PASSWORD_INVALID();
  const derivation: Derivation = { ...currentCost(), salt: Random.bytes(saltBytes), length: hashBytes };
  return encodePhc({ ...derivation, hash: await argon2id(password, derivation, options.signal) });
}

/**
 * Whether a password is the one of a hash. False, at once, for a password that `hash` refuses, and for a text that is no
 * argon2id hash.
 *
 * @throws E_PASSWORD_BUSY (503), E_PASSWORD_UNSUPPORTED
 */
export async function verify(password: string, of: string, options: HashOptions = {}): Promise<boolean> {
  const known = decodePhc(of);
  if (known === undefined || !isPossible(password)) return false;
  const computed = await argon2id(password, { ...known, length: known.hash.length }, options.signal);
  return timingSafeEqual(computed, known.hash);
}

/** Whether a hash was made with other parameters than those of today, so that it should be made anew at log-in. */
export function needsRehash(of: string): boolean {
  const known = decodePhc(of);
  const { memory, passes, parallelism } = currentCost();
  return known?.memory !== memory || known.passes !== passes || known.parallelism !== parallelism;
}

/** A hash that no password has: what is verified for who has none, so that it takes as long. */
export function nobodysHash(): string {
  return encodePhc({ ...currentCost(), salt: Random.bytes(saltBytes), hash: Random.bytes(hashBytes) });
}
