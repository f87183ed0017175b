const fileIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns a UUID in lower case, or `undefined` for other texts. */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase();
  return fileIdPattern.test(id) ? id : undefined;
}

/**
 * Returns a media type with its parameters (RFC 9110 §8.3.1), or `application/octet-stream` for an invalid one. Only spaces
 * and tabs may separate the parts, because the type is sent in a header.
 */
export function normalizeContentType(text: string): string {
  const type = text.trim();
  return type.length <= 200 &&
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&'()*+,./:;<=>?@^-]*"))*$/.test(
      type,
    )
    ? type
    : "application/octet-stream";
}
