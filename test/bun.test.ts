// The HTTP service has a second host: what its tests promise is asked of Bun, too.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { test } from "node:test";
import { bun } from "./bun.ts";
import { root } from "./sources.ts";

// Continuous integration has it, or fails.
const without = { skip: bun === undefined && process.env["CI"] === undefined && "there is no Bun here" };

test("the tests of the web room pass on Bun, those left out that say why", without, () => {
  const files = globSync("src/web/**/*.test.ts", { cwd: root }).map((file) => `./${file}`);
  assert.ok(files.length > 50);
  const { status, stderr } = spawnSync(
    bun ?? "bun",
    ["test", "--conditions=@limmat/source", "--timeout=30000", ...files],
    { cwd: root, encoding: "utf8", maxBuffer: 100 * 1024 * 1024 },
  );
  assert.equal(status, 0, stderr.slice(stderr.indexOf("tests failed:")));
  assert.ok(Number(/(\d+) pass/.exec(stderr)?.[1]) > 900, stderr.slice(-500));
});
