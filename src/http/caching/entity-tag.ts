/**
 * Parses the entity tags of an `If-None-Match` or `If-Match` header. Returns `"*"` for a star, and `undefined` for a
 * malformed header, which callers treat as absent.
 *
 * A tag may contain a comma, so the list is not split at commas (RFC 9110 §8.8.3, §13.1.2).
 */
export function parseEntityTags(header: string): readonly string[] | "*" | undefined {
  if (header.trim() === "*") return "*";
  const tags: string[] = [];
  // White space is matched at two places only with a tag between them. Otherwise backtracking would take quadratic time.
  const pattern = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
  while (pattern.lastIndex < header.length) {
    const match = pattern.exec(header);
    if (match === null) return undefined;
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags.length === 0 ? undefined : tags;
}

/** Compares two tags weakly: true for the same content, whether a tag is weak or strong (RFC 9110 §8.8.3.2). */
export function isWeakMatch(a: string, b: string): boolean {
  return opaqueTag(a) === opaqueTag(b);
}

/** Compares two tags strongly: true for the same bytes, which requires two equal strong tags (RFC 9110 §8.8.3.2). */
export function isStrongMatch(a: string, b: string): boolean {
  return a === b && !a.startsWith("W/");
}

/** Returns true if `If-None-Match` is a star or lists the tag, so that the response is a 304 (RFC 9110 §13.1.2). */
export function matchesIfNoneMatch(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || (tags?.some((listedTag) => isWeakMatch(listedTag, tag)) ?? false);
}

function opaqueTag(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

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
