import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "./sources.ts";

test("the tests of the guide's page on testing pass", async () => {
  const page = readFileSync(join(root, "docs/guide/testing.md"), "utf8");
  const code = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, block = ""]) => block).join("\n");
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const flags = ["--conditions=@limmat/source", "--input-type=module-typescript", "--test-reporter=tap"];
  const options = { cwd: root, env: { ...env, CHECK_CSRF: "true", LOG_LEVEL: "error" } };
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, "-e", code], options);
  assert.match(stdout, /^# pass 10$/m);
  assert.match(stdout, /^# fail 0$/m);
});
