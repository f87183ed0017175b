// The program that npx starts: on a Node that is too old, and outside of a project.
import assert from "node:assert/strict";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

test("the development server takes no arguments, and says so", () => {
  for (const [arg, code] of [
    ["help", 0],
    ["--help", 0],
    ["--port=1", 2],
  ] as const) {
    const { status, stderr } = limmat(project, ["dev", arg]);
    assert.equal(status, code);
    assert.match(stderr, /^Usage: npx limmat dev\n/);
  }
});

test("outside of a project it says how to make one", () => {
  const { status, stderr } = limmat(folder, ["routes"]);
  assert.equal(status, 2);
  assert.match(stderr, /npx limmat new my-app/);
});

test("an application that cannot be imported is told in a sentence: a missing module, and what the framework refuses", () => {
  const program = join(project, "run/run.ts");
  const source = readFileSync(program);
  writeFileSync(join(project, "run/other.ts"), "");
  const refused = 'throw Object.assign(new Error("It must be one."), { name: "LimmatError", code: "E_ONE" });';
  for (const [text, message] of [
    [
      'import "./nothing.ts";',
      /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module '[^']+' imported from run\/run\.ts\n$/,
    ],
    ['import "./other";', /^.* imported from run\/run\.ts\n.* its ending "\.ts"\.\n$/],
    ['import "./other.js";', /^.* imported from run\/run\.ts\n.* its ending "\.ts"\.\n$/],
    [refused, /^Error \[E_ONE\]: It must be one\.\n$/],
    ['throw new Error("a fault");', /a fault\n +at .*run\/run\.ts:1/],
  ] as const) {
    writeFileSync(program, text);
    const { status, stderr } = limmat(project, ["routes"]);
    assert.equal(status, 1);
    assert.match(stderr, message);
  }
  writeFileSync(program, source);
});
