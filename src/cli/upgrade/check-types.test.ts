import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkTypes } from "./check-types.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-types-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a replacement of the type checker that prints an output. */
function check(output: string, code: number): ReturnType<typeof checkTypes> {
  const program = join(folder, "tsc.mjs");
  writeFileSync(program, `process.stdout.write(${JSON.stringify(output)}); process.exitCode = ${code};`);
  return checkTypes(program, folder);
}

test("returns the errors of files, with all lines of a message", () => {
  const message = "TS2353: Unknown property.\n  Did you mean another?";
  assert.deepEqual(check(`app/a.ts(3,5): error ${message}\n`, 1), {
    problems: [{ path: "app/a.ts", line: 3, column: 5, message }],
    failure: undefined,
  });
  assert.deepEqual(check("", 0), { problems: [], failure: undefined });
});

test("returns the reason if it could not check the files", () => {
  const failure = "error TS5083: Cannot read file '/tsconfig.base.json'.";
  assert.deepEqual(check(`${failure}\n`, 1), { problems: [], failure });
  writeFileSync(join(folder, "tsc.mjs"), "console.error('killed'); process.exitCode = 1;");
  assert.deepEqual(checkTypes(join(folder, "tsc.mjs"), folder), { problems: [], failure: "killed" });
});
