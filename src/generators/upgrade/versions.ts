const pattern = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.-]+))?$/;

/** Returns true for a version such as `1.2.3` or `1.2.3-beta.1`. */
export const isVersion = (text: string): boolean => pattern.test(text);

/** Returns the numbers of a version. Throws an error for another text. */
export function parseVersion(version: string): readonly number[] {
  const match = pattern.exec(version);
  if (match === null) throw new Error(`"${version}" is not a version such as 1.2.3 or 1.2.3-beta.1`);
  return match.slice(1, 4).map(Number);
}

/** Returns true for a pre-release, such as `1.2.3-beta.1`. */
export const isPreRelease = (version: string): boolean => pattern.exec(version)?.[4] !== undefined;

/**
 * Returns a number below, equal to or above zero if a version is older than, the same as or newer than another (SemVer 2.0.0
 * §11).
 */
export function compareVersions(a: string, b: string): number {
  const difference = compareLists(parseVersion(a), parseVersion(b));
  if (difference !== 0) return difference;
  const [left, right] = [a, b].map((version) => pattern.exec(version)?.[4]?.split("."));
  // A pre-release is older than its version.
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
  return compareLists(left, right);
}

function compareLists(left: readonly (number | string)[], right: readonly (number | string)[]): number {
  const index = left.findIndex((part, position) => part !== right[position]);
  if (index === -1) return left.length - right.length;
  const [a = "", b] = [left[index], right[index]];
  return b === undefined ? 1 : compareParts(a, b);
}

/** Compares numbers by value and names by their characters. A number is older than a name. */
function compareParts(a: number | string, b: number | string): number {
  const [isNumberA, isNumberB] = [a, b].map((part) => /^\d+$/.test(String(part)));
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : 1;
}
