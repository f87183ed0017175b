/** A part of a content: from its first byte to its last, both counted from 0 and included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * What a `Range` header asks of a content of `size` bytes (RFC 9110 §14).
 *
 * `undefined` when the whole is to be sent: the header is malformed, has another unit, or asks for several ranges,
 * which a server may ignore and which have served attacks on memory more often than readers. `"unsatisfiable"` is 416.
 */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const parts = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header);
  if (parts === null) return undefined;
  const [, from = "", to = ""] = parts;
  if (from === "") return to === "" ? undefined : suffix(Number(to), size);
  const first = Number(from);
  const last = to === "" ? Number.POSITIVE_INFINITY : Number(to);
  if (last < first) return undefined;
  return first < size ? { first, last: Math.min(last, size - 1) } : "unsatisfiable";
}

function suffix(length: number, size: number): ByteRange | "unsatisfiable" {
  if (length === 0 || size === 0) return "unsatisfiable";
  return { first: Math.max(0, size - length), last: size - 1 };
}
