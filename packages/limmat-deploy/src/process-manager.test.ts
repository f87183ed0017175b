import assert from "node:assert/strict";
import { spawn, spawnSync, type SpawnSyncReturns } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { processManager } from "./process-manager.ts";
import { type Script, scriptInput, scriptReader } from "./shell.ts";

const run = (script: Script): SpawnSyncReturns<string> =>
  spawnSync("sh", ["-c", scriptReader], { input: scriptInput(script), encoding: "utf8" });

test("the server is stopped by the number of its process, and no other process that has the number", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-process-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "run"));
  const state = join(folder, "run/server.json");
  const manager = processManager({ name: "shop", folder, user: "ada", workers: "2" });
  assert.equal(run(manager.install()).status, 0);
  const stop = (pid: number): void => {
    writeFileSync(state, `{"pid":${pid},"workers":[]}`);
    const { status, stdout, stderr } = run({ text: manager.removal });
    assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: "", stderr: "" });
  };
  assert.equal(run(manager.stop()).status, 0); // There is no state: nothing was started.

  const idle = ["-e", "process.stdout.write('ready'); setInterval(() => {}, 1000)"];
  const other = spawn(process.execPath, idle, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => other.kill());
  await once(other.stdout, "data");
  stop(other.pid ?? 0);
  assert.equal(other.exitCode ?? other.signalCode, null);

  const server = spawn(process.execPath, [...idle, "server", "--state-file", state], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(server.stdout, "data");
  stop(server.pid ?? 0);
  if (server.signalCode === null) await once(server, "exit");
  assert.equal(server.signalCode, "SIGTERM");
  stop(server.pid ?? 0);
});
