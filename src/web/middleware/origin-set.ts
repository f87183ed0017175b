import { errors } from "../errors.ts";

/**
 * Returns a set of validated origins.
 *
 * @throws E_ORIGIN_INVALID for a text other than `scheme://host` or `scheme://host:port`, as browsers serialize it
 */
export function originSet(origins: readonly string[]): ReadonlySet<string> {
  for (const origin of origins) {
    if (!/^https?:\/\//.test(origin) || URL.parse(origin)?.origin !== origin) throw errors.E_ORIGIN_INVALID(origin);
  }
  return new Set(origins);
}
