import { errors } from "../errors.ts";

/** The most parameters that a query or a form may have, unless the HTTP service says otherwise. */
export const defaultMaxParameters = 1000;

/**
 * Counts parameters before they are parsed, because parsing a quarter of a million of them blocks everybody else.
 *
 * @throws E_TOO_MANY_PARAMETERS
 */
export function checkCount(text: string, where: string, limit: number): void {
  let count = 1;
  for (let at = text.indexOf("&"); at !== -1; at = text.indexOf("&", at + 1)) {
    if (++count > limit) throw errors.E_TOO_MANY_PARAMETERS(where, limit);
  }
}

/**
 * Reads the parameters of a query.
 *
 * @throws E_TOO_MANY_PARAMETERS
 */
export function parseParameters(text: string, where: string, limit: number): URLSearchParams {
  checkCount(text, where, limit);
  // A question mark at the start is a part of the first name, which the class would drop.
  return new URLSearchParams(text.startsWith("?") ? `&${text}` : text);
}
