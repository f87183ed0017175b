import { hkdfSync } from "node:crypto";
import { oldSecretsField, secretField, splitSecrets } from "./fields.ts";
import { read } from "./read.ts";
import { derived } from "./sources.ts";

export { placeholderSecret, sampleSecrets } from "./fields.ts";

/** The keys of one purpose. */
export interface SecretKeys {
  /** The key that signs: 32 bytes. */
  readonly current: Buffer;
  /** The keys that verify: the current one first, then those of the former secrets. */
  readonly all: readonly Buffer[];
}

const keysByPurpose = derived(() => new Map<string, SecretKeys>());

/**
 * Gives the keys for one purpose, such as `"session"`, derived from `FRAMEWORK_SECRET` and `FRAMEWORK_SECRET_OLD` by
 * HKDF with SHA-256 (RFC 5869), so that a signature made for one purpose is void for all others. Computed once.
 *
 * @throws what `Configuration.readSecret` throws.
 */
export function secretKeys(purpose: string): SecretKeys {
  const known = keysByPurpose().get(purpose);
  if (known !== undefined) return known;
  const derive = (text: string): Buffer => Buffer.from(hkdfSync("sha256", text, "limmat", purpose, 32));
  const current = derive(read(secretField));
  const keys = { current, all: [current, ...splitSecrets(read(oldSecretsField)).map(derive)] };
  keysByPurpose().set(purpose, keys);
  return keys;
}
