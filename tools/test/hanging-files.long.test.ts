// The test runner as a program, on test files that do not end.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runRunner as run, writeTest as write } from "./runner-process.ts";

const hanging = [
  ["never ends", `test("waits", () => new Promise(() => setInterval(() => {}, 1000)));`, /test timed out after/],
  [
    "waits by turns",
    `test("polls", async () => { const isDone = () => false; while (!isDone()) await new Promise(setImmediate); });`,
    /test timed out after [^]*Active resources: .*setImmediate/,
  ],
  [
    "spins",
    `test("computes", function computeForever() { for (let sum = 0; ; ) sum++; });`,
    /has not ended within [^]*event loop is blocked\.\s+It ran:\s+computeForever .*spins\.test\.ts:3\n/,
  ],
  [
    "leaves a server",
    `import { createServer } from "node:net";
     test("listens", (_, done) => void createServer().listen(0, "127.0.0.1", done));`,
    /did not exit within 10 s after its last test\. Active resources: tcp server at 127\.0\.0\.1:\d+\./,
  ],
  [
    "leaves a child process",
    `import { spawn } from "node:child_process";
     test("starts", () => void spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }));`,
    /did not exit within 10 s after its last test\. Active resources: child process \d+\./,
  ],
] as const;

/** Time limits in seconds. A limit leaves a slow machine the time to begin the test, or to notice that the process lives on. */
const limits = {
  "never ends": "20",
  "waits by turns": "20",
  spins: "10",
  "leaves a server": "120",
  "leaves a child process": "120",
} as const;

// Most of the time, these runs wait.
describe("hanging files", { concurrency: true }, () => {
  for (const [name, code, problem] of hanging) {
    test(`a file that ${name} is ended, and fails with what it did`, async () => {
      const file = write(`${name.replaceAll(" ", "-")}.test.ts`, code);
      const { code: exitCode, output } = await run("--limit", limits[name], file);
      assert.equal(exitCode, 1);
      assert.match(output, problem);
      assert.match(output, /ℹ fail [12]\n/);
    });
  }

  test("hooks may take their time after the last test", async () => {
    const slow = write(
      "slow-hook.test.ts",
      `test("one", () => {});
     after(() => new Promise((resolve) => setTimeout(resolve, 12_000)));`,
    );
    assert.equal((await run(slow)).code, 0);
  });
});
