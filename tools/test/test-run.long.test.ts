// The test runner as a program, on test files of its own.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { beforeEach, test } from "node:test";
import { runRunner as run, unstableFile, writeTest as write } from "./runner-process.ts";

beforeEach(() => rmSync(unstableFile, { force: true }));

const passing = write(
  "passing.test.ts",
  `test("adds", () => assert.equal(1 + 1, 2));
   test("waits for a server", { skip: "no server here" }, () => {});
   describe("group", () => { test("inner", () => {}); });`,
);

test("ends with the summary of node:test, and prints the expected duration and each file", async () => {
  const { code, output } = await run(passing);
  assert.match(output, /^1 jobs, .*about .* s\. Ctrl-C ends them all\.$/m);
  assert.match(output, /^\[1\/1 .*\] ✔ .*passing\.test\.ts · 3 tests · /m);
  assert.match(output, /^Skipped 1: no server here$/m);
  assert.match(
    output,
    /ℹ tests 3\nℹ suites 1\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms [\d.]+\n$/,
  );
  assert.equal(code, 0);
});

test("a failure is described before the summary, with location, names and differences", async () => {
  const failing = write(
    "failing.test.ts",
    `console.log("noise");
     describe("numbers", () => { test("are equal", (t) => { t.diagnostic("SEED=7"); assert.equal(1, 2); }); });`,
  );
  const { code, output } = await run(failing, passing);
  const details = output.slice(output.indexOf("✖ failing tests:"));
  assert.match(details, /test at .*failing\.test\.ts:4:\d+\n✖ numbers › are equal \([\d.]+ms\)\n/);
  assert.match(details, /AssertionError[^]*1 !== 2[^]*SEED=7[^]*ℹ tests 4\n/);
  assert.match(details, /ℹ fail 1\n/);
  assert.doesNotMatch(output, /noise/);
  assert.equal(code, 1);
});

for (const [name, code, problem] of [
  ["cannot be loaded", `import "./missing.ts";`, /exited with 1 before its tests had ended[^]*missing\.ts/],
  ["exits early", `test("first", () => process.exit(0));`, /exited with 0 before its tests had ended/],
  [
    "fails after its tests",
    `test("first", () => {}); after(() => (process.exitCode = 3));`,
    /exited with 3 although its tests passed/,
  ],
  [
    "fails outside of its tests",
    `test("first", () => {}); await Promise.resolve(); throw new Error("no server answers");`,
    /exited with \d+ [^]*no server answers/,
  ],
  [
    "causes a deprecation warning",
    `test("first", () => process.emitWarning("old", "DeprecationWarning"));`,
    /caused a warning: [^]*old/,
  ],
] as const) {
  test(`a file that ${name} fails`, async () => {
    const file = write("broken.test.ts", code);
    const { code: exitCode, output } = await run(file);
    assert.equal(exitCode, 1);
    assert.match(output, problem);
    assert.match(output, /ℹ fail 1\n/);
  });
}

test("a file without a match is refused, and --list runs nothing", async () => {
  const unknown = await run("no-such-module");
  assert.equal(unknown.code, 2);
  assert.match(unknown.output, /No test file has a path with no-such-module\./);
  const partly = await run("tools/test/arguments", "no-such-module");
  assert.deepEqual([partly.code, partly.output], [2, "No test file has a path with no-such-module.\n"]);
  const list = await run("--list", "tools/test/arguments");
  assert.match(list.output, / s {2}tools\/test\/arguments\.test\.ts\n1 jobs, about /);
  assert.equal(list.code, 0);
});

/** Code of a test that fails in its first run, and passes afterwards. */
const failsOnce = (name: string): string =>
  `import { existsSync, writeFileSync } from "node:fs";
   test("passes the second time", () => {
     const isSecond = existsSync(import.meta.filename + ".ran");
     writeFileSync(import.meta.filename + ".ran", "");
     assert.ok(isSecond, "${name} failed by chance");
   });`;

test("a job that fails once is run again alone, and is listed as unstable", async () => {
  const { code, output } = await run(write("once.test.ts", failsOnce("once")), passing);
  assert.equal(code, 0);
  assert.match(output, /^Second try, while nothing else runs: .*once\.test\.ts$/m);
  assert.match(output, /ℹ tests 4\nℹ suites 1\nℹ pass 3\nℹ fail 0\n/);
  const [, list = ""] = output.split("\nUnstable: ");
  assert.match(list, /⚠ .*once\.test\.ts, first try of [^]*passes the second time[^]*once failed by chance/);
  assert.match(readFileSync(unstableFile, "utf8"), /^## .*once\.test\.ts\n[^]*once failed by chance/);
});

test("a job that fails twice fails the run", async () => {
  const { code, output } = await run(write("always.test.ts", `test("always", () => assert.fail("wrong"));`), passing);
  assert.equal(code, 1);
  assert.match(output, /Second try/);
  assert.match(output, /ℹ pass 2\nℹ fail 1\n/);
  assert.doesNotMatch(output, /Unstable/);
});

test("more than three unstable jobs fail the run, also those of runs that share a list", async () => {
  const files = ["a", "b", "c", "d"].map((name) => write(`${name}.test.ts`, failsOnce(name)));
  const four = await run(...files);
  assert.equal(four.code, 1);
  assert.match(four.output, /ℹ fail 4\n/);
  assert.doesNotMatch(four.output, /Second try/);

  const [first = "", ...others] = ["e", "f", "g", "h"].map((name) => write(`${name}.test.ts`, failsOnce(name)));
  assert.equal((await run(...others)).code, 0);
  const fourth = await run(first);
  assert.equal(fourth.code, 1);
  assert.doesNotMatch(fourth.output, /Second try/);
});
