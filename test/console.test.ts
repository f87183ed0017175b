// The command `console`, typed into by a process.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atTerminal, keys, terminalSkip } from "./new-project/terminal.ts";

const fixture = new URL("./fixtures/serve-web.ts", import.meta.url).pathname;
const args = ["--conditions=@limmat/source", fixture, "console"];
const env = { ...process.env, FRAMEWORK_ENV: "test", CHECK_CSRF: "true", NO_COLOR: "1" };

test("what is typed is evaluated with the services, awaited, and a throw ends nothing", async (t) => {
  const child = spawn(process.execPath, args, { env, stdio: "pipe" });
  t.after(() => child.kill("SIGKILL"));
  const lines = [
    `const response = await app.request("/");`,
    `response.status`,
    `nope()`,
    `database.name + new Date(0).getTime()`,
    `Promise.reject(new Error("not awaited")); 7`,
    `http.address()`,
  ];
  let output = "";
  for await (const chunk of child.stdout) {
    output += String(chunk);
    // A line is typed when the one before has been answered.
    if (!output.endsWith("test> ")) continue;
    const line = lines.shift();
    if (line === undefined) child.stdin.end();
    else child.stdin.write(`${line}\n`);
  }
  assert.match(output, /test> 200\n/);
  assert.match(output, /ReferenceError: nope is not defined/);
  assert.match(output, /'database0'\n/);
  assert.match(output, /test> 7\n/);
  assert.equal(child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve))), 0);
});

test("a terminal gets a history that others cannot read", { skip: terminalSkip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const terminal = atTerminal(process.execPath, args, process.cwd(), { ...env, LOGS_DIR: join(folder, "logs") });
  await terminal.shows("test> ");
  terminal.types(`6 * 7${keys.enter}`);
  await terminal.shows("42");
  await terminal.shows("test> ");
  terminal.types(`.exit${keys.enter}`);
  assert.equal(await terminal.ended, 0);
  const { mode, size } = statSync(join(folder, "logs/console-history.log"));
  assert.equal(mode & 0o077, 0);
  assert.ok(size > 0);
});
