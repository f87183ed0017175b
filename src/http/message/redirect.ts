import { errors } from "../errors.ts";

/**
 * The `Location` of a redirect, characters beyond ASCII encoded.
 *
 * Without `isExternal` it must be a path on this origin: one slash at the start, then neither slash nor backslash
 * (browsers read `/\host` as `//host`), and no control characters (browsers drop tabs and line breaks). With it, an
 * absolute http or https URL is right as well.
 *
 * @throws E_REDIRECT_EXTERNAL
 */
export function checkRedirect(to: string, isExternal: boolean): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it looks for
  if (/[\x00-\x1f\x7f]/.test(to)) throw errors.E_REDIRECT_EXTERNAL(to);
  if (/^\/(?![/\\])/.test(to)) return encode(to);
  if (isExternal && /^https?:\/\/[^/\\]/i.test(to) && URL.canParse(to)) return new URL(to).href;
  throw errors.E_REDIRECT_EXTERNAL(to);
}

/** Escapes that are there already are kept. */
function encode(path: string): string {
  return path.replace(/[^\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]/gu, (character) =>
    encodeURIComponent(character.toWellFormed()),
  );
}
