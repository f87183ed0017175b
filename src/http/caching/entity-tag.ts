/**
 * The entity tags of an `If-None-Match` or `If-Match` header, as written; `"*"` for the star; `undefined` when the
 * header is malformed, which callers treat as absent.
 *
 * A comma may stand inside of a tag, so the list is read from quote to quote (RFC 9110 §8.8.3, §13.1.2).
 */
export function parseEntityTags(header: string): readonly string[] | "*" | undefined {
  if (header.trim() === "*") return "*";
  const tags: string[] = [];
  // Blanks stand at two places only if a tag stands between them: else many of them would take quadratic time.
  const pattern = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y;
  while (pattern.lastIndex < header.length) {
    const found = pattern.exec(header);
    if (found === null) return undefined;
    if (found[1] !== undefined) tags.push(found[1]);
  }
  return tags.length === 0 ? undefined : tags;
}

/** Whether two tags name the same content, a weak tag being as good as a strong one (RFC 9110 §8.8.3.2). */
export function matchesWeakly(a: string, b: string): boolean {
  return withoutWeakness(a) === withoutWeakness(b);
}

/** Whether two tags name the same bytes: equal, and neither weak (RFC 9110 §8.8.3.2). */
export function matchesStrongly(a: string, b: string): boolean {
  return a === b && !a.startsWith("W/");
}

/** Whether `If-None-Match` lists the tag, or is a star, so that a GET is answered with 304 (RFC 9110 §13.1.2). */
export function isListed(header: string, tag: string): boolean {
  const tags = parseEntityTags(header);
  return tags === "*" || (tags?.some((given) => matchesWeakly(given, tag)) ?? false);
}

function withoutWeakness(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
