import { join } from "node:path";
import { hostEnvFile } from "./prepare-host.ts";
import { sh } from "./shell.ts";
import { installFor, packFolder, type PackedSource } from "./source.ts";
import { releaseFolder, runStep, type DeployTarget } from "./target.ts";

/** Copies the files of a release to the host. */
export async function uploadRelease(target: DeployTarget, source: PackedSource, release: string): Promise<void> {
  const { facts, progress, signal } = target;
  await progress.step("copy the files", async (setDetail) => {
    const archive = packFolder(source.folder, signal);
    let bytes = 0;
    archive.on("data", (chunk: Buffer) => (bytes += chunk.length));
    await runStep(
      target,
      "copy the files",
      sh`folder=${facts.folder}
release=${releaseFolder(facts, release)}
mkdir "$release"
tar -xzof - -C "$release"
rm -f "$release/${{ text: hostEnvFile }}"
ln -s "$folder/shared/${{ text: hostEnvFile }}" "$release/${{ text: hostEnvFile }}"`,
      { input: archive },
    );
    if (facts.current !== undefined) await linkBuiltFiles(target, facts.current, release);
    setDetail(`${(bytes / 1024).toFixed(0)} kB`);
  });
}

/**
 * Links the built files of the current release into a new one. Pages that visitors have open refer to them, and so do the
 * pages of workers that are not replaced yet. Files older than 30 days are left out.
 */
async function linkBuiltFiles(target: DeployTarget, current: string, release: string): Promise<void> {
  await runStep(
    target,
    "copy the files",
    sh`cd ${target.facts.folder}/releases
built=${current}/public/built
next=${release}/public/built
if [ -d "$built" ] && [ -d "$next" ]; then
  find "$built" -type f -mtime -30 | while IFS= read -r file; do
    name=$(basename "$file")
    [ -e "$next/$name" ] || cp -al "$file" "$next/$name" 2>/dev/null || cp -a "$file" "$next/$name"
  done
fi`,
  );
}

/**
 * Installs the packages of a release without development dependencies and install scripts. The packages of the current
 * release are linked if both have the same lock file. Otherwise npm installs them: on the host if it has npm, else here.
 */
export async function installPackages(target: DeployTarget, source: PackedSource, release: string): Promise<void> {
  const { facts, progress, signal } = target;
  const folder = releaseFolder(facts, release);
  await progress.step("install the packages", async (setDetail) => {
    const previous = facts.current === undefined ? "" : releaseFolder(facts, facts.current);
    const outcome = await runStep(
      target,
      "install the packages",
      sh`previous=${previous}
cd ${folder}
if [ -n "$previous" ] && cmp -s "$previous/package-lock.json" package-lock.json && [ -d "$previous/node_modules" ]; then
  # Hard links take no space. A file system without them gets a copy.
  cp -al "$previous/node_modules" node_modules 2>/dev/null || {
    rm -rf node_modules
    cp -a "$previous/node_modules" node_modules
  }
  rm -rf node_modules/.cache
  echo linked
elif [ ${facts.hasNpm ? "yes" : "no"} = yes ]; then
  npm ci --omit=dev --ignore-scripts --no-audit --no-fund </dev/null >&2
  echo installed
else
  echo missing
fi`,
    );
    const how = outcome.trim();
    setDetail(how === "linked" ? `of ${facts.current}` : how === "installed" ? "npm on the host" : "npm here");
    if (how === "missing") {
      await installFor(source.folder, facts, signal);
      const archive = packFolder(join(source.folder, "node_modules"), signal);
      await runStep(
        target,
        "copy the packages",
        sh`mkdir ${`${folder}/node_modules`}
tar -xzof - -C ${`${folder}/node_modules`}`,
        { input: archive },
      );
    }
    await runStep(target, "find Node", findNode(folder));
  });
}

/** Returns a script that checks the Node of a release. A release without one gets a link to the one of the host. */
const findNode = (folder: string): ReturnType<typeof sh> => sh`cd ${folder}
node=node_modules/.bin/node
if ! [ -x "$node" ]; then
  found=$(command -v node) || {
    echo "There is no Node: neither a package of the release brings it, as the package.json of a new project has it, nor the host" >&2
    exit 1
  }
  mkdir -p node_modules/.bin
  rm -f "$node"
  ln -s "$found" "$node"
fi
# A Node that does not start prints the reason of the dynamic linker.
if ! problem=$("$node" --version 2>&1 >/dev/null </dev/null); then
  printf '%s\\n' "$problem" >&2
  case $problem in
    *libatomic*) echo "Install it on the host: apt-get install libatomic1, dnf install libatomic, or apk add libatomic" >&2 ;;
  esac
  exit 1
fi
"$node" --eval '
const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 15)) process.exit();
console.error("Node " + process.versions.node + " of the host is too old: 24.15 or newer is required");
process.exit(1);
' </dev/null`;
