import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
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
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, beforeEach, mock, test } from "node:test";
import { newProject } from "./new-project.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-new-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let printed: string[] = [];
for (const name of ["log", "error"] as const) mock.method(console, name, (text: string) => printed.push(text));
beforeEach(() => {
  printed = [];
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true });
});

/** Creates a project with these input lines. Returns the terminal output and the exit code. */
async function answer(lines: readonly string[], ...argv: readonly string[]): Promise<readonly [string, number]> {
  const input = new PassThrough();
  const output = new PassThrough();
  input.end(lines.map((line) => `${line}\n`).join(""));
  const code = await newProject({
    program: "new",
    argv: ["--no-install", "--no-git", ...argv],
    terminal: { input, output },
  });
  output.end();
  return [Buffer.concat(await output.toArray()).toString(), code];
}

const databaseOf = (project: string): string =>
  /limmat\/database\/(\w+)/.exec(readFileSync(join(project, "service/service.ts"), "utf8"))?.[1] ?? "";

test("asks for the folder and the database, by number or name", async () => {
  const [shown, code] = await answer([join(folder, "first"), "3"]);
  assert.equal(code, 0);
  assert.match(shown, /Folder of the new project[^]* {2}2 {2}PostgreSQL\n[^]*Database/);
  assert.equal(databaseOf(join(folder, "first")), "mariadb");
  await answer([join(folder, "second"), "postgresql"]);
  assert.equal(databaseOf(join(folder, "second")), "postgresql");
});

test("uses the default for an empty answer and asks only for missing arguments", async () => {
  const [shown, code] = await answer([""], join(folder, "app"));
  assert.equal(code, 0);
  assert.doesNotMatch(shown, /Folder/);
  assert.equal(databaseOf(join(folder, "app")), "sqlite");
  assert.deepEqual(await answer([], join(folder, "other"), "--database=mariadb"), ["", 0]);
});

test("repeats the question with the reason after an invalid answer", async () => {
  mkdirSync(join(folder, "taken"));
  writeFileSync(join(folder, "taken/mine.txt"), "mine");
  writeFileSync(join(folder, "file"), "mine");
  const wrong = [join(folder, "taken"), join(folder, "file"), join(folder, "???")];
  const [shown, code] = await answer([...wrong, join(folder, "app"), "9", "postgres", "2"]);
  assert.equal(code, 0);
  assert.equal(shown.match(/Folder of the new project/g)?.length, 4);
  assert.equal(shown.match(/already exists and is not empty/g)?.length, 2);
  assert.match(shown, /"\?\?\?" is not a valid project name/);
  assert.match(shown, /"9" is not a supported database\. Choose one of/);
  assert.match(shown, /Did you mean "postgresql"\?/);
  assert.equal(databaseOf(join(folder, "app")), "postgresql");
  assert.deepEqual(readdirSync(folder).sort(), ["app", "file", "taken"]);
});

test("refuses the name of a package that the project contains, and says so", async () => {
  assert.deepEqual(await answer([], join(folder, "limmat"), "--database=sqlite"), ["", 1]);
  assert.match(printed.join("\n"), /"limmat" is not a valid project name: the folder of a package has this name\./);
});

test("gives the tests a database of their own, on each database", async () => {
  const urls = ["sqlite", "postgresql", "mariadb"].map(async (database) => {
    const path = join(folder, database);
    assert.deepEqual(await answer([], path, "--yes", `--database=${database}`), ["", 0]);
    const [development, tests] = [".env", ".env.test"].map(
      (file) => /^DATABASE_URL=(.+)$/m.exec(readFileSync(join(path, file), "utf8"))?.[1],
    );
    return [development?.replace(/:[\w-]{43}@/, ":<random>@"), tests];
  });
  assert.deepEqual(await Promise.all(urls), [
    [undefined, ":memory:"],
    [
      "postgresql://postgresql:<random>@127.0.0.1:5432/postgresql",
      "postgresql://postgresql_test:test@127.0.0.1:5432/postgresql_test",
    ],
    ["mariadb://mariadb:<random>@127.0.0.1:3306/mariadb", "mariadb://mariadb_test:test@127.0.0.1:3306/mariadb_test"],
  ]);
});

test("gives the database a name that no server reserves and that is short enough for the suffix of the tests", async () => {
  const names = ["pg-app", "postgres", "mysql", "sys", "shop-pg", "2024", "a".repeat(60)].map(async (project) => {
    const path = join(folder, project);
    await answer([], path, "--yes", "--database=postgresql");
    return new URL(/^DATABASE_URL=(.+)$/m.exec(readFileSync(join(path, ".env"), "utf8"))?.[1] ?? "").username;
  });
  const expected = ["app_pg_app", "app_postgres", "app_mysql", "app_sys", "shop_pg", "2024", "a".repeat(58)];
  assert.deepEqual(await Promise.all(names), expected);
});

test("gives the database a generated password, which no committed file contains", async () => {
  for (const database of ["postgresql", "mariadb"]) {
    const path = join(folder, database);
    await answer([], path, "--yes", `--database=${database}`);
    const read = (file: string): string => readFileSync(join(path, file), "utf8");
    const [, password = ""] = /^DATABASE_PASSWORD=(.+)$/m.exec(read(".env")) ?? [];
    assert.match(password, /^[\w-]{43}$/);
    assert.ok(read(".env").includes(`:${password}@`));
    for (const file of readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => name !== ".env")) {
      if (statSync(join(path, file)).isFile()) assert.ok(!read(file).includes(password), file);
    }
    assert.doesNotMatch(read("compose.yaml"), /trust|EMPTY|postgres@|root@/);
    assert.match(read("compose.yaml"), /DATABASE_URL: \w+:\/\/\w+:\$\{DATABASE_PASSWORD/);
  }
});

test("creates nothing if the input ends before all questions are answered", async () => {
  for (const lines of [[], [join(folder, "app")], [join(folder, "app"), "9"]]) {
    const [, code] = await answer(lines);
    assert.deepEqual([code, readdirSync(folder)], [1, []]);
    assert.equal(printed.at(-1), "\nNo project was created.");
  }
});

test("reports invalid arguments before asking questions", async () => {
  writeFileSync(join(folder, "file"), "mine");
  assert.deepEqual(await answer(["1"], join(folder, "file")), ["", 1]);
  assert.match(printed.at(-1) ?? "", /E_NEW_FOLDER/);
  assert.deepEqual(await answer([], join(folder, "app"), "--database=oracle"), ["", 1]);
  assert.match(printed.at(-1) ?? "", /E_GENERATE_DATABASE/);
  assert.deepEqual(await answer([], "--nope"), ["", 2]);
  assert.equal(existsSync(join(folder, "app")), false);
});

test("packs the framework only once arguments and answers are valid", async () => {
  const tarball = join(folder, "limmat-1.0.0.tgz");
  writeFileSync(tarball, "");
  let packs = 0;
  const create = (...argv: readonly string[]): Promise<number> =>
    newProject({
      program: "new",
      argv: ["--no-install", "--no-git", ...argv],
      pack: () => (packs++, tarball),
      terminal: undefined,
    });
  const path = join(folder, "app");
  for (const argv of [["--help"], ["help"], [], ["--nope"], [path, path], [tarball], [path, "--database=oracle"]]) {
    await create(...argv);
    assert.equal(packs, 0, argv.join(" "));
  }
  assert.equal(await create(path), 0);
  assert.equal(packs, 1);
  assert.match(readFileSync(join(path, "package.json"), "utf8"), /"limmat": "file:vendor\/limmat-1\.0\.0\.tgz"/);
});

test("asks no questions with --yes", async () => {
  assert.deepEqual(await answer([], join(folder, "app"), "--yes"), ["", 0]);
  assert.equal(databaseOf(join(folder, "app")), "sqlite");
  assert.deepEqual(await answer([], "--yes"), ["", 2]);
});

test("leaves nothing if the folder cannot be written", async () => {
  writeFileSync(join(folder, "file"), "mine");
  assert.deepEqual(await answer([], join(folder, "file/app"), "--yes"), ["", 1]);
  assert.match(printed.at(-1) ?? "", /file\/app" was not created, because it cannot be written: .*\(E_NEW_WRITE\)$/);
  const path = join(folder, "a/b", "c".repeat(60), "d".repeat(300), "app");
  assert.deepEqual(await answer([], path, "--yes"), ["", 1]);
  assert.match(printed.at(-1) ?? "", /ENAMETOOLONG.*\(E_NEW_WRITE\)$/);
  assert.deepEqual(readdirSync(folder), ["file"]);
});

test("creates no repository in a repository, and prints a command that a shell can run", async () => {
  execFileSync("git", ["init", "--quiet", folder]);
  const path = join(folder, "Zürich's app");
  assert.equal(await newProject({ program: "new", argv: ["--no-install", "--yes", path] }), 0);
  assert.match(printed.join("\n"), /is in a git repository already[^]*\n {2}cd '.*Zürich'\\''s app'\n/);
  assert.ok(!existsSync(join(path, ".git")));
  assert.match(readFileSync(join(path, "package.json"), "utf8"), /"name": "zurich-s-app"/);
});

test("commits the files, without the secrets, or prints why it could not", async () => {
  const names = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] as const;
  const saved = names.map((name) => [name, process.env[name]] as const);
  const settings = join(folder, "settings");
  try {
    for (const name of names) delete process.env[name];
    process.env["GIT_CONFIG_GLOBAL"] = settings;
    process.env["GIT_CONFIG_SYSTEM"] = "/dev/null";
    writeFileSync(settings, "[user]\n  name = Ada\n  email = ada@example.com\n");
    const path = join(folder, "app");
    assert.equal(await newProject({ program: "new", argv: ["--no-install", "--yes", path] }), 0);
    const git = (...args: readonly string[]): string => execFileSync("git", args, { cwd: path, encoding: "utf8" });
    assert.equal(git("log", "--format=%an %s"), "Ada Create the project\n");
    assert.equal(git("status", "--porcelain"), "");
    const files = git("ls-files").split("\n");
    assert.ok(files.includes("package.json") && files.includes(".limmat.json"));
    assert.ok(!files.includes(".env"));

    writeFileSync(settings, "[user]\n  useConfigOnly = true\n");
    assert.equal(await newProject({ program: "new", argv: ["--no-install", "--yes", join(folder, "other")] }), 0);
    assert.match(
      printed.at(-2) ?? "",
      /^"git commit" failed: fatal: [^\n]+\nCommit the files before you change them: /,
    );
    assert.match(printed.at(-1) ?? "", /is ready\./);
  } finally {
    for (const [name, value] of saved) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test("passes npm the settings of the network only, and ends with 130 if Ctrl-C ended it", async () => {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  writeFileSync(join(programs, "npm"), `#!/bin/sh\nenv > "${folder}/env"\nkill -INT $$\n`, { mode: 0o755 });
  const { PATH } = process.env;
  process.env["PATH"] = `${programs}:${PATH}`;
  process.env["npm_config_registry"] = "http://127.0.0.1:1/";
  process.env["npm_lifecycle_event"] = "npx";
  const argv = ["--no-git", "--yes", join(folder, "app")];
  const code = await newProject({ program: "new", argv }).finally(() => (process.env["PATH"] = PATH));
  assert.equal(code, 130);
  const env = readFileSync(join(folder, "env"), "utf8");
  assert.match(env, /^npm_config_registry=http:\/\/127\.0\.0\.1:1\/$/m);
  assert.doesNotMatch(env, /^npm_(?:lifecycle|package)/m);
  assert.match(printed.at(-2) ?? "", /"npm install" was interrupted\. Run it in .*app later\.$/);
  assert.match(printed.at(-1) ?? "", /is ready\.\n\n {2}cd .*\n {2}npm install\n/);
});
