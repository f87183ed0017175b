const maxKeyLength = 255;

/**
 * Parses the header `Idempotency-Key`: a String of Structured Fields (RFC 9651 §3.3.3), whose parameters are ignored. Keys of
 * letters, digits, `.`, `_`, `:` and `-` are accepted without quotes as well, as many clients send UUIDs so.
 *
 * Returns `undefined` for anything else, such as two keys.
 */
export function parseKey(header: string): string | undefined {
  const text = header.trim();
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"(?:;[^"]*)?$/.exec(text)?.[1];
  const key = quoted === undefined ? /^[\w.:-]+$/.exec(text)?.[0] : quoted.replaceAll(/\\(["\\])/g, "$1");
  return key === undefined || key.length === 0 || key.length > maxKeyLength ? undefined : key;
}
