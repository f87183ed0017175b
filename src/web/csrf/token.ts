import { errors } from "../errors.ts";
import { Key, type Request } from "../../http/message/index.ts";
import { constantTimeEqual, Random, RandomInternals } from "../../random/index.ts";
import { SessionState } from "../session/session-state.ts";

const secretBytes = 32;
// 64 bytes are 85 characters, and one that carries the last two bits: A, Q, g or w.
const tokenPattern = /^[\w-]{85}[AQgw]$/;
const secretPattern = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Key of the secret among the reserved values of the session. */
const secretKey = "csrf";

/** Generates a session secret of 256 bits, as 43 characters of base64url. */
export const newSecret = (): string => RandomInternals.base64url(secretBytes);

/** Returns true if a text has the format of `newSecret`. */
export const isSecret = (text: string | undefined): text is string => text !== undefined && secretPattern.test(text);

/** Returns the CSRF secret of the session of a request; `undefined` without one. @throws E_SESSION_MISSING */
export function findSecret(request: Request): string | undefined {
  const text = SessionState.of(request).content.reserved.get(secretKey);
  return isSecret(text) ? text : undefined;
}

/** Stores a new CSRF secret in the session of a request, and returns it. @throws E_SESSION_MISSING */
export function createSecret(request: Request): string {
  const secret = newSecret();
  SessionState.of(request).reserve(secretKey, secret);
  return secret;
}

/**
 * Returns a token for one form: a random mask, followed by the secret XORed with it.
 *
 * Each token is different, so that a compressed page does not reveal the secret byte by byte (BREACH,
 * <https://breachattack.com>). All tokens are valid as long as the secret.
 */
export function maskToken(secret: string): string {
  const mask = Random.bytes(secretBytes);
  const token = Buffer.allocUnsafe(2 * secretBytes);
  token.set(mask);
  token.write(secret, secretBytes, "base64url");
  for (let index = 0; index < secretBytes; index++) token[secretBytes + index]! ^= mask[index]!;
  return token.toString("base64url");
}

/** Returns true if a token belongs to this secret. Accepts any text; compares well-formed tokens in constant time. */
export function isTokenOf(secret: string, token: string): boolean {
  if (!tokenPattern.test(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  for (let index = 0; index < secretBytes; index++) bytes[secretBytes + index]! ^= bytes[index]!;
  return constantTimeEqual(bytes.subarray(secretBytes), Buffer.from(secret, "base64url"));
}

const protectedKey: Key<true> = new Key("csrf protection");

/** Records that the CSRF middleware has accepted an unsafe request. */
export function markCsrfProtected(request: Request): void {
  request.set(protectedKey, true);
}

/** Returns true if the CSRF middleware has accepted the request. */
export const isCsrfProtected = (request: Request): boolean => request.get(protectedKey) === true;

/** Checks that the CSRF middleware runs for a request, before a handler processes a form. @throws E_CSRF_MISSING */
export function requireCsrfProtection(request: Request): void {
  if (!isCsrfProtected(request)) throw errors.E_CSRF_MISSING();
}
