import { settingsFile } from "./settings.ts";
import { obsoleteReleases } from "./release.ts";
import type { DeployTarget } from "./target.ts";

/** Returns the steps of a deployment that has not changed anything, for `--dry-run`. */
export function planLines(
  { remote, facts, settings, application, manager }: DeployTarget,
  release: string,
): readonly string[] {
  const { folder, current, releases } = facts;
  const deleted = obsoleteReleases([...releases, release], [release], settings.keepReleases);
  const install = facts.hasNpm ? "npm ci on the host" : `npm ci here for linux-${facts.cpu} (${facts.libc})`;
  const linked = current === undefined ? "" : `, or links to the packages of ${current} if the lock file is the same`;
  const migrations = application.hasMigrations ? ["migrate --dry-run --check", "doctor", "migrate"] : [];
  return [
    `${remote.name}: ${release} in ${folder}`,
    `  service    ${manager.kind}, ${settings.name}, ${settings.workers} workers`,
    `  packages   ${install}${linked}`,
    `  checks     ${["config --check", ...migrations, "doctor"].join(", ")}`,
    `  health     ${settings.health}, at most ${settings.healthTimeoutSeconds} s`,
    `  switch     ${current ?? "nothing"} -> ${release}`,
    `  delete     ${deleted.length === 0 ? "nothing" : deleted.join(", ")}`,
    `Nothing was changed. The settings are flags, or keys of ${settingsFile}.`,
  ];
}
