import { hash } from "node:crypto";
import { Random } from "../../../random/index.ts";

const tokenPrefix = "lmt_";
const tokenPattern = /^lmt_([\w-]{43})([\w-]{6})$/;

/**
 * Creates the text of a token: `lmt_`, 256 random bits in base64url (43 characters), and a checksum of six characters.
 * Scanners for leaked secrets find it by the prefix and verify it by the checksum.
 */
export function newTokenText(): string {
  const secret = Random.token();
  return `${tokenPrefix}${secret}${checksum(secret)}`;
}

/** Returns true if a text has the form of a token. Other texts need no query. */
export function isTokenText(text: string): boolean {
  const [, secret = "", suffix] = tokenPattern.exec(text) ?? [];
  return suffix === checksum(secret);
}

/**
 * Hashes a token for storage. A fast hash suffices for 256 random bits, which nobody can guess (OWASP ASVS 6.5.2 requires
 * slow ones below 112 bits only).
 */
export function hashToken(text: string): string {
  return hash("sha256", text, "base64url");
}

function checksum(secret: string): string {
  return hashToken(`${tokenPrefix}${secret}`).slice(0, 6);
}
