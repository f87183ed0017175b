import { errors } from "./errors.ts";
import { releasePattern } from "./release.ts";
import type { Remote } from "./remote.ts";
import { folderProblem, type ServiceKind, serviceKinds } from "./settings.ts";
import { sh } from "./shell.ts";

/** Properties of a host that a deployment depends on. */
export interface HostFacts {
  readonly user: string;
  readonly isRoot: boolean;
  /** Absolute path of the folder of the application. */
  readonly folder: string;
  /** `x64`, `arm64`, or what the system calls itself. */
  readonly cpu: string;
  readonly libc: "glibc" | "musl";
  /** True if `npm` is found. */
  readonly hasNpm: boolean;
  /** Service managers that can be used, the preferred one first. */
  readonly services: readonly ServiceKind[];
  /** Service manager of the last deployment, or `undefined`. */
  readonly lastService: ServiceKind | undefined;
  /** Release that `current` leads to, or `undefined` before the first deployment. */
  readonly current: string | undefined;
  /** Complete releases, from the oldest to the latest. */
  readonly releases: readonly string[];
}

const requiredTools = ["tar", "gzip", "flock", "dd", "mktemp", "readlink", "cmp"];

const cpuNames: Readonly<Record<string, string>> = { x86_64: "x64", amd64: "x64", aarch64: "arm64", arm64: "arm64" };

/** File of a release whose switch was reverted, and which may have workers nevertheless. The next deployment deletes it. */
export const inUseMark = ".in-use";

/** File of a release that is complete: it has answered requests. */
export const releaseMark = ".deployed.json";

/**
 * Reads the properties of a host.
 *
 * @throws E_DEPLOY_REQUIREMENT if a tool is missing, or the home folder has a name that units and cron tables cannot have.
 */
export async function readHostFacts(remote: Remote, givenFolder: string): Promise<HostFacts> {
  const { code, stdout, stderr } = await remote.run(sh`
folder=${givenFolder}
case $folder in /*) ;; *) folder=$HOME/$folder ;; esac
echo "user=$(id -un)"
echo "uid=$(id -u)"
echo "system=$(uname -s)"
echo "machine=$(uname -m)"
echo "folder=$folder"
for tool in ${requiredTools}; do command -v "$tool" >/dev/null || echo "missing=$tool"; done
if command -v npm >/dev/null; then echo npm=yes; fi
for file in /lib/ld-musl-*; do if [ -e "$file" ]; then echo libc=musl; fi; done
: "\${XDG_RUNTIME_DIR:=/run/user/$(id -u)}"
export XDG_RUNTIME_DIR
if [ -d /run/systemd/system ]; then
  if systemctl --user show-environment >/dev/null 2>&1; then echo service=systemd-user; fi
  if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null; then echo service=systemd; fi
fi
if [ -r "$folder/run/service" ]; then echo "last=$(cat "$folder/run/service")"; fi
if [ -L "$folder/current" ]; then echo "current=$(basename "$(readlink "$folder/current")")"; fi
for mark in "$folder"/releases/*/${releaseMark}; do
  if [ -e "$mark" ]; then echo "release=$(basename "$(dirname "$mark")")"; fi
done`);
  const values = Map.groupBy(
    stdout.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const),
    ([key]) => key,
  );
  const all = (key: string): readonly string[] => (values.get(key) ?? []).map(([, value]) => value);
  const first = (key: string): string => all(key)[0] ?? "";
  const fail = (problem: string): Error => errors.E_DEPLOY_REQUIREMENT(remote.name, problem);
  if (code !== 0) throw fail(stderr.trim() || `its shell ended with exit code ${code}`);
  if (first("system") !== "Linux") throw fail(`it runs ${first("system")}, and Linux is supported`);
  if (all("missing").length > 0) throw fail(`install ${all("missing").join(", ")} there`);
  const problem = folderProblem(first("folder"));
  if (problem !== undefined) throw fail(`the folder ${first("folder")} ${problem}. Set "folder"`);
  const isKind = (text: string): text is ServiceKind => serviceKinds.some((kind) => kind === text);
  return {
    user: first("user"),
    isRoot: first("uid") === "0",
    folder: first("folder"),
    cpu: cpuNames[first("machine")] ?? first("machine"),
    libc: first("libc") === "musl" ? "musl" : "glibc",
    hasNpm: first("npm") === "yes",
    services: all("service").filter(isKind),
    lastService: all("last").find(isKind),
    current: all("current").find((name) => releasePattern.test(name)),
    releases: all("release")
      .filter((name) => releasePattern.test(name))
      .toSorted(),
  };
}
