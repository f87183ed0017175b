/** Range of bytes, first and last included, counted from 0. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Parses a `Range` header for a content of `size` bytes (RFC 9110 §14).
 *
 * Returns `undefined` if the whole content is to be sent: for a malformed header, another unit, and for several ranges,
 * which a server may ignore and which attacks on memory have used. `"unsatisfiable"` is a 416.
 */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header);
  if (match === null) return undefined;
  const [, from = "", to = ""] = match;
  if (from === "") return to === "" ? undefined : suffixRange(Number(to), size);
  const first = Number(from);
  const last = to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (last < first) return undefined;
  return first < size ? { first, last: Math.min(last, size - 1) } : "unsatisfiable";
}

function suffixRange(length: number, size: number): ByteRange | "unsatisfiable" {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { first: Math.max(0, size - length), last: size - 1 };
}
