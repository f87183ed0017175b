// The command `upgrade` on projects with the names of an earlier version: three examples and a generated project. After it, their
// texts are the present ones, the type checker finds nothing, and their tests pass.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createProject } from "../new-project/create-project.ts";
import { install, npm, packFramework, run } from "../new-project/package.ts";
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

const limmat = (project: string, ...args: readonly string[]): string =>
  run(process.execPath, [join(project, "node_modules/limmat/bin/limmat.mjs"), ...args], project);

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
  assert.equal(checkTypes(project), "");
  assert.match(run(process.execPath, ["--test", "test/**/*.test.ts"], project), /fail 0\n/);
}

for (const [name, minimumFiles] of [
  ["todo", 1],
  ["notes", 4],
  ["tracker", 8],
] as const) {
  test(`examples/${name}`, { timeout: 300_000 }, () => {
    const project = join(framework.folder, name);
    cpSync(join(root, "examples", name), project, { recursive: true });
    const { compilerOptions, ...settings } = JSON.parse(readFileSync(join(root, "template/tsconfig.json"), "utf8")) as {
      readonly compilerOptions: object;
    };
    const options = { ...compilerOptions, noPropertyAccessFromIndexSignature: false };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ ...settings, compilerOptions: options }));
    install(project, framework.tarball);
    testUpgrade(project, minimumFiles);
  });
}

test("a generated project", { timeout: 300_000 }, () => {
  const project = createProject(framework, "generated");
  const app = (...args: readonly string[]): string => npm(["run", "--silent", "app", "--", ...args], project);
  app("gen.html", "sqlite", "note", "title:string", "--wire");
  app("gen.auth", "--wire");
  app("gen.html", "sqlite", "project", "name:string", "--owner", "--wire");
  app("gen.command", "report.send", "--wire");
  testUpgrade(project, 5);
});
