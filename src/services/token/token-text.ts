import { hash } from "node:crypto";
import { Random } from "../../random/index.ts";

const prefix = "lmt_";
const form = /^lmt_([\w-]{43})([\w-]{6})$/;

/**
 * Makes the text of a token: `lmt_`, 256 random bits in base64url (43 characters), and six characters that follow from
 * them. Scanners for leaked secrets know it by its beginning and are sure by its end.
 */
export function newTokenText(): string {
  const secret = Random.token();
  return `${prefix}${secret}${checksum(secret)}`;
}

/** Whether a text has the form of a token. Others need not be looked for. */
export function isTokenText(text: string): boolean {
  const [, secret = "", check] = form.exec(text) ?? [];
  return check === checksum(secret);
}

/**
 * What is kept in place of a token. A plain hash is enough for 256 random bits: there is nothing to guess
 * (OWASP ASVS 6.5.2 asks for slow ones below 112 bits only).
 */
export function hashOf(text: string): string {
  return hash("sha256", text, "base64url");
}

function checksum(secret: string): string {
  return hashOf(`${prefix}${secret}`).slice(0, 6);
}
