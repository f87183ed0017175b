import { errors } from "./errors.ts";

/** The most parameters that a query or a form may have, unless the HTTP service says otherwise. */
export const defaultParameterLimit = 1000;

/**
 * Reads `application/x-www-form-urlencoded` text. Parameters are counted before they are parsed, because parsing a
 * quarter of a million of them blocks everybody else.
 *
 * @throws E_TOO_MANY_PARAMETERS
 */
export function parseParameters(text: string, where: string, limit: number): URLSearchParams {
  let count = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    if (++count > limit) throw errors.E_TOO_MANY_PARAMETERS(where, limit);
  }
  return new URLSearchParams(text);
}
