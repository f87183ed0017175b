// The command `upgrade` on three examples and a generated project, with the names of an earlier version, and as they were in the
// release before. After it, the type checker finds nothing, and their tests pass.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createProject } from "../new-project/create-project.ts";
import { install, packFramework, type PackedFramework, run, runLimmat } from "../new-project/package.ts";
import { root } from "../sources.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

/** Present texts with those of an earlier version. */
const oldTexts: readonly (readonly [present: RegExp, old: string])[] = [
  [/\bContext\.get\(/g, "Context.find("],
  [/\bWeb\.RequestLimit\.by/g, "Web.by"],
  [/\bperiodMs: /g, "period: "],
  [/\bexpiresInMs: /g, "expiresIn: "],
  [/\bmaxFiles: /g, "files: "],
  [/\{ runCommand \}/g, "{ run }"],
  [/\brunCommand\(/g, "run("],
];

/** File whose names have several kinds of renames: a name, a member, another entry point, and an option. */
const presentFile = `import { isUniqueViolation } from "limmat/database";
import { Web } from "limmat";
import { compose } from "limmat/http";

export const isKnown = (error: unknown): boolean => isUniqueViolation(error, "name");
export const compress = compose([Web.Middleware.compression({ thresholdBytes: 100 })], () => Web.Response.text(""));
`;
const oldFile = `import { isTaken } from "limmat/database";
import { Web } from "limmat";

export const isKnown = (error: unknown): boolean => isTaken(error, "name");
export const compress = Web.compose([Web.Middleware.compression({ threshold: 100 })], () => Web.Response.text(""));
`;
const addedFile = "app/known-errors.ts";

function readSources(project: string): Readonly<Record<string, string>> {
  const paths = globSync("**/*.ts", { cwd: project, exclude: (path) => path === "node_modules" }).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(project, path), "utf8")]));
}

/** Gives a project the names of an earlier version. Returns its present texts, and the number of changed files. */
function makeOld(project: string): readonly [present: Readonly<Record<string, string>>, changedFiles: number] {
  const sources = readSources(project);
  let changedFiles = 1;
  for (const [path, text] of Object.entries(sources)) {
    const old = oldTexts.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), text);
    if (old === text) continue;
    changedFiles += 1;
    writeFileSync(join(project, path), old);
  }
  writeFileSync(join(project, addedFile), oldFile);
  return [{ ...sources, [addedFile]: presentFile }, changedFiles];
}

function commit(project: string): void {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: project,
      encoding: "utf8",
    });
  git("init", "--quiet");
  writeFileSync(join(project, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Before the upgrade");
}

const limmat = (project: string, ...args: readonly string[]): string => runLimmat(project, args);

const checkTypes = (project: string): string =>
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "--pretty", "false"], project);

/** Upgrades a project with old names, and checks the result. */
function testUpgrade(project: string, minimumFiles: number): void {
  const [present, changedFiles] = makeOld(project);
  assert.ok(changedFiles >= minimumFiles, `${changedFiles} files`);
  commit(project);
  assert.throws(() => checkTypes(project), /has no exported member/);
  const before = readSources(project);
  assert.match(limmat(project, "upgrade"), /Context\.find → Context\.get|isTaken → isUniqueViolation/);
  assert.deepEqual(readSources(project), before);
  assert.doesNotMatch(limmat(project, "upgrade", "--write"), /Type errors after the upgrade/);
  const upgraded = readSources(project);
  // The codemod keeps the order of the imports, and adds one at the end.
  assert.deepEqual(upgraded, present);
  testProject(project);
}

/** Checks the types of a project, and runs its tests. */
function testProject(project: string): void {
  assert.equal(checkTypes(project), "");
  assert.match(run(process.execPath, ["--test", "test/**/*.test.ts"], project), /fail 0\n/);
}

/** Copies an example as a project, with the type checks of the template. */
function copyExample(tree: string, project: string): void {
  cpSync(tree, project, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  const { compilerOptions, ...settings } = JSON.parse(readFileSync(join(root, "template/tsconfig.json"), "utf8")) as {
    readonly compilerOptions: object;
  };
  const options = { ...compilerOptions, noPropertyAccessFromIndexSignature: false };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ ...settings, compilerOptions: options }));
}

for (const [name, minimumFiles] of [
  ["todo", 1],
  ["notes", 4],
  ["tracker", 8],
] as const) {
  test(`examples/${name}`, () => {
    const project = join(framework.folder, name);
    copyExample(join(root, "examples", name), project);
    install(project, framework.tarball);
    testUpgrade(project, minimumFiles);
  });
}

function createGenerated(from: PackedFramework, name: string): string {
  const project = createProject(from, name);
  const app = (...args: readonly string[]): string => runLimmat(project, args);
  app("gen.html", "sqlite", "note", "title:string", "--wire");
  app("gen.auth", "--wire");
  app("gen.html", "sqlite", "project", "name:string", "--owner", "--wire");
  app("gen.command", "report.send", "--wire");
  return project;
}

test("a generated project", () => {
  testUpgrade(createGenerated(framework, "generated"), 5);
});

// The release of the tagged commit itself is not the one before.
const describe = spawnSync("git", ["describe", "--tags", "--abbrev=0", "--match=v*", "HEAD~1"], {
  cwd: root,
  encoding: "utf8",
});
const tag = describe.status === 0 ? describe.stdout.trim() : undefined;

test(
  "projects of the release before",
  { skip: tag === undefined && "no tag of a release is here", timeout: 900_000 },
  () => {
    const tree = join(framework.folder, "release");
    mkdirSync(tree);
    const archive = execFileSync("git", ["archive", tag ?? ""], { cwd: root, maxBuffer: 1024 ** 3 });
    execFileSync("tar", ["-x", "-C", tree], { input: archive });
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    const folder = join(tree, "build");
    const program = `import { packPackages } from "./tools/package.ts"; packPackages({ folder: ${JSON.stringify(folder)} });`;
    run(process.execPath, ["--input-type=module", "--eval", program], tree);
    const version = (tag ?? "").slice(1);
    const release: PackedFramework = {
      ...framework,
      version,
      tarball: join(folder, `limmat-${version}.tgz`),
      createLimmat: join(folder, `create-limmat-${version}.tgz`),
    };
    const projects = ["todo", "notes", "tracker"].map((name) => {
      const project = join(framework.folder, `released-${name}`);
      copyExample(join(tree, "examples", name), project);
      install(project, release.tarball);
      return project;
    });
    for (const project of [...projects, createGenerated(release, "released-generated")]) {
      testProject(project);
      commit(project);
      rmSync(join(project, "node_modules"), { recursive: true });
      install(project, framework.tarball);
      const hasRecord = existsSync(join(project, ".limmat.json"));
      limmat(project, "upgrade", "--write", "--force", ...(hasRecord ? [] : [`--from=${version}`]));
      testProject(project);
    }
  },
);
