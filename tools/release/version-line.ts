// Rules of version lines, such as 1.2: the branches that release a version, and the npm dist-tag of a version.
//
// Every line has the branch `<major>.<minor>.x`, for all its versions after the next line. SECURITY.md and the documentation
// site have the same lines.
import { compareVersions, isPreRelease, isVersion, parseVersion } from "../../src/generators/upgrade/versions.ts";

/** Returns the branch of the line of a version: `1.2.x` for 1.2.4. */
export const lineBranch = (version: string): string => `${parseVersion(version).slice(0, 2).join(".")}.x`;

/** Returns the reasons why a branch cannot release a version. Other tags than those of releases have no effect. */
export function branchProblems(branch: string, version: string, tags: readonly string[]): readonly string[] {
  const isLine = /^\d+\.\d+\.x$/.test(branch);
  if (branch !== "main" && !isLine) {
    const allowed = `main, or on the branch of a version line, such as ${lineBranch(version)}`;
    return [`The branch is "${branch}". A release is made on ${allowed}.`];
  }
  if (isLine && (branch !== lineBranch(version) || isPreRelease(version))) {
    const advice = 'Mark each entry below "Unreleased" with (fixed), or choose a version.';
    return [`${version} does not belong to the branch ${branch}, which releases fixes of its line. ${advice}`];
  }
  const versions = releasedVersions(tags).filter((other) => !isLine || lineBranch(other) === branch);
  const newest = versions.toSorted(compareVersions).at(-1);
  if (newest === undefined || compareVersions(version, newest) >= 0) return [];
  const advice = isLine ? "" : `: release fixes of an older line on its branch ${lineBranch(version)}`;
  return [`${version} is older than v${newest}, the newest tag${advice}.`];
}

/**
 * Returns the npm dist-tag of a tag: `latest` for the newest version, `next` for a pre-release of a later version,
 * and `release-1.2.x` for a version of an older line. npm does not accept `1.2.x`, which is a range of versions.
 *
 * Throws an error for a pre-release that is older than another version, and if the tag is not among the tags.
 */
export function npmDistTag(tag: string, tags: readonly string[]): string {
  if (!tags.includes(tag)) throw new Error(`${tag} is not a tag of this repository.`);
  const version = tag.slice(1);
  const newer = releasedVersions(tags).filter((other) => compareVersions(other, version) > 0);
  if (isPreRelease(version)) {
    if (newer[0] !== undefined) throw new Error(`The pre-release ${version} is older than v${newer[0]}.`);
    return "next";
  }
  return newer.every(isPreRelease) ? "latest" : `release-${lineBranch(version)}`;
}

const releasedVersions = (tags: readonly string[]): readonly string[] =>
  tags
    .filter((tag) => tag.startsWith("v"))
    .map((tag) => tag.slice(1))
    .filter(isVersion);
