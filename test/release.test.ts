// The release tool, in a repository of its own.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseChangelog } from "../src/generators/upgrade/changelog.ts";
import { compareVersions } from "../src/generators/upgrade/versions.ts";
import { newestVersion } from "../tools/package.ts";
import { failedRuns, release } from "../tools/release/release.ts";
import { branchProblems, npmDistTag } from "../tools/release/version-line.ts";
import {
  addMonths,
  checkTag,
  nextVersion,
  planRelease,
  releaseChangelog,
  releaseNotes,
  releaseSupport,
} from "../tools/release/release-files.ts";
import { root } from "./sources.ts";

const changelog = `# Changelog

## Unreleased

- **Sessions** (breaking): shorter.

## 0.1.0 (unreleased)

- **All**: new.
`;
const security = `# Security

| Version  | Published | Supported until |
| -------- | --------- | --------------- |
| none yet |           |                 |

End.
`;

const kinds = (...list: readonly ("breaking" | "deprecated" | "fixed" | "change")[]) =>
  list.map((kind) => ({ topic: "", kind, text: "" }));

test("the entries decide the version", () => {
  for (const [current, entries, expected] of [
    ["0.1.4", kinds("change", "breaking"), "0.2.0"],
    ["0.1.4", kinds("change", "deprecated"), "0.1.5"],
    ["0.1.4", kinds("fixed"), "0.1.5"],
    ["1.2.3", kinds("fixed", "breaking"), "2.0.0"],
    ["1.2.3", kinds("deprecated", "fixed"), "1.3.0"],
    ["1.2.3", kinds("fixed"), "1.2.4"],
    ["1.0.0-beta.1", kinds("fixed", "breaking"), "1.0.0"],
  ] as const) {
    assert.equal(nextVersion(current, entries), expected);
  }
});

test("versions are compared by number, and a pre-release is older", () => {
  const sorted = [
    "0.9.0",
    "0.10.0",
    "1.0.0-alpha",
    "1.0.0-beta.2",
    "1.0.0-beta.10",
    "1.0.0-beta.10.1",
    "1.0.0",
    "1.0.1",
  ];
  assert.deepEqual(sorted.toReversed().toSorted(compareVersions), sorted);
  assert.throws(() => compareVersions("1.0", "1.0.0"), /is not a version/);
});

test("a release needs entries and a newer version", () => {
  assert.deepEqual(planRelease(changelog, "2026-11-23", undefined), { version: "0.2.0", date: "2026-11-23" });
  assert.equal(planRelease(changelog, "2026-11-23", "1.0.0").version, "1.0.0");
  assert.throws(() => planRelease(changelog, "2026-11-23", "0.1.0"), /is not newer/);
  const released = changelog.replace(/^- \*\*Sessions.*$/m, "").replace("(unreleased)", "(2026-11-20)");
  assert.throws(() => planRelease(released, "2026-11-23", undefined), /no entry/);
});

test("the table of supported versions gets a row for each line of versions", () => {
  const first = releaseSupport(security, { version: "0.2.0", date: "2026-11-30" });
  assert.equal(releaseSupport(first, { version: "0.2.1", date: "2026-12-01" }), first);
  const second = releaseSupport(first, { version: "0.3.0", date: "2026-12-31" });
  assert.equal(
    second,
    `# Security

| Version | Published  | Supported until             |
| ------- | ---------- | --------------------------- |
| 0.3     | 2026-12-31 | 3 months after the next one |
| 0.2     | 2026-11-30 | 2027-03-31                  |

End.
`,
  );
  assert.equal(releaseSupport(second, { version: "0.4.0-beta.1", date: "2027-01-10" }), second);
  assert.equal(addMonths("2026-11-30", 3), "2027-02-28");
});

test("the workflows of a commit must have succeeded", () => {
  const run = (conclusion: string, status = "completed"): object => ({ workflowName: "test", status, conclusion });
  assert.deepEqual(failedRuns(JSON.stringify([run("success")])), []);
  assert.match(failedRuns(JSON.stringify([run("success"), run("failure")])).join(), /"test" is failure/);
  assert.match(failedRuns(JSON.stringify([run("", "in_progress")])).join(), /"test" is in_progress/);
  assert.match(failedRuns("[]").join(), /No workflow has run/);
});

test("main releases new versions, and the branch of a version line its fixes", () => {
  const tags = ["v1.2.0", "v1.2.3", "v1.10.0", "v2.0.0", "v3.0.0-beta.1", "vendor-9.0.0", "v4"];
  for (const [branch, version, expected] of [
    ["main", "3.0.0-beta.2", undefined],
    ["main", "3.0.0", undefined],
    ["main", "2.0.1", /2\.0\.1 is older than v3\.0\.0-beta\.1, the newest tag.*branch 2\.0\.x/],
    ["2.0.x", "2.0.1", undefined],
    ["1.2.x", "1.2.4", undefined],
    ["1.2.x", "1.2.2", /1\.2\.2 is older than v1\.2\.3/],
    ["1.2.x", "1.3.0", /1\.3\.0 does not belong to the branch 1\.2\.x.*\(fixed\)/],
    ["1.2.x", "1.2.4-beta.1", /1\.2\.4-beta\.1 does not belong to the branch 1\.2\.x/],
    ["1.x", "1.2.4", /The branch is "1\.x".*main.*1\.2\.x/],
    ["v1.2.x", "1.2.4", /The branch is "v1\.2\.x"/],
    ["fix/1.2.x", "1.2.4", /The branch is "fix\/1\.2\.x"/],
    ["", "1.2.4", /The branch is ""/],
  ] as const) {
    const problems = branchProblems(branch, version, tags).join("\n");
    if (expected === undefined) assert.equal(problems, "", `${version} on ${branch}`);
    else assert.match(problems, expected);
  }
});

test("the dist-tag of an older version is not latest", () => {
  for (const [version, others, expected] of [
    ["1.0.0", [], "latest"],
    ["2.0.0", ["v1.2.3"], "latest"],
    ["1.10.0", ["v1.9.0"], "latest"],
    ["1.2.4", ["v1.2.3", "v2.0.0"], "release-1.2.x"],
    ["1.2.4", ["v1.10.0"], "release-1.2.x"],
    // A pre-release does not end the newest line.
    ["2.0.1", ["v2.0.0", "v3.0.0-beta.1"], "latest"],
    ["3.0.0-beta.2", ["v2.0.0", "v3.0.0-beta.1"], "next"],
    ["1.2.4", ["vendor-9.0.0", "v9", "19.0.0"], "latest"],
  ] as const) {
    assert.equal(npmDistTag(`v${version}`, [...others, `v${version}`]), expected, `${version} beside ${others.join()}`);
  }
  assert.throws(() => npmDistTag("v3.0.0-beta.1", ["v3.0.0-beta.1", "v3.0.0"]), /older than v3\.0\.0/);
  // A clone without its tags would make every version the latest one.
  assert.throws(() => npmDistTag("v1.2.4", []), /v1\.2\.4 is not a tag/);
});

const folder = mkdtempSync(join(tmpdir(), "limmat-release-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Creates a repository with a commit. Signs with a key if it is given. */
function createRepository(name: string, signingKey?: string): { git: (...args: string[]) => string; path: string } {
  const path = join(folder, name);
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", path]);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: path, encoding: "utf8" }).trim();
  git("config", "user.name", "Test");
  git("config", "user.email", "test@example.com");
  git("config", "gpg.format", "ssh");
  git("config", "user.signingkey", signingKey ?? join(folder, "missing.pub"));
  writeFileSync(join(path, "CHANGELOG.md"), changelog);
  writeFileSync(join(path, "SECURITY.md"), security);
  git("add", "--all");
  git("commit", "--quiet", "--message", "First");
  return { git, path };
}

function runRelease(path: string, ...argv: readonly string[]): readonly [code: number, output: string] {
  const lines: string[] = [];
  const code = release({ root: path, argv, date: "2026-11-23", print: (line) => lines.push(line) });
  return [code, lines.join("\n")];
}

/** Adds a remote repository named `origin`. */
function createOrigin(git: (...args: string[]) => string, path: string): void {
  execFileSync("git", ["init", "--quiet", "--bare", `${path}.git`]);
  git("remote", "add", "origin", `${path}.git`);
}

const hasSshKeygen = spawnSync("ssh-keygen", ["-?"]).error === undefined;
const whenSshKeygenExists = { skip: !hasSshKeygen && "there is no ssh-keygen here" };

function createSigningKey(name: string): string {
  const key = join(folder, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
  return `${key}.pub`;
}

test("a release is a commit and a signed tag", whenSshKeygenExists, () => {
  const { git, path } = createRepository("signed", createSigningKey("key"));
  const before = git("rev-parse", "HEAD");
  assert.deepEqual(runRelease(path, "--dry-run", "--tested"), [0, "Next version: 0.2.0"]);
  assert.deepEqual([git("rev-parse", "HEAD"), git("tag", "--list"), git("status", "--porcelain")], [before, "", ""]);

  const [code, output] = runRelease(path, "--tested");
  assert.equal(code, 0, output);
  assert.match(output, /git push --atomic origin main v0\.2\.0/);
  assert.equal(git("log", "-1", "--format=%s"), "release: publish 0.2.0");
  assert.equal(git("tag", "--list"), "v0.2.0");
  assert.match(git("cat-file", "tag", "v0.2.0"), /\*\*Sessions\*\* \(breaking\): shorter\.[^]*BEGIN SSH SIGNATURE/);
  assert.equal(git("status", "--porcelain"), "");
  const released = readFileSync(join(path, "CHANGELOG.md"), "utf8");
  assert.match(released, /^## Unreleased\n\n## 0\.2\.0 \(2026-11-23\)\n\n- \*\*Sessions/m);
  assert.match(readFileSync(join(path, "SECURITY.md"), "utf8"), /^\| 0\.2 +\| 2026-11-23 \|/m);

  assert.throws(() => runRelease(path, "--check", "v0.2.0"), /neither on main nor on 0\.2\.x/);
  createOrigin(git, path);
  git("push", "--quiet", "--atomic", "origin", "main", "v0.2.0");
  assert.deepEqual(runRelease(path, "--check", "v0.2.0"), [0, ""]);
  assert.throws(() => runRelease(path, "--check", "v0.1.0"), /not the newest version/);
  assert.deepEqual(runRelease(path, "--notes", "v0.2.0"), [0, "- **Sessions** (breaking): shorter."]);
  assert.throws(() => checkTag(released.replace("## Unreleased\n", "## Unreleased\n\n- **More**: new.\n"), "v0.2.0"));
  assert.throws(() => releaseNotes(released, "0.9.0"), /no section/);
  assert.equal(
    releaseNotes(
      "## 1.0.0 (2026-11-23)\n\n[a](docs/a.md#b) [c](https://c.example) [d](#d)\n",
      "1.0.0",
      "https://x.example/v1",
    ),
    "[a](https://x.example/v1/docs/a.md#b) [c](https://c.example) [d](#d)",
  );
});

test("a version without a date is released as it stands", () => {
  const first = changelog.replace("- **Sessions** (breaking): shorter.\n\n", "");
  const plan = planRelease(first, "2026-11-23", undefined);
  assert.deepEqual(plan, { version: "0.1.0", date: "2026-11-23" });
  assert.equal(releaseChangelog(first, plan), first.replace("(unreleased)", "(2026-11-23)"));
  assert.throws(() => planRelease(releaseChangelog(first, plan), "2026-11-24", undefined), /no entry/);
});

test("the branch of a version line releases a fix after the next line", whenSshKeygenExists, () => {
  const { git, path } = createRepository("lines", createSigningKey("line-key"));
  createOrigin(git, path);
  const addEntry = (entry: string): void => {
    const text = readFileSync(join(path, "CHANGELOG.md"), "utf8");
    writeFileSync(join(path, "CHANGELOG.md"), text.replace("## Unreleased\n", `## Unreleased\n\n${entry}\n`));
    git("commit", "--quiet", "--all", "--message", "Change");
  };
  assert.equal(runRelease(path, "--tested", "1.2.0")[0], 0);
  addEntry("- **Sessions** (breaking): longer.");
  assert.equal(runRelease(path, "--tested")[0], 0);
  git("push", "--quiet", "--atomic", "origin", "main", "v1.2.0", "v2.0.0");

  git("switch", "--quiet", "--create", "1.2.x", "v1.2.0");
  addEntry("- **Cookies**: a feature.");
  const [featureCode, featureOutput] = runRelease(path, "--tested");
  assert.equal(featureCode, 1);
  assert.match(featureOutput, /1\.3\.0 does not belong to the branch 1\.2\.x/);
  git("reset", "--quiet", "--hard", "HEAD~1");
  addEntry("- **Cookies** (fixed): a fix of the line.");
  const [code, output] = runRelease(path, "--tested");
  assert.equal(code, 0, output);
  assert.match(output, /git push --atomic origin 1\.2\.x v1\.2\.1/);
  assert.match(git("cat-file", "tag", "v1.2.1"), /a fix of the line\.[^]*BEGIN SSH SIGNATURE/);

  assert.throws(() => runRelease(path, "--check", "v1.2.1"), /neither on main nor on 1\.2\.x/);
  git("push", "--quiet", "origin", "1.2.x:other", "v1.2.1");
  assert.throws(() => runRelease(path, "--check", "v1.2.1"), /neither on main nor on 1\.2\.x/);
  git("push", "--quiet", "origin", "1.2.x");
  assert.deepEqual(runRelease(path, "--check", "v1.2.1"), [0, ""]);
  assert.deepEqual(runRelease(path, "--notes", "v1.2.1"), [0, "- **Cookies** (fixed): a fix of the line."]);
  assert.deepEqual(runRelease(path, "--dist-tag", "v1.2.1"), [0, "release-1.2.x"]);
  assert.deepEqual(runRelease(path, "--dist-tag", "v2.0.0"), [0, "latest"]);
  git("commit", "--quiet", "--allow-empty", "--message", "More");
  assert.throws(() => runRelease(path, "--check", "v1.2.1"), /not the tag of the current commit/);

  const shallow = join(folder, "shallow");
  execFileSync("git", ["clone", "--quiet", "--depth=1", "--branch=v1.2.1", `file://${path}.git`, shallow], {
    stdio: "ignore",
  });
  assert.throws(() => runRelease(shallow, "--dist-tag", "v1.2.1"), /shallow/);
});

test("nothing is written without a key, without tests, and on a changed tree", () => {
  const { git, path } = createRepository("unsigned");
  writeFileSync(join(path, "more.txt"), "");
  git("checkout", "--quiet", "-b", "other");
  const [code, output] = runRelease(path);
  assert.equal(code, 1);
  assert.match(output, /The branch is "other".*main.*0\.2\.x/);
  assert.match(output, /not committed:\n\?\? more\.txt/);
  assert.match(output, /git cannot sign a tag[^]*Configure a signing key/);
  assert.match(output, /The result of the tests is unknown|No workflow has run/);
  assert.equal(readFileSync(join(path, "CHANGELOG.md"), "utf8"), changelog);
  assert.equal(git("tag", "--list"), "");
});

test("every line of the changelog belongs to an entry that the tools can read", () => {
  const text = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const entries = parseChangelog(text).flatMap((section) => section.entries);
  assert.equal(entries.length, text.match(/^- /gm)?.length);
  assert.deepEqual(text.match(/^## .*$/gm)?.length, parseChangelog(text).length);
  assert.match(newestVersion(), /^\d+\.\d+\.\d+/);
});
