const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The id in lower case, or `undefined` when it is no UUID. */
export function idOf(given: string): string | undefined {
  const id = given.toLowerCase();
  return uuid.test(id) ? id : undefined;
}

// Control characters, and those that turn the direction of writing: they make "exe.gpj" look like "jpg.exe".
const unwanted = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** What a file is called: the last part of a path on any system, one line, at most 200 characters. */
export function cleanFilename(given: string): string {
  const last = given.toWellFormed().split(/[/\\]/).at(-1) ?? "";
  const shown = last.replaceAll(unwanted, "").trim();
  if (shown === "" || shown === "." || shown === "..") return "file";
  if (shown.length <= 200) return shown;
  const ending = /\.[^.]{1,15}$/.exec(shown)?.[0] ?? "";
  // Half of a character may be left where it was cut.
  return shown.slice(0, 200 - ending.length).replace(/[\ud800-\udbff]$/, "") + ending;
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
