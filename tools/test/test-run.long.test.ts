// The test runner as a program, on test files of its own.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { root } from "./test-files.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-test-run-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a test file and returns its path. */
function write(name: string, code: string): string {
  const path = join(folder, name);
  writeFileSync(
    path,
    `import assert from "node:assert/strict";\nimport { after, describe, test } from "node:test";\n${code}`,
  );
  return path;
}

function start(args: readonly string[]): ChildProcess {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawn(process.execPath, [join(root, "tools/test.ts"), ...args], {
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs the runner to its end. */
async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const child = start(args);
  assert.ok(child.stdout !== null && child.stderr !== null);
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: Number(code), output: output + errors };
}

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

test(
  "an interruption ends the children of the tests",
  { skip: process.platform === "win32" && "no process groups" },
  async (t) => {
    const server = createServer().listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const endless = write(
      "endless.test.ts",
      `import { spawn } from "node:child_process";
       test("never ends", async () => {
         const code = "process.on('SIGTERM', () => {}); require('node:net').connect(${port}, '127.0.0.1')";
         spawn(process.execPath, ["-e", code], { stdio: "inherit" });
         await new Promise(() => setInterval(() => {}, 1000));
       });`,
    );
    const child = start([endless]);
    const exited = once(child, "exit");
    const [socket] = (await once(server, "connection")) as [Socket];
    const closed = once(
      socket.resume().on("error", () => {}),
      "close",
    );
    child.kill("SIGINT");
    assert.deepEqual(await exited, [130, null]);
    await closed;
  },
);
