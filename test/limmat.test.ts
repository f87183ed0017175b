// The program that npx starts: on a Node that is too old, and outside of a project.
import assert from "node:assert/strict";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { root } from "./sources.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-bin-"));
const project = join(folder, "project");
mkdirSync(join(project, "run"), { recursive: true });
writeFileSync(join(project, "package.json"), '{ "type": "module" }');
writeFileSync(join(project, "run/run.ts"), "console.log(process.argv.slice(2).join()); process.exitCode = 3;\n");
after(() => rmSync(folder, { recursive: true }));

const ages = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.1'}})";

function limmat(cwd: string, args: readonly string[], flags: readonly string[] = []): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [...flags, join(root, "bin/limmat.mjs"), ...args], { cwd, encoding: "utf8" });
}

test("a Node that is too old is told so in one sentence, with what to do", () => {
  for (const args of [["routes"], ["dev"], []]) {
    const { status, stdout, stderr } = limmat(project, args, ["--import", ages]);
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^limmat needs Node 24\.15 or newer, and this is 18\.20\.1: .*npm install.*\n$/);
  }
});

test("a command is run by the project, whatever folder of it one is in", () => {
  const { status, stdout } = limmat(join(project, "run"), ["routes", "--json"]);
  assert.deepEqual([status, stdout], [3, "routes,--json\n"]);
});

test("outside of a project it says how to make one", () => {
  const { status, stderr } = limmat(folder, ["routes"]);
  assert.equal(status, 2);
  assert.match(stderr, /npx limmat new my-app/);
});
