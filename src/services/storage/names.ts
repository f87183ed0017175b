const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id in lower case, or `undefined` when it is no UUID. */
export function idOf(given: string): string | undefined {
  const id = given.toLowerCase();
  return uuid.test(id) ? id : undefined;
}

/**
 * A media type with its parameters (RFC 9110 §8.3.1), blanks and tabs between them only: it goes into a header.
 * `application/octet-stream` for a text that is none.
 */
export function cleanContentType(given: string): string {
  const type = given.trim();
  return type.length <= 200 &&
    /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&'()*+,./:;<=>?@^-]*"))*$/.test(
      type,
    )
    ? type
    : "application/octet-stream";
}
