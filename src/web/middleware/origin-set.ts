import { errors } from "../errors.ts";

/**
 * A set of origins, each checked.
 *
 * @throws E_ORIGIN_INVALID for anything but `scheme://host` or `scheme://host:port`, as browsers write it
 */
export function originSet(origins: readonly string[]): ReadonlySet<string> {
  for (const origin of origins) {
    if (!/^https?:\/\//.test(origin) || URL.parse(origin)?.origin !== origin) throw errors.E_ORIGIN_INVALID(origin);
  }
  return new Set(origins);
}
