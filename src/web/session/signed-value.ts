import { constantTimeEqual, RandomInternals } from "../../random/index.ts";

/** Keys of one purpose: the current key, and all keys that verify, the current one first. */
export interface SigningKeys {
  readonly current: Buffer;
  readonly all: readonly Buffer[];
}

/** Context of a signed value. A value signed for one context is invalid in every other. */
export interface SigningContext {
  /** Purpose of the value: `session`. */
  readonly purpose: string;
  /** Name of its cookie: `__Host-_session`. */
  readonly name: string;
}

/** Value with a valid signature. */
export interface VerifiedValue {
  readonly value: string;
  /** Time of the signature, in milliseconds since 1970. */
  readonly signedAtMs: number;
  /** True if the current key signed it; otherwise it should be signed again. */
  readonly isCurrent: boolean;
}

const signedValuePattern = /^([\w-]*)\.([0-9a-z]{1,11})\.([\w-]{43})$/;

/**
 * Signs a text, which a client can then read but not change.
 *
 * The result is `value.time.mac`: base64url, base 36 and base64url, 53 characters longer than the encoded value. The
 * HMAC-SHA256 (RFC 2104) covers the encoded context, time and value, so that no two spellings of a value are valid.
 *
 * @param signedAtMs time of the signature, in milliseconds since 1970
 */
export function sign(value: string, context: SigningContext, keys: SigningKeys, signedAtMs: number): string {
  const signed = `${Buffer.from(value).toString("base64url")}.${signedAtMs.toString(36)}`;
  return `${signed}.${mac(signed, context, keys.current)}`;
}

/** Verifies a signed text. Returns `undefined` for a text that `sign` did not create for this context. Never throws. */
export function verify(text: string, context: SigningContext, keys: SigningKeys): VerifiedValue | undefined {
  const parts = signedValuePattern.exec(text);
  if (parts === null) return undefined;
  const [, value = "", time = "", signature = ""] = parts;
  const key = keys.all.find((candidate) => constantTimeEqual(signature, mac(`${value}.${time}`, context, candidate)));
  if (key === undefined) return undefined;
  return {
    value: Buffer.from(value, "base64url").toString(),
    signedAtMs: Number.parseInt(time, 36),
    isCurrent: key.equals(keys.current),
  };
}

function mac(signed: string, context: SigningContext, key: Buffer): string {
  return RandomInternals.hmacSha256(key, `${context.purpose}\n${context.name}\n${signed}`);
}
