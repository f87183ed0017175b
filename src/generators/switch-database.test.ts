import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { App } from "../app/index.ts";
import { runCommand } from "../testing/index.ts";
import { type DatabaseName, databases } from "../project/index.ts";
import { createProject } from "./new/create-project.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-database-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let projectCount = 0;

/** Creates a project named "shop". */
function makeProject(database: DatabaseName, isBare = false): string {
  projectCount += 1;
  return createProject({ path: join(folder, String(projectCount), "shop"), database, isBare }).root;
}

const runIn = (root: string, ...argv: readonly string[]): ReturnType<typeof runCommand> =>
  runCommand(App.create({ root, services: [] }), ...argv);

const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

/** Returns the texts of the files of a project. Random values and comments of `.env` are left out. */
function filesOf(root: string): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (path) => statSync(join(root, path)).isFile() && path !== "tmp/generated-files",
  );
  const withoutSecrets = (text: string): string =>
    text.replaceAll(/^# DATABASE_.*\n/gm, "").replaceAll(/[\w-]{43}/g, "<random>");
  return Object.fromEntries(
    paths.sort().map((path) => [path, path === ".env" ? withoutSecrets(read(root, path)) : read(root, path)]),
  );
}

for (const from of databases) {
  for (const to of databases.filter((name) => name !== from)) {
    for (const isBare of [false, true]) {
      test(`a ${isBare ? "bare " : ""}project on ${from} becomes a new project on ${to}`, async () => {
        const root = makeProject(from, isBare);
        const { code, stderr, stdout } = await runIn(root, "database", to);
        assert.deepEqual([code, stderr.includes(".new")], [0, false], stderr);
        assert.match(stdout, /^edited {7}service\/service\.ts$/m);
        assert.match(stdout, /npm install\n/);
        assert.match(stderr, /^\.env was edited as well\./m);
        assert.deepEqual(filesOf(root), filesOf(makeProject(to, isBare)));
        assert.equal(statSync(join(root, ".env")).mode & 0o777, 0o600);
      });
    }
  }
}

test("changes of the user stay, and lines of .env become comments", async () => {
  const root = makeProject("postgresql");
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(root, path), change(read(root, path)));
  edit("service/service.ts", (text) => `${text}export const port = 1;\n`);
  edit("compose.yaml", (text) => `# Ours\n${text}`);
  edit("README.md", (text) => `${text}\n## Ours\n`);
  edit("package.json", (text) => text.replace('"dependencies": {', '"dependencies": {\n    "zod": "4.0.0",'));
  const [, oldUrl = ""] = /^(DATABASE_URL=.*)$/m.exec(read(root, ".env")) ?? [];
  const [, secret = ""] = /^(FRAMEWORK_SECRET=.*)$/m.exec(read(root, ".env")) ?? [];
  const { code, stderr } = await runIn(root, "database", "mariadb");
  assert.equal(code, 0, stderr);
  assert.match(read(root, "service/service.ts"), /= mariadb\(\);[^]*export const port = 1;\n$/);
  assert.match(read(root, "compose.yaml"), /^# Ours\n[^]*mariadb:11/);
  assert.match(read(root, "README.md"), /## Ours\n$/);
  const { dependencies } = JSON.parse(read(root, "package.json")) as { dependencies: Record<string, string> };
  assert.deepEqual(Object.keys(dependencies), ["limmat", "mariadb", "zod"]);
  const environment = read(root, ".env").split("\n");
  assert.ok(environment.includes(`# ${oldUrl}`));
  assert.ok(environment.includes(secret));
  assert.equal(environment.filter((line) => line.startsWith("DATABASE_URL=mariadb://shop:")).length, 1);
});

test("a project with accounts keeps the mail settings of its compose file", async () => {
  for (const [from, to] of [
    ["sqlite", "postgresql"],
    ["sqlite", "mariadb"],
    ["postgresql", "sqlite"],
  ] as const) {
    const root = makeProject(from);
    assert.equal((await runIn(root, "gen.auth", "--wire")).code, 0);
    const { code, stderr } = await runIn(root, "database", to);
    assert.deepEqual([code, stderr.includes(".new")], [0, false], stderr);
    assert.match(read(root, ".env.example"), /^SMTP_HOST=/m);
    assert.match(read(root, "compose.yaml"), /SMTP_HOST: mail\n[^]*FRAMEWORK_SECRET[^]*DATABASE_URL: /);
    assert.match(read(root, "compose.yaml"), /^services:\n {2}# [^]*\n {2}mail:\n[^]*\n {2}app:\n/m);
  }
});

test("a file in which the user changed the same lines stays, with the new version next to it", async () => {
  const root = makeProject("sqlite");
  writeFileSync(join(root, "compose.yaml"), "services: {}\n");
  const { code, stderr } = await runIn(root, "database", "postgresql");
  assert.equal(code, 0);
  assert.equal(read(root, "compose.yaml"), "services: {}\n");
  assert.match(read(root, "compose.yaml.new"), /postgres:18/);
  assert.match(stderr, /compose\.yaml was changed\. Copy what you need from compose\.yaml\.new/);
});

test("names other files that import the old database, and keeps its driver then", async () => {
  const root = makeProject("mariadb");
  writeFileSync(join(root, "app/report.ts"), 'import { mariadb } from "limmat/database/mariadb";\n');
  const { stderr } = await runIn(root, "database", "sqlite");
  assert.match(stderr, /These files import MariaDB, too: app\/report\.ts\./);
  assert.match(read(root, "package.json"), /"mariadb": /);
});

test("a dry run changes nothing, and the same database is no change", async () => {
  const root = makeProject("sqlite");
  const before = filesOf(root);
  const { code, stdout, stderr } = await runIn(root, "database", "postgresql", "--dry-run");
  assert.deepEqual([code, /^edited {7}compose\.yaml$/m.test(stdout), /Dry run/.test(stderr)], [0, true, true]);
  assert.match((await runIn(root, "database", "sqlite")).stdout, /already uses SQLite/);
  assert.deepEqual(filesOf(root), before);
});

test("gen.undo reverts the edits, and files of the project may be missing", async () => {
  const root = makeProject("sqlite");
  for (const path of ["compose.yaml", ".env", ".env.test", "README.md"]) rmSync(join(root, path));
  const before = filesOf(root);
  assert.equal((await runIn(root, "database", "postgresql")).code, 0);
  assert.ok(!existsSync(join(root, ".env")));
  assert.equal((await runIn(root, "gen.undo")).code, 0);
  assert.deepEqual(filesOf(root), before);
});

test("refuses unknown databases, wrong arguments, and a list of services without a known database", async () => {
  const root = makeProject("sqlite");
  const { code, stderr } = await runIn(root, "database", "postgres");
  assert.deepEqual([code, /Did you mean "postgresql"/.test(stderr)], [1, true]);
  for (const args of [[], ["sqlite", "mariadb"], ["mariadb", "--force"]])
    assert.equal((await runIn(root, "database", ...args)).code, 2);
  writeFileSync(join(root, "service/service.ts"), "export const database = connect();\n");
  assert.match((await runIn(root, "database", "mariadb")).stderr, /E_DATABASE_SWITCH/);
});
