import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "./sources.ts";

test("runs the example of docs/reference/http.md without an application", async () => {
  const page = readFileSync(join(root, "docs/reference/http.md"), "utf8");
  const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
  const example = blocks.find((code) => code.includes("createServer(")) ?? "";
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", example],
    { cwd: root },
  );
  assert.deepEqual([stdout, stderr], ["{ hello: 'Ada' }\n", ""]);
});
