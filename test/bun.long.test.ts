// The second host of the HTTP service: the tests of Node run on Bun as well.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { waitFor } from "limmat/testing";
import { parse } from "../src/services/metrics/engine/exposition-parser.test.ts";
import { bun } from "./bun.ts";
import { freePort } from "./servers/process.ts";
import { root } from "./sources.ts";

// Without Bun the tests are skipped locally, and fail in continuous integration.
const whenBunExists = { skip: bun === undefined && process.env["CI"] === undefined && "there is no Bun here" };
const command = bun ?? "bun";

test(
  "the tests of http, web, metrics and SQLite pass on Bun, except those that are skipped with a reason",
  whenBunExists,
  () => {
    const folders = ["src/http/**", "src/web/**", "src/services/metrics", "src/database/sqlite"];
    const found = folders.flatMap((folder) => globSync(`${folder}/*.test.ts`, { cwd: root }));
    const files = found.filter((file) => !file.endsWith(".nightly.test.ts"));
    assert.ok(files.length > 50);
    const { status, stderr } = spawnSync(
      command,
      ["test", "--conditions=@limmat/source", "--timeout=600000", ...files.map((file) => `./${file}`)],
      { cwd: root, encoding: "utf8", maxBuffer: 100 * 1024 * 1024, timeout: 1_500_000 },
    );
    assert.equal(status, 0, stderr.slice(stderr.indexOf("tests failed:")));
    assert.ok(Number(/(\d+) pass/.exec(stderr)?.[1]) > 1400, stderr.slice(-500));
  },
);

test("an application runs on Bun from its source, and shuts down gracefully", whenBunExists, async (t) => {
  const { child, waitForOutput, ended } = start(t, []);
  const port = await waitForOutput(/Listening on http:\/\/localhost:(\d+)/);
  const responsePromise = fetch(`http://127.0.0.1:${port}/slow`);
  await waitForOutput(/arrived/);
  child.kill("SIGTERM");
  const response = await responsePromise;
  assert.deepEqual([response.headers.get("connection"), await response.text()], ["close", "done"]);
  assert.deepEqual(await ended, [0, null]);
});

const onLinux =
  process.platform === "linux" ? whenBunExists : { skip: "only Linux lets processes share a port fairly" };
test("workers on Bun share a port", onLinux, async (t) => {
  const port = await freePort();
  const { child, waitForOutput, ended } = start(t, ["--workers", "2"], { PORT: String(port) });
  await waitForOutput(/Listening on [^]*Listening on/);
  const workerNames = new Set<string>();
  for (let requests = 0; workerNames.size < 2 && requests < 500; requests++) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
    workerNames.add(await response.text());
  }
  assert.equal(workerNames.size, 2);
  const workers = async (): Promise<number> => {
    const metrics = parse(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    return metrics.get("process_resident_memory_bytes")?.lines.length ?? 0;
  };
  // The first worker may answer before the second one has reported that it listens.
  await waitFor(async () => (await workers()) >= 2, t);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

interface Program {
  readonly child: ChildProcess;
  /** Waits for output that matches, and returns its first group. */
  readonly waitForOutput: (message: RegExp) => Promise<string>;
  readonly ended: Promise<unknown[]>;
}

function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(command, ["--conditions=@limmat/source", "test/fixtures/serve-web.ts", "server", ...args], {
    cwd: root,
    env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "info", PORT: "0", CHECK_CSRF: "true", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  let hasEnded = false;
  const ended = once(child, "close").finally(() => (hasEnded = true));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const waitForOutput = async (message: RegExp): Promise<string> => {
    for (;;) {
      const match = message.exec(output);
      if (match !== null) return match[1] ?? "";
      assert.ok(!hasEnded, `ended before "${message.source}":\n${output}`);
      await Promise.race([once(child.stdout, "data"), ended]);
    }
  };
  return { child, waitForOutput, ended };
}
