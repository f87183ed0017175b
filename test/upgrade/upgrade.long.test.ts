// The command `upgrade` on three examples and a generated project, with the names of an earlier version, and as they were in the
// release before. After it, the type checker finds nothing, and their tests pass.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createProject } from "../new-project/create-project.ts";
import { install, packFramework, type PackedFramework, run, runLimmat } from "../new-project/package.ts";
import { root } from "../sources.ts";

const framework = packFramework();
after(() => framework[Symbol.dispose]());

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

/** Checks the types of a project, and runs its tests. */
function testProject(project: string): void {
  assert.equal(checkTypes(project), "");
  assert.match(run(process.execPath, ["--test", "test/**/*.test.ts"], project), /fail 0\n/);
}

/** Copies an example as a project, with the type checks of the template. */
function copyExample(tree: string, project: string): void {
  cpSync(tree, project, { recursive: true, filter: (path) => !path.endsWith("node_modules") });
  for (const file of ["public/app.css", "public/forms.js"])
    cpSync(join(tree, "../../template", file), join(project, file));
  const { compilerOptions, ...settings } = JSON.parse(readFileSync(join(root, "template/tsconfig.json"), "utf8")) as {
    readonly compilerOptions: object;
  };
  const options = { ...compilerOptions, noPropertyAccessFromIndexSignature: false };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ ...settings, compilerOptions: options }));
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

/** Version that a project was written for, below every released one. */
const oldVersion = "0.0.1";

test("an upgrade of a project of the installed template changes only the record", () => {
  const project = createProject(framework, "generated");
  assert.equal(limmat(project, "upgrade"), `limmat ${framework.version}\n`);
  const path = join(project, ".limmat.json");
  writeFileSync(path, readFileSync(path, "utf8").replace(/("version": )"[^"]*"/, `$1"${oldVersion}"`));
  commit(project);
  assert.match(limmat(project, "upgrade"), new RegExp(`limmat ${oldVersion.replaceAll(".", "\\.")} → `));
  limmat(project, "upgrade", "--write");
  const changed = execFileSync("git", ["status", "--porcelain"], { cwd: project, encoding: "utf8" });
  assert.equal(changed, " M .limmat.json\n");
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
