import { Time } from "limmat";

/** Pattern of the names of releases: time of the deployment and commit, so that they sort by time. */
export const releasePattern: RegExp = /^\d{8}T\d{6}Z-[0-9a-z-]{1,40}$/;

/** Returns the name of a new release: `20261123T061500Z-1e01507`. */
export function releaseName(commit: string): string {
  const time = Time.now()
    .toISOString()
    .replaceAll(/[-:]|\.\d+/g, "");
  return `${time}-${commit}`;
}

/** Returns the release that was deployed before another one, or `undefined` if there is none. */
export function previousRelease(releases: readonly string[], current: string): string | undefined {
  return releases
    .filter((name) => name < current)
    .toSorted()
    .at(-1);
}

/**
 * Returns the releases to delete: all but the latest `keep` and those in use. A release in use counts as kept, so that
 * rollbacks do not let releases pile up.
 */
export function obsoleteReleases(
  releases: readonly string[],
  inUse: readonly string[],
  keep: number,
): readonly string[] {
  const latest = releases.toSorted().slice(-keep);
  return releases.filter((name) => !latest.includes(name) && !inUse.includes(name));
}

/** Returns the release that a path is in, or `undefined` for a path outside of the releases. */
export function releaseOfPath(path: string, folder: string): string | undefined {
  const prefix = `${folder}/releases/`;
  const name = path.startsWith(prefix) ? path.slice(prefix.length).split("/", 1)[0] : undefined;
  return name !== undefined && releasePattern.test(name) ? name : undefined;
}
