import { timingSafeEqual } from "node:crypto";
import { Random } from "../../random/index.ts";

const secretBytes = 32;
// 64 bytes are 85 characters and one that carries the last two bits: A, Q, g or w.
const tokenForm = /^[\w-]{85}[AQgw]$/;
const secretForm = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Where the secret is kept among what the session reserves. */
export const secretKey = "csrf";

/** A new secret of a session, 256 bits, as 43 characters of base64url. */
export function newSecret(): string {
  return Random.base64url(secretBytes);
}

/** Whether a text can be a secret that `newSecret` made. */
export function isSecret(text: string | undefined): text is string {
  return text !== undefined && secretForm.test(text);
}

/**
 * A token for one form: the secret, masked with random bytes that stand in front of it.
 *
 * Each is different, so that a page that is compressed does not give the secret away byte by byte (BREACH,
 * <https://breachattack.com>), and all are valid as long as the secret is.
 */
export function maskedToken(secret: string): string {
  const mask = Random.bytes(secretBytes);
  const token = Buffer.allocUnsafe(2 * secretBytes);
  token.set(mask);
  token.write(secret, secretBytes, "base64url");
  for (let at = 0; at < secretBytes; at++) token[secretBytes + at]! ^= mask[at]!;
  return token.toString("base64url");
}

/** Whether a token was made from this secret. Anything may be given; takes the same time for every token of the form. */
export function isTokenOf(secret: string, token: string): boolean {
  if (!tokenForm.test(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  for (let at = 0; at < secretBytes; at++) bytes[secretBytes + at]! ^= bytes[at]!;
  return timingSafeEqual(bytes.subarray(secretBytes), Buffer.from(secret, "base64url"));
}
