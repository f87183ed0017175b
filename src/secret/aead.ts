// Functions for other modules of the framework. They are not part of the public namespace.
import { createCipheriv, createDecipheriv } from "node:crypto";
import { Random } from "../random/index.ts";

// Sizes of AES-256-GCM (NIST SP 800-38D): a nonce of 96 bits and a tag of 128 bits.
const nonceBytes = 12;
const tagBytes = 16;
const algorithm = "aes-256-gcm";
const nothing = Buffer.alloc(0);

/**
 * Encrypts bytes, or a text in UTF-8: nonce, tag and ciphertext of AES-256-GCM, in base64url.
 *
 * @param associated what the ciphertext is bound to: it is decrypted with the same bytes only
 */
export function encrypt(key: Buffer, content: string | Uint8Array, associated: Uint8Array = nothing): string {
  const nonce = Random.bytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(associated);
  const start = typeof content === "string" ? cipher.update(content, "utf8") : cipher.update(content);
  const ciphertext = Buffer.concat([start, cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("base64url");
}

/** Decrypts what `encrypt` returned. Returns `undefined` for another text, key or associated bytes. Never throws. */
export function decrypt(key: Buffer, encrypted: string, associated: Uint8Array = nothing): Buffer | undefined {
  const bytes = Buffer.from(encrypted, "base64url");
  const textStart = nonceBytes + tagBytes;
  if (bytes.length < textStart) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(associated)
    .setAuthTag(bytes.subarray(nonceBytes, textStart));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]);
  } catch {
    return undefined;
  }
}
