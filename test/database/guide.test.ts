import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { root } from "../sources.ts";

for (const name of ["database", "migrations", "queue", "schedule", "storage", "email"]) {
  test(`runs the examples of docs/guide/${name}.md as one program`, async () => {
    const page = readFileSync(join(root, `docs/guide/${name}.md`), "utf8");
    const blocks = [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code);
    assert.ok(blocks.length > 2);
    await promisify(execFile)(
      process.execPath,
      ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", blocks.join("\n")],
      { cwd: root, env: { ...process.env, FRAMEWORK_ENV: "test" } },
    );
  });
}
