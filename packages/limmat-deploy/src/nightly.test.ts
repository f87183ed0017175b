import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { renderStub } from "./stub.ts";

test("the nightly program rotates the logs, and keeps the file of a run that was interrupted", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-nightly-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const logs = join(folder, "shared/logs");
  const tools = join(folder, "tools");
  for (const path of [logs, tools]) mkdirSync(path, { recursive: true });
  writeFileSync(join(tools, "sleep"), "#!/bin/sh\n");
  chmodSync(join(tools, "sleep"), 0o755);
  const script = renderStub("nightly.sh", { folder, backups: "" });
  const run = (): Readonly<Record<string, string>> => {
    const { status, stderr } = spawnSync("sh", ["-c", script], {
      env: { PATH: `${tools}:${process.env["PATH"]}` },
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr], [0, ""]);
    const textOf = (name: string): string => {
      const content = readFileSync(join(logs, name));
      return (name.endsWith(".gz") ? gunzipSync(content) : content).toString();
    };
    return Object.fromEntries(readdirSync(logs).map((name) => [name, textOf(name)]));
  };
  writeFileSync(join(logs, "app.log.0"), "first");
  writeFileSync(join(logs, "app.log"), "second");
  writeFileSync(join(logs, "error.log"), "error");
  assert.deepEqual(run(), { "app.log": "second", "app.log.1.gz": "first", "error.log.1.gz": "error" });
  assert.deepEqual(run(), { "app.log.1.gz": "second", "app.log.2.gz": "first", "error.log.1.gz": "error" });
  for (let day = 3; day <= 16; day++) {
    writeFileSync(join(logs, "app.log"), `day ${day}`);
    run();
  }
  const rotated = run();
  assert.deepEqual([rotated["app.log.1.gz"], rotated["app.log.14.gz"]], ["day 16", "day 3"]);
  assert.equal(Object.keys(rotated).length, 15);
});
