// Makes a release: commit and signed tag. Publishes nothing: docs/releasing.md.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkTag, planRelease, releaseChangelog, releaseNotes, releaseSupport } from "./release-files.ts";
import { branchProblems, lineBranch, npmDistTag } from "./version-line.ts";

const help = `Usage: npm run release -- [<version>] [--dry-run] [--tested]

Moves the entries of CHANGELOG.md below "Unreleased" to a new version, adds it to the table in SECURITY.md, commits and makes a
signed tag. The version follows from the entries: see docs/releasing.md. Nothing is pushed or published.

The branch is main, or the branch of a version line, such as 1.2.x, for a fix after a newer line was released.

--dry-run         prints the version and the checks that fail, and changes nothing
--tested          ".ci/run" and ".ci/nightly" have passed on this commit, where no continuous integration can tell
--check <tag>     fails if the tag is not that of the current commit, of the newest version of CHANGELOG.md, and on main or
                  the branch of its line of the remote repository "origin"
--dist-tag <tag>  prints the npm dist-tag of a version: "latest" only if no tag has a newer version
--notes <tag>     prints the entries of a version, with links relative to --links <url>`;

/** Surroundings of a release. */
export interface ReleaseOptions {
  /** Root of the repository. */
  readonly root: string;
  readonly argv: readonly string[];
  /** Date of the release, as in `2026-11-23`. */
  readonly date: string;
  readonly print: (line: string) => void;
}

/** Runs the release tool, and returns its exit code. */
export function release({ root, argv, date, print }: ReleaseOptions): number {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      "dry-run": { type: "boolean" },
      tested: { type: "boolean" },
      check: { type: "string" },
      "dist-tag": { type: "string" },
      notes: { type: "string" },
      links: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  const changelogPath = join(root, "CHANGELOG.md");
  const changelog = readFileSync(changelogPath, "utf8");
  if (values.help === true || positionals.length > 1) {
    print(help);
    return values.help === true ? 0 : 2;
  }
  if (values.check !== undefined) {
    checkTag(changelog, values.check);
    checkCommit(root, values.check);
    return 0;
  }
  if (values["dist-tag"] !== undefined) {
    if (git(root, "rev-parse", "--is-shallow-repository").output !== "false") {
      throw new Error("The clone is shallow: its tags are not complete. Fetch them: git fetch --unshallow --tags");
    }
    print(npmDistTag(values["dist-tag"], versionTags(root)));
    return 0;
  }
  if (values.notes !== undefined) {
    print(releaseNotes(changelog, values.notes.replace(/^v/, ""), values.links));
    return 0;
  }

  const planned = planRelease(changelog, date, positionals[0]);
  const tag = `v${planned.version}`;
  const branch = git(root, "branch", "--show-current").output;
  print(`Next version: ${planned.version}`);
  const problems = [
    ...branchProblems(branch, planned.version, versionTags(root)),
    ...repositoryProblems(root, tag),
    ...signingProblems(root),
    ...(values.tested === true ? [] : testProblems(root)),
  ];
  for (const problem of problems) print(`- ${problem}`);
  if (problems.length > 0) return 1;
  if (values["dry-run"] === true) return 0;

  const securityPath = join(root, "SECURITY.md");
  const security = readFileSync(securityPath, "utf8");
  writeFileSync(changelogPath, releaseChangelog(changelog, planned));
  writeFileSync(securityPath, releaseSupport(security, planned));
  requireGit(
    root,
    "commit",
    "--quiet",
    "--message",
    `release: publish ${planned.version}`,
    "--",
    "CHANGELOG.md",
    "SECURITY.md",
  );
  requireGit(
    root,
    "tag",
    "--sign",
    tag,
    "--message",
    `limmat ${planned.version}\n\n${releaseNotes(readFileSync(changelogPath, "utf8"), planned.version)}`,
  );
  if (!hasSignature(root, tag)) throw new Error(`git did not sign the tag ${tag}. Delete it: git tag --delete ${tag}`);
  print(
    `${tag} is ready. Look at it with "git show ${tag}", and publish it with: git push --atomic origin ${branch} ${tag}`,
  );
  return 0;
}

function git(root: string, ...args: readonly string[]): { readonly isDone: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
  return { isDone: status === 0, output: (status === 0 && stdout !== "" ? stdout : stdout + stderr).trim() };
}

function requireGit(root: string, ...args: readonly string[]): void {
  const { isDone, output } = git(root, ...args);
  if (!isDone) throw new Error(`git ${args[0] ?? ""} failed: ${output}`);
}

const versionTags = (root: string): readonly string[] => git(root, "tag", "--list", "v*").output.split("\n");

/** Checks that a tag is on the current commit, which the remote repository has on main or on the branch of the line. */
function checkCommit(root: string, tag: string): void {
  const [commit, head] = [`${tag}^{commit}`, "HEAD"].map((name) => git(root, "rev-parse", "--verify", name).output);
  if (commit !== head) throw new Error(`${tag} is not the tag of the current commit.`);
  const branches = ["main", lineBranch(tag.slice(1))];
  const isOn = (branch: string): boolean =>
    git(root, "merge-base", "--is-ancestor", "HEAD", `refs/remotes/origin/${branch}`).isDone;
  if (!branches.some(isOn)) throw new Error(`${tag} is neither on ${branches.join(" nor on ")} of origin.`);
}

function repositoryProblems(root: string, tag: string): readonly string[] {
  const changed = git(root, "status", "--porcelain").output;
  return [
    ...(changed === "" ? [] : [`These files have changes that are not committed:\n${changed}`]),
    ...(git(root, "tag", "--list", tag).output === "" ? [] : [`The tag ${tag} exists already.`]),
  ];
}

/** Signs a tag and deletes it again: git finds a key by its settings, by the agent or by the name of the committer. */
function signingProblems(root: string): readonly string[] {
  const probe = "limmat-signing-probe";
  const { output } = git(root, "tag", "--sign", "--force", probe, "--message", "Probe of the signing key");
  const isSigned = hasSignature(root, probe);
  git(root, "tag", "--delete", probe);
  if (isSigned) return [];
  const advice =
    "Configure a signing key: git config gpg.format ssh, and git config user.signingkey <path of the public key>.";
  return [`git cannot sign a tag: ${output}\n  ${advice}`];
}

/** Returns true if a tag is signed. Git 2.39 succeeds and makes a tag without a signature if a key of SSH is missing. */
const hasSignature = (root: string, tag: string): boolean =>
  /^-----BEGIN (?:SSH|PGP) SIGNATURE-----$/m.test(git(root, "cat-file", "tag", tag).output);

/** Asks the host of the repository for the result of the tests of the current commit, by its command-line tool `gh`. */
function testProblems(root: string): readonly string[] {
  const commit = git(root, "rev-parse", "HEAD").output;
  const args = ["run", "list", "--commit", commit, "--json", "workflowName,status,conclusion"];
  const { status, stdout, error, stderr } = spawnSync("gh", args, { cwd: root, encoding: "utf8" });
  const advice = 'Run ".ci/run" and ".ci/nightly" on this commit, and add --tested.';
  if (status !== 0) return [`The result of the tests is unknown: ${error?.message ?? stderr.trim()}. ${advice}`];
  return failedRuns(stdout).map((problem) => `${problem} ${advice}`);
}

interface WorkflowRun {
  readonly workflowName: string;
  readonly status: string;
  readonly conclusion: string;
}

/** Returns the problems of a list of workflow runs in JSON: none at all, or runs that have not succeeded. */
export function failedRuns(json: string): readonly string[] {
  const runs = JSON.parse(json) as readonly WorkflowRun[];
  if (runs.length === 0) return ["No workflow has run for this commit."];
  return runs
    .filter(({ conclusion }) => conclusion !== "success")
    .map(({ workflowName, status, conclusion }) => `The workflow "${workflowName}" is ${conclusion || status}.`);
}

if (import.meta.main) {
  try {
    process.exitCode = release({
      root: join(import.meta.dirname, "../.."),
      argv: process.argv.slice(2),
      date: new Date().toISOString().slice(0, 10),
      print: (line) => console.log(line),
    });
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
