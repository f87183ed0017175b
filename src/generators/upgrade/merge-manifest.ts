import { isDeepStrictEqual } from "node:util";
import type { TextVersions } from "../../project/index.ts";

/** Value of a property. `undefined` if there is no such property. */
type Value = unknown;
type Properties = Readonly<Record<string, Value>>;

class MergeConflict extends Error {}

/**
 * Merges two changes of `package.json`, property by property: a dependency that a generator has added does not contradict
 * a new version of the one above, as it would line by line. Returns `undefined` if both change the same property, or if a
 * text is not JSON.
 */
export function mergeManifest({ base, current, target }: TextVersions): string | undefined {
  try {
    const value: Value = JSON.parse(current);
    const merged = mergeValue(JSON.parse(base), value, JSON.parse(target));
    const indentation = /^[\t ]+/m.exec(current)?.[0] ?? "  ";
    return isDeepStrictEqual(merged, value) ? current : `${JSON.stringify(merged, undefined, indentation)}\n`;
  } catch (error) {
    if (error instanceof MergeConflict || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function mergeValue(base: Value, current: Value, target: Value): Value {
  if (isDeepStrictEqual(base, target) || isDeepStrictEqual(current, target)) return current;
  if (isDeepStrictEqual(base, current)) return target;
  if (!isProperties(current) || !isProperties(target)) throw new MergeConflict();
  const properties = isProperties(base) ? base : {};
  const keys = new Set([...Object.keys(current), ...Object.keys(target)]);
  const merged = [...keys].map((key) => [key, mergeValue(properties[key], current[key], target[key])] as const);
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

const isProperties = (value: Value): value is Properties =>
  typeof value === "object" && value !== null && !Array.isArray(value);
