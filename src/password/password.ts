import { constantTimeEqual, Random } from "../random/index.ts";
import { argon2id, decodePhc, encodePhc, hashBytes, saltBytes } from "./argon2.ts";
import { errors } from "./errors.ts";
import { isValidPassword } from "./policy.ts";
import { currentCost } from "./settings.ts";

export { useBackend } from "./argon2.ts";
export type { Argon2Backend, Argon2Cost, Argon2Parameters } from "./contract.ts";
export { type PasswordContext, type PasswordPolicy, policy } from "./policy.ts";

/** Options of `hash` and `verify`. */
export interface HashOptions {
  /** Cancels a hash that has not started. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Hashes a password with argon2id, as a PHC string that contains the salt and the parameters.
 *
 * The parameters are 19 MiB, two passes, one lane (OWASP Password Storage Cheat Sheet), or more by `PASSWORD_MEMORY` and
 * `PASSWORD_PASSES`. The password is hashed exactly as typed: not trimmed, not changed in case, not normalised (OWASP
 * ASVS 6.2.8). The computation runs on the thread pool. A few run at the same time; others wait in order.
 *
 * @throws E_PASSWORD_INVALID (422) for an empty password, more than 4,096 characters, or an unpaired surrogate;
 * E_PASSWORD_BUSY (503) if too many are waiting; E_PASSWORD_UNSUPPORTED, E_PASSWORD_LIBRARY_MISSING
 */
export async function hash(password: string, options: HashOptions = {}): Promise<string> {
  if (!isValidPassword(password)) throw errors.E_PASSWORD_INVALID();
  const parameters = { ...currentCost(), salt: Random.bytes(saltBytes), outputBytes: hashBytes };
  return encodePhc({ ...parameters, hash: await argon2id(password, parameters, options.signal) });
}

/**
 * Verifies a password against a PHC string. Returns false without computing a hash for a password that `hash` refuses,
 * and for a text that is not an argon2id hash.
 *
 * @throws E_PASSWORD_BUSY (503), E_PASSWORD_UNSUPPORTED, E_PASSWORD_LIBRARY_MISSING
 */
export async function verify(password: string, phc: string, options: HashOptions = {}): Promise<boolean> {
  const expected = decodePhc(phc);
  if (expected === undefined || !isValidPassword(password)) return false;
  const computed = await argon2id(password, { ...expected, outputBytes: expected.hash.length }, options.signal);
  return constantTimeEqual(computed, expected.hash);
}

/** Returns true if a hash has other parameters than the current ones and should be renewed at the next login. */
export function needsRehash(phc: string): boolean {
  const decoded = decodePhc(phc);
  const { memoryKiB, passes, parallelism } = currentCost();
  return decoded?.memoryKiB !== memoryKiB || decoded.passes !== passes || decoded.parallelism !== parallelism;
}
