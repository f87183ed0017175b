import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as fc from "fast-check";
import { unifiedDiff } from "./report.ts";

test("shows changed lines with three lines around them", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n";
  const after = before.replace("2\n", "two\n").replace("14\n", "");
  assert.equal(
    unifiedDiff("a.txt", before, after),
    `--- a.txt
+++ a.txt
@@ -1,5 +1,5 @@
 1
-2
+two
 3
 4
 5
@@ -11,6 +11,5 @@
 11
 12
 13
-14
 15
 16
`,
  );
  assert.equal(unifiedDiff("a.txt", before, before), "");
});

test("shows a new file", () => {
  assert.equal(unifiedDiff("a.txt", undefined, "1\n2\n"), "--- /dev/null\n+++ a.txt\n@@ -0,0 +1,2 @@\n+1\n+2\n");
});

test("git applies the difference of any two texts", () => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-diff-"));
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 30 });
  const text = lines.map((list) => `${list.join("\n")}\n`);
  try {
    fc.assert(
      fc.property(text, text, (before, after) => {
        writeFileSync(join(folder, "a.txt"), before);
        const diff = unifiedDiff("a.txt", before, after);
        if (diff === "") return before === after;
        execFileSync("git", ["apply", "--unidiff-zero", "-p0", "-"], { cwd: folder, input: diff });
        return readFileSync(join(folder, "a.txt"), "utf8") === after;
      }),
      { numRuns: 30 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
