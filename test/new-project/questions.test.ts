// The prompts of a new project, in a terminal.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "../sources.ts";
import { type TerminalProgram, runInTerminal, keys, terminalSkip } from "./terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-questions-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "file"), "mine");

const options = { skip: terminalSkip };
const fixture = join(root, "test/fixtures/new.ts");
const start = (): TerminalProgram =>
  runInTerminal(process.execPath, ["--conditions=@limmat/source", fixture, "--no-install", "--no-git"], folder);

test("prompts again after an invalid answer, and creates a project", options, async () => {
  const terminal = start();
  await terminal.waitForText("Folder of the new project [my-app]: ");
  terminal.type(`file${keys.enter}`);
  await terminal.waitForText("not empty");
  await terminal.waitForText("Folder of the new project [my-app]: ");
  terminal.type(`shop${keys.enter}`);
  await terminal.waitForText("Database, by number or name [1]: ");
  terminal.type(`7${keys.enter}`);
  await terminal.waitForText('"7" is not a supported database');
  await terminal.waitForText("Database, by number or name [1]: ");
  terminal.type(keys.enter);
  await terminal.waitForText("cd shop");
  assert.equal(await terminal.exitCode, 0);
  assert.ok(existsSync(join(folder, "shop/run/run.ts")));
});

for (const [name, key, expected] of [
  ["Ctrl-C", keys.interrupt, 130],
  ["the end of input", keys.endOfInput, 1],
] as const) {
  test(`${name} at any prompt creates nothing`, options, async () => {
    const before = readdirSync(folder);
    const firstPrompt = start();
    await firstPrompt.waitForText("Folder of the new project [my-app]: ");
    firstPrompt.type(key);
    await firstPrompt.waitForText("No project was created.");
    assert.equal(await firstPrompt.exitCode, expected);

    const secondPrompt = start();
    await secondPrompt.waitForText("Folder of the new project [my-app]: ");
    secondPrompt.type(`never${keys.enter}`);
    await secondPrompt.waitForText("Database, by number or name [1]: ");
    secondPrompt.type(key);
    await secondPrompt.waitForText("No project was created.");
    assert.equal(await secondPrompt.exitCode, expected);
    assert.deepEqual(readdirSync(folder), before);
  });
}
