import { describeField, keysInEnvFiles } from "../config/internal.ts";
import { type ConfigurationField, editDistance } from "../core/index.ts";

/**
 * Returns a warning for each unknown key in an env file that is one or two letters away from a known key that is not set.
 *
 * @throws E_CONFIGURATION_FILE
 */
export function findMisspelledKeys(fields: readonly ConfigurationField[]): readonly string[] {
  const knownKeys = new Set(fields.map(({ key }) => key));
  const unsetKeys = fields.filter((field) => !describeField(field).isSet).map(({ key }) => key);
  return [...keysInEnvFiles()].flatMap(([key, file]) => {
    if (knownKeys.has(key)) return [];
    const similarKey = unsetKeys.find((candidate) => editDistance(key, candidate) <= (candidate.length < 8 ? 1 : 2));
    return similarKey === undefined
      ? []
      : `${key} is set in ${file}, and nothing reads it. Did you mean ${similarKey}?`;
  });
}
