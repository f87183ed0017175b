import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { App } from "../../app/index.ts";
import { type CommandResult, runCommand } from "../../testing/index.ts";
import { createProject } from "../new/create-project.ts";
import { blobId, findOriginal, packText, type ProjectRecord, recordPath } from "../../project/index.ts";
import type { ChangeKind, ChangelogEntry } from "./changelog.ts";
import { printPlan } from "./report.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-upgrade-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let projectCount = 0;

/** Project of an older version of the framework, in a git repository. */
class OldProject {
  readonly root: string;

  constructor() {
    projectCount += 1;
    this.root = createProject({ path: join(folder, String(projectCount), "shop"), database: "sqlite" }).root;
    this.record((record) => ({ ...record, version: "0.0.1" }));
    this.git("init", "--quiet");
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Writes the text that the template had for a file before. */
  writeOldTemplate(path: string, text: string): void {
    this.write(path, text);
    this.record((record) => ({ ...record, files: { ...record.files, [path]: blobId(text) } }));
  }

  record(change: (record: ProjectRecord) => object): void {
    const record = JSON.parse(this.read(recordPath)) as ProjectRecord;
    this.write(recordPath, `${JSON.stringify(change(record), undefined, 2)}\n`);
  }

  git(...args: readonly string[]): string {
    const user = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.autocrlf=false"];
    return execFileSync("git", [...user, ...args], { cwd: this.root, encoding: "utf8" });
  }

  commit(): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", "Project");
  }

  upgrade(...args: readonly string[]): Promise<CommandResult> {
    return runCommand(App.create({ root: this.root, services: [] }), "upgrade", ...args);
  }

  files(): Readonly<Record<string, string>> {
    const paths = readdirSync(this.root, { recursive: true, encoding: "utf8" })
      .filter((path) => !path.startsWith(".git/") && statSync(join(this.root, path)).isFile())
      .sort();
    return Object.fromEntries(paths.map((path) => [path, this.read(path)]));
  }
}

test("a project of the installed version needs no change", async () => {
  const project = new OldProject();
  project.record((record) => ({ ...record, version: currentVersion }));
  project.commit();
  const { code, stdout, stderr } = await project.upgrade();
  assert.deepEqual([code, stderr.includes("No file needs a change")], [0, true], stderr);
  assert.match(stdout, new RegExp(`^limmat ${currentVersion.replaceAll(".", "\\.")}$`, "m"));
});

const currentVersion = ((): string => {
  const { root } = createProject({ path: join(folder, "current", "shop"), database: "sqlite" });
  return (JSON.parse(readFileSync(join(root, recordPath), "utf8")) as ProjectRecord).version;
})();

test("replaces unchanged template files, merges changed ones, and adds new ones", async () => {
  const project = new OldProject();
  const [layout, setup] = [project.read("web/view/layout.ts"), project.read("test/setup.ts")];
  const readme = project.read("README.md");
  project.writeOldTemplate("web/view/layout.ts", "// Old layout\n");
  project.writeOldTemplate("README.md", readme.replace(/^npm .*$/m, "An old command"));
  rmSync(join(project.root, "test/setup.ts"));
  project.record(({ files, ...record }) => {
    const others = Object.entries(files).filter(([path]) => path !== "test/setup.ts");
    return { ...record, files: Object.fromEntries(others) };
  });
  rmSync(join(project.root, "Dockerfile"));
  project.writeOldTemplate("web/gone.ts", "export const gone = 1;\n");
  project.commit();
  appendFileSync(join(project.root, "README.md"), "\nOur own section.\n");
  project.commit();

  const before = project.files();
  const dryRun = await project.upgrade();
  assert.equal(dryRun.code, 0, dryRun.stderr);
  assert.match(dryRun.stdout, /^limmat 0\.0\.1 → /);
  assert.match(dryRun.stdout, /updated {3}web\/view\/layout\.ts/);
  assert.match(dryRun.stdout, /merged {4}README\.md/);
  assert.match(dryRun.stdout, /added {5}test\/setup\.ts/);
  assert.match(dryRun.stdout, /obsolete {2}web\/gone\.ts/);
  assert.match(dryRun.stdout, /^-\/\/ Old layout$/m);
  assert.doesNotMatch(dryRun.stdout, /Dockerfile/);
  assert.match(dryRun.stderr, /Dry run/);
  assert.deepEqual(project.files(), before);

  const { code, stderr } = await project.upgrade("--write");
  assert.equal(code, 0, stderr);
  assert.equal(project.read("web/view/layout.ts"), layout);
  assert.equal(project.read("test/setup.ts"), setup);
  assert.equal(project.read("README.md"), `${readme}\nOur own section.\n`);
  assert.ok(existsSync(join(project.root, "web/gone.ts")));
  assert.ok(!existsSync(join(project.root, "Dockerfile")));
  assert.equal((JSON.parse(project.read(recordPath)) as ProjectRecord).version, currentVersion);
  project.commit();
  assert.match((await project.upgrade()).stderr, /No file needs a change/);
});

test("writes the new version next to a file in which both changed the same lines", async () => {
  const project = new OldProject();
  const target = project.read("web/view/welcome.ts");
  project.writeOldTemplate("web/view/welcome.ts", "// Old page\n");
  project.commit();
  project.write("web/view/welcome.ts", "// Our page\n");
  project.commit();
  const { stdout, stderr } = await project.upgrade("--write");
  assert.match(stdout, /conflict {2}web\/view\/welcome\.ts/);
  // The difference shows what the template changed.
  assert.match(stdout, /^-\/\/ Old page$/m);
  assert.match(stderr, /Copy what you need from web\/view\/welcome\.ts\.new/);
  assert.equal(project.read("web/view/welcome.ts"), "// Our page\n");
  assert.equal(project.read("web/view/welcome.ts.new"), target);
});

test("a changed file whose original was never committed is a conflict", async () => {
  const project = new OldProject();
  project.writeOldTemplate(".editorconfig", "# Old\n");
  appendFileSync(join(project.root, ".editorconfig"), "# Ours\n");
  project.commit();
  const { stdout } = await project.upgrade();
  assert.match(stdout, /conflict {2}\.editorconfig/);
  assert.match(stdout, /^-# Ours$/m);
});

test("merges again after a merge, although no commit has the text of the template in between", async () => {
  const project = new OldProject();
  const readme = project.read("README.md");
  const between = readme.replace(/^# .*/, "# Title of an older template");
  const upgradeFrom = async (original: string): Promise<CommandResult> => {
    project.writeOldTemplate("README.md", between);
    project.record((record) => ({ ...record, originals: { "README.md": original, "gone.md": original } }));
    project.write("README.md", `${between}\nOur own section.\n`);
    project.commit();
    return project.upgrade("--write");
  };
  assert.match((await upgradeFrom(packText(between))).stdout, /merged {4}README\.md/);
  assert.equal(project.read("README.md"), `${readme}\nOur own section.\n`);
  // The next upgrade can merge with the present template.
  const record = JSON.parse(project.read(recordPath)) as ProjectRecord;
  assert.deepEqual(Object.keys(record.originals ?? {}), ["README.md"]);
  assert.equal(findOriginal(record, "README.md"), readme);
  project.commit();
  assert.match((await project.upgrade()).stderr, /No file needs a change/);

  // A text that is not the recorded one, or is damaged, is not used.
  for (const damaged of [packText(readme), "AAAA"])
    assert.match((await upgradeFrom(damaged)).stdout, /conflict {2}README\.md/);
});

test("keeps the version of the framework that the project chose, and its database", async () => {
  const project = new OldProject();
  const manifest = project.read("package.json");
  const old = manifest.replace(/("limmat": )"[^"]*"/, '$1"0.0.1"').replace('"format": "oxfmt"', '"format": "old"');
  project.writeOldTemplate("package.json", old);
  project.commit();
  project.write("package.json", old.replace('"limmat": "0.0.1"', '"limmat": "file:../limmat.tgz"'));
  const { code, stderr } = await project.upgrade("--write");
  assert.equal(code, 0, stderr);
  assert.equal(project.read("package.json"), manifest.replace(/("limmat": )"[^"]*"/, '$1"file:../limmat.tgz"'));
  assert.match(stderr, /Next: npm install/);
});

test("merges package.json by property: a dependency next to the new version of the framework stays", async () => {
  const project = new OldProject();
  const manifest = project.read("package.json");
  const old = manifest.replace(/("limmat": )"[^"]*"/, '$1"0.0.1"').replace('"format": "oxfmt"', '"format": "old"');
  project.writeOldTemplate("package.json", old);
  project.commit();
  const withMail = (text: string): string => text.replace(/("limmat": "[^"]*")/, '$1,\n    "nodemailer": "10.6.0"');
  const chosen = (text: string): string => text.replace(/("limmat": )"[^"]*"/, '$1"0.9.9"');
  project.write("package.json", withMail(chosen(old)));
  project.commit();
  const { code, stdout, stderr } = await project.upgrade("--write");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /merged {4}package\.json/);
  assert.equal(project.read("package.json"), withMail(chosen(manifest)));
  project.commit();
  // The version alone is no change of the template.
  project.write("package.json", withMail(manifest));
  project.commit();
  assert.match((await project.upgrade()).stderr, /No file needs a change/);
});

test("a new version alone is no change of package.json, also if its original text was never committed", async () => {
  const project = new OldProject();
  const manifest = project.read("package.json");
  project.writeOldTemplate("package.json", manifest.replace(/("limmat": )"[^"]*"/, '$1"0.0.1"'));
  const changed = manifest.replace(/("limmat": )"[^"]*"/, '$1"^0.1.0",\n    "nodemailer": "10.6.0"');
  project.write("package.json", changed);
  project.commit();
  const { stdout } = await project.upgrade("--write");
  assert.doesNotMatch(stdout, /package\.json/);
  assert.equal(project.read("package.json"), changed);
});

test("shows the changes of the changelog since the old version", async () => {
  const project = new OldProject();
  project.commit();
  assert.match((await project.upgrade()).stdout, /1 other change: see CHANGELOG\.md/);
  assert.doesNotMatch((await project.upgrade("--from", currentVersion)).stdout, /CHANGELOG/);
  const lines: string[] = [];
  const entry = (kind: ChangeKind, text: string): ChangelogEntry => ({ topic: "Router", kind, text });
  const changes = [entry("breaking", "see [`get`](a.md)."), entry("deprecated", "`post`."), entry("fixed", "put.")];
  const plan = { from: undefined, to: "0.2.0", changes, template: [], templateNote: undefined, record: undefined };
  const output = { print: (line = "") => void lines.push(line), note: () => {}, isTerminal: false };
  printPlan(plan, output, { withDiffs: false });
  assert.equal(
    lines.join("\n"),
    `limmat unknown version → 0.2.0

Breaking changes:
  Router: see get.

Deprecated:
  Router: post.

1 other change: see CHANGELOG.md of the package.`,
  );
});

test("refuses to write where git could not take the changes back", async () => {
  const project = new OldProject();
  project.writeOldTemplate("web/view/layout.ts", "// Old layout\n");
  project.commit();
  project.write("app/mine.ts", "export {};\n");
  const refused = await project.upgrade("--write");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /E_UPGRADE_UNSAFE/);
  assert.match(refused.stderr, /app\/mine\.ts/);
  assert.equal(project.read("web/view/layout.ts"), "// Old layout\n");
  rmSync(join(project.root, ".git"), { recursive: true });
  assert.match((await project.upgrade("--write")).stderr, /not in a git repository/);
  assert.equal((await project.upgrade("--write", "--force")).code, 0);
  assert.notEqual(project.read("web/view/layout.ts"), "// Old layout\n");
});

test("a project without a record has no comparison of the template, and a damaged record is an error", async () => {
  const project = new OldProject();
  rmSync(join(project.root, recordPath));
  const { code, stdout, stderr } = await project.upgrade("--from=0.0.1");
  assert.equal(code, 0, stderr);
  assert.match(stderr, /\.limmat\.json is missing/);
  assert.match(stdout, /^limmat 0\.0\.1 → /);
  for (const damaged of ["{", "[]", '{ "version": 1, "files": {} }', '{ "version": "1", "files": { "a": "../b" } }']) {
    project.write(recordPath, damaged);
    assert.match((await project.upgrade()).stderr, /E_UPGRADE_RECORD/);
  }
});

test("keeps line ends of Windows, in merged and in replaced files", async () => {
  const project = new OldProject();
  const readme = project.read("README.md");
  const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
  const layout = project.read("web/view/layout.ts");
  project.writeOldTemplate("README.md", readme.replace(/^# .*/, "# Old title"));
  project.writeOldTemplate("web/view/layout.ts", "// Old layout\n");
  project.commit();
  project.write("README.md", crlf(`${project.read("README.md")}\nOur own section.\n`));
  project.write("web/view/layout.ts", crlf(project.read("web/view/layout.ts")));
  project.commit();
  const { code, stdout, stderr } = await project.upgrade("--write");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /merged {4}README\.md/);
  assert.equal(project.read("README.md"), crlf(`${readme}\nOur own section.\n`));
  assert.equal(project.read("web/view/layout.ts"), crlf(layout));
});

test("changes no file that is not UTF-8, or that a folder replaces", async () => {
  const project = new OldProject();
  for (const path of ["README.md", "web/view/layout.ts"]) project.writeOldTemplate(path, "Old\n");
  rmSync(join(project.root, "README.md"));
  project.write("README.md/mine.txt", "mine");
  const bytes = Buffer.from("// Z\u00fcrich\n", "latin1");
  writeFileSync(join(project.root, "web/view/layout.ts"), bytes);
  project.commit();
  const { code, stdout, stderr } = await project.upgrade("--write");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /conflict {2}README\.md/);
  assert.match(stdout, /conflict {2}web\/view\/layout\.ts/);
  assert.equal(project.read("README.md/mine.txt"), "mine");
  assert.deepEqual(readFileSync(join(project.root, "web/view/layout.ts")), bytes);
});

test("refuses a version that is newer than the installed one, or is none, and a damaged package.json", async () => {
  const project = new OldProject();
  project.commit();
  for (const version of ["9.9.9", "latest", ""])
    assert.match((await project.upgrade(`--from=${version}`)).stderr, /E_UPGRADE_VERSION/);
  project.write("package.json", "{");
  assert.match((await project.upgrade()).stderr, /E_UPGRADE_MANIFEST/);
  project.record((record) => ({ ...record, version: "9.9.9" }));
  assert.match((await project.upgrade()).stderr, /written for limmat 9\.9\.9, which is newer than the installed/);
});

test("does not overwrite the new version of an earlier conflict before it is committed", async () => {
  const project = new OldProject();
  project.writeOldTemplate("web/view/welcome.ts", "// Old page\n");
  project.commit();
  project.write("web/view/welcome.ts", "// Our page\n");
  project.commit();
  project.write("web/view/welcome.ts.new", "// Our notes\n");
  assert.match((await project.upgrade("--write")).stderr, /E_UPGRADE_UNSAFE/);
  assert.equal(project.read("web/view/welcome.ts.new"), "// Our notes\n");
});
