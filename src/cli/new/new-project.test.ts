import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { after, beforeEach, mock, test } from "node:test";
import { newProject } from "./new-project.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-new-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let said: string[] = [];
for (const name of ["log", "error"] as const) mock.method(console, name, (text: string) => said.push(text));
beforeEach(() => {
  said = [];
  for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true });
});

/** Makes a project with these lines as answers, after which the input ends; gives what was shown, and the exit code. */
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

test("an empty answer takes what stands in brackets, and what is said is not asked", async () => {
  const [shown, code] = await answer([""], join(folder, "app"));
  assert.equal(code, 0);
  assert.doesNotMatch(shown, /Folder/);
  assert.equal(databaseOf(join(folder, "app")), "sqlite");
  assert.deepEqual(await answer([], join(folder, "other"), "--database=mariadb"), ["", 0]);
});

test("a wrong answer is asked again, with the reason", async () => {
  mkdirSync(join(folder, "taken"));
  writeFileSync(join(folder, "taken/mine.txt"), "mine");
  writeFileSync(join(folder, "file"), "mine");
  const wrong = [join(folder, "taken"), join(folder, "file"), join(folder, "???")];
  const [shown, code] = await answer([...wrong, join(folder, "app"), "9", "postgres", "2"]);
  assert.equal(code, 0);
  assert.equal(shown.match(/Folder of the new project/g)?.length, 4);
  assert.equal(shown.match(/is there already, and not empty/g)?.length, 2);
  assert.match(shown, /"\?\?\?" cannot be the name of a project/);
  assert.match(shown, /"9" is no database\. Known are/);
  assert.match(shown, /Did you mean "postgresql"\?/);
  assert.equal(databaseOf(join(folder, "app")), "postgresql");
  assert.deepEqual(readdirSync(folder).sort(), ["app", "file", "taken"]);
});

test("at the end of the input nothing is made", async () => {
  for (const lines of [[], [join(folder, "app")], [join(folder, "app"), "9"]]) {
    const [, code] = await answer(lines);
    assert.deepEqual([code, readdirSync(folder)], [1, []]);
    assert.equal(said.at(-1), "\nNothing was made.");
  }
});

test("what is wrong on the command line is said before anything is asked", async () => {
  writeFileSync(join(folder, "file"), "mine");
  assert.deepEqual(await answer(["1"], join(folder, "file")), ["", 1]);
  assert.match(said.at(-1) ?? "", /E_NEW_FOLDER/);
  assert.deepEqual(await answer([], join(folder, "app"), "--database=oracle"), ["", 1]);
  assert.match(said.at(-1) ?? "", /E_GENERATE_DATABASE/);
  assert.deepEqual(await answer([], "--nope"), ["", 2]);
  assert.equal(existsSync(join(folder, "app")), false);
});

test("--yes asks nothing", async () => {
  assert.deepEqual(await answer([], join(folder, "app"), "--yes"), ["", 0]);
  assert.equal(databaseOf(join(folder, "app")), "sqlite");
  assert.deepEqual(await answer([], "--yes"), ["", 2]);
});
