// The HTTP service has a second host: what is promised of it on Node is asked of Bun, too.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { test, type TestContext } from "node:test";
import { parse } from "../src/services/metrics/engine/exposition-parser.test.ts";
import { bun } from "./bun.ts";
import { freePort } from "./servers/process.ts";
import { root } from "./sources.ts";

// Continuous integration has it, or fails.
const without = { skip: bun === undefined && process.env["CI"] === undefined && "there is no Bun here" };
const command = bun ?? "bun";

test("the tests of the web room, metrics and SQLite pass on Bun, those left out that say why", without, () => {
  const folders = ["src/web/**", "src/services/metrics", "src/database/sqlite"];
  const files = folders.flatMap((folder) => globSync(`${folder}/*.test.ts`, { cwd: root }));
  assert.ok(files.length > 50);
  const { status, stderr } = spawnSync(
    command,
    ["test", "--conditions=@limmat/source", "--timeout=30000", ...files.map((file) => `./${file}`)],
    { cwd: root, encoding: "utf8", maxBuffer: 100 * 1024 * 1024, timeout: 600_000 },
  );
  assert.equal(status, 0, stderr.slice(stderr.indexOf("tests failed:")));
  assert.ok(Number(/(\d+) pass/.exec(stderr)?.[1]) > 1400, stderr.slice(-500));
});

test("an application runs on Bun from its source, and ends in good order", without, async (t) => {
  const { child, told, ended } = start(t, []);
  const port = await told(/Listening on http:\/\/localhost:(\d+)/);
  const answer = fetch(`http://127.0.0.1:${port}/slow`);
  await told(/arrived/);
  child.kill("SIGTERM");
  const response = await answer;
  assert.deepEqual([response.headers.get("connection"), await response.text()], ["close", "done"]);
  assert.deepEqual(await ended, [0, null]);
});

const onLinux = process.platform === "linux" ? without : { skip: "only Linux lets processes share a port fairly" };
test("workers on Bun share a port", onLinux, async (t) => {
  const port = await freePort();
  const { child, told, ended } = start(t, ["--workers", "2"], { PORT: String(port) });
  await told(/Listening on [^]*Listening on/);
  const answered = new Set<string>();
  for (let asked = 0; answered.size < 2 && asked < 500; asked++) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } });
    answered.add(await response.text());
  }
  assert.equal(answered.size, 2);
  const workers = async (): Promise<number> => {
    const metrics = parse(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    return metrics.get("process_resident_memory_bytes")?.lines.length ?? 0;
  };
  // The one that was listening first may be asked before the other has said that it does.
  while ((await workers()) < 2);
  child.kill("SIGTERM");
  assert.deepEqual(await ended, [0, null]);
});

interface Program {
  readonly child: ChildProcess;
  /** Waits for output, and gives what its first group holds. */
  readonly told: (message: RegExp) => Promise<string>;
  readonly ended: Promise<unknown[]>;
}

function start(t: TestContext, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(command, ["--conditions=@limmat/source", "test/fixtures/serve-web.ts", "server", ...args], {
    cwd: root,
    env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "info", PORT: "0", CHECK_CSRF: "true", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  let isOver = false;
  const ended = once(child, "close").finally(() => (isOver = true));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const told = async (message: RegExp): Promise<string> => {
    for (;;) {
      const found = message.exec(output);
      if (found !== null) return found[1] ?? "";
      assert.ok(!isOver, `ended before "${message.source}":\n${output}`);
      await Promise.race([once(child.stdout, "data"), ended]);
    }
  };
  return { child, told, ended };
}
