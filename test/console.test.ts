// The command `console` with input from a process and from a terminal.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runInTerminal, keys, terminalSkip } from "./new-project/terminal.ts";

const fixture = new URL("./fixtures/serve-web.ts", import.meta.url).pathname;
const args = ["--conditions=@limmat/source", fixture, "console"];
const env = { ...process.env, FRAMEWORK_ENV: "test", CHECK_CSRF: "true", NO_COLOR: "1" };

test("evaluates input with the services, awaits promises, and continues after a throw", async (t) => {
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
    // Sends the next line when the result of the previous one is printed.
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

test("stores the history of a terminal in a file that only its owner can read", { skip: terminalSkip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const terminal = runInTerminal(process.execPath, args, process.cwd(), { ...env, LOGS_DIR: join(folder, "logs") });
  await terminal.waitForText("test> ");
  terminal.type(`6 * 7${keys.enter}`);
  await terminal.waitForText("42");
  await terminal.waitForText("test> ");
  terminal.type(`.exit${keys.enter}`);
  assert.equal(await terminal.exitCode, 0);
  const { mode, size } = statSync(join(folder, "logs/console-history.log"));
  assert.equal(mode & 0o077, 0);
  assert.ok(size > 0);
});
