// The program `limmat`, which npx starts: with an old Node, outside a project, and with a broken application.
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

const oldNode = "data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'18.20.1'}})";

const fromSource = ["--conditions=@limmat/source"];

function limmat(cwd: string, args: readonly string[], flags: readonly string[] = []): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [...flags, join(root, "bin/limmat.mjs"), ...args], { cwd, encoding: "utf8" });
}

test("reports a Node that is too old in one sentence, with advice", () => {
  for (const args of [["routes"], ["dev"], []]) {
    const { status, stdout, stderr } = limmat(project, args, ["--import", oldNode]);
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^limmat needs Node 24\.15 or newer, and this is 18\.20\.1\. .*npm install.*\n$/);
  }
});

test("runs a command of the project from any of its folders", () => {
  const { status, stdout } = limmat(join(project, "run"), ["routes", "--json"]);
  assert.deepEqual([status, stdout], [3, "routes,--json\n"]);
});

test("refuses arguments of the development server with its usage", () => {
  const usage = /^Usage: npx limmat dev \[--migrate\] \[--no-types\]\n[^]*PORT=4000/m;
  for (const args of [
    ["dev", "help"],
    ["dev", "--help"],
    ["help", "dev"],
  ]) {
    const { status, stdout } = limmat(project, args, fromSource);
    assert.equal(status, 0);
    assert.match(stdout, usage);
  }
  const { status, stderr } = limmat(project, ["dev", "--port=1"], fromSource);
  assert.equal(status, 2);
  assert.match(stderr, /^Invalid arguments: --port=1\n/);
  assert.match(stderr, usage);
});

test("prints its version and that of Node", () => {
  const { status, stdout } = limmat(folder, ["--version"]);
  assert.equal(status, 0);
  assert.match(stdout, /^limmat \S.*, Node \d+\.\d+\.\d+\n$/);
});

test("prints how to create a project outside of one", () => {
  const { status, stderr } = limmat(folder, ["routes"]);
  assert.equal(status, 2);
  assert.match(stderr, /npx limmat new my-app/);
});

test("undoes a run of a generator although the application does not load", () => {
  const program = join(project, "run/run.ts");
  const source = readFileSync(program);
  writeFileSync(program, 'import "./nothing.ts";');
  const { status, stderr } = limmat(project, ["gen.undo"], fromSource);
  writeFileSync(program, source);
  assert.equal(status, 1);
  assert.match(stderr, /E_GENERATE_UNDO/);
});

test("reports an error at load with its line, its source and a hint", () => {
  const program = join(project, "run/run.ts");
  const source = readFileSync(program);
  writeFileSync(join(project, "run/other.ts"), "");
  const refused = 'throw Object.assign(new Error("It must be one."), { name: "LimmatError", code: "E_ONE" });';
  for (const [text, message] of [
    [
      'import "./nothing.ts";',
      /^run\/run\.ts imports "\.\/nothing\.ts", and there is no such file\.\n {2}at run\/run\.ts:1:9\n/,
    ],
    ['import "./other";', /^> 1 \| import "\.\/other";$[^]*^Hint: .* Write "\.\/other\.ts"\.\n$/m],
    ['import "./other.js";', /^Hint: .* Write "\.\/other\.ts"\.\n$/m],
    [refused, /^Error \[E_ONE\]: It must be one\.\n {2}at run\/run\.ts:1:21\n/],
    ['throw new Error("a fault");', /^Error: a fault\n {2}at run\/run\.ts:1:7\n/],
    [
      "const a = 1; const a = 2;",
      /^SyntaxError: Identifier 'a' has already been declared\.\n {2}at run\/run\.ts:1:20\n/,
    ],
  ] as const) {
    writeFileSync(program, text);
    const { status, stderr } = limmat(project, ["routes"]);
    assert.equal(status, 1);
    assert.match(stderr, message);
  }
  writeFileSync(program, source);
});
