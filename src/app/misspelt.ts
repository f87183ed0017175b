import { distance } from "../cli/index.ts";
import { Configuration } from "../config/index.ts";
import type { ConfigurationField } from "../core/index.ts";

/**
 * Says of each key in an env file that nobody reads, but that is one or two letters away from one that is read and not set,
 * where it stands and what may be meant: a line that is skipped is a setting that somebody relies on.
 *
 * @throws E_CONFIGURATION_FILE
 */
export function misspeltKeys(fields: readonly ConfigurationField[]): readonly string[] {
  const known = new Set(fields.map(({ key }) => key));
  const unset = fields.filter((field) => !Configuration.describe(field).isSet).map(({ key }) => key);
  return [...Configuration.keysInFiles()].flatMap(([key, file]) => {
    if (known.has(key)) return [];
    const near = unset.find((candidate) => distance(key, candidate) <= (candidate.length < 8 ? 1 : 2));
    return near === undefined ? [] : `${key} is set in ${file}, and nothing reads it. Did you mean ${near}?`;
  });
}
