import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

// Node remembers the folder of the process until the next change.
const program = `import { rmdirSync } from "node:fs";
process.chdir("deleted");
rmdirSync(import.meta.dirname + "/deleted");
throw new Error("late");
`;

test("an application whose folder is deleted exits with its error", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "limmat-child-"));
  mkdirSync(join(cwd, "deleted"));
  writeFileSync(join(cwd, "run.mjs"), program);
  const args = ["--conditions=@limmat/source", "--import", new URL("child.ts", import.meta.url).href, "run.mjs"];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "ignore", "ipc"] });
  after(() => {
    child.kill("SIGKILL");
    rmSync(cwd, { recursive: true, force: true });
  });
  child.send({ kind: "preload", packages: [] });
  child.send({ kind: "start", port: 3000 });
  assert.deepEqual(await once(child, "exit"), [1, null]);
});
