import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { documentExamples } from "../document-examples.ts";
import { root } from "../sources.ts";

for (const name of ["database", "tables", "migrations", "queue", "schedule", "storage", "email"]) {
  test(`runs the examples of docs/guide/${name}.md as one program`, async () => {
    const examples = documentExamples(`docs/guide/${name}.md`).filter(({ file }) => file === undefined);
    const blocks = examples.map(({ code }) => code);
    assert.ok(blocks.length > 2);
    await promisify(execFile)(
      process.execPath,
      ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", blocks.join("\n")],
      { cwd: root, env: { ...process.env, FRAMEWORK_ENV: "test" } },
    );
  });
}
