// The questions of a new project, at a terminal as a person has it.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";
import { type AtTerminal, atTerminal, keys, terminalSkip } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-questions-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "file"), "mine");

const options = { skip: terminalSkip, timeout: 60_000 };
const fixture = join(root, "test/fixtures/new.ts");
const start = (): AtTerminal =>
  atTerminal(process.execPath, ["--conditions=@limmat/source", fixture, "--no-install", "--no-git"], folder);

test("a person is asked, asked again after a wrong answer, and gets a project", options, async () => {
  const terminal = start();
  await terminal.shows("Folder of the new project [my-app]: ");
  terminal.types(`file${keys.enter}`);
  await terminal.shows("not empty");
  await terminal.shows("Folder of the new project [my-app]: ");
  terminal.types(`shop${keys.enter}`);
  await terminal.shows("Database, by number or name [1]: ");
  terminal.types(`7${keys.enter}`);
  await terminal.shows('"7" is no database');
  await terminal.shows("Database, by number or name [1]: ");
  terminal.types(keys.enter);
  await terminal.shows("cd shop");
  assert.equal(await terminal.ended, 0);
  assert.ok(existsSync(join(folder, "shop/run/run.ts")));
});

for (const [name, key, expected] of [
  ["Ctrl-C", keys.interrupt, 130],
  ["the end of input", keys.endOfInput, 1],
] as const) {
  test(`${name} leaves nothing behind, whatever is being asked`, options, async () => {
    const before = readdirSync(folder);
    const atFirst = start();
    await atFirst.shows("Folder of the new project [my-app]: ");
    atFirst.types(key);
    await atFirst.shows("Nothing was made.");
    assert.equal(await atFirst.ended, expected);

    const atSecond = start();
    await atSecond.shows("Folder of the new project [my-app]: ");
    atSecond.types(`never${keys.enter}`);
    await atSecond.shows("Database, by number or name [1]: ");
    atSecond.types(key);
    await atSecond.shows("Nothing was made.");
    assert.equal(await atSecond.ended, expected);
    assert.deepEqual(readdirSync(folder), before);
  });
}
