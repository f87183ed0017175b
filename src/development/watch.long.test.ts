import assert from "node:assert/strict";
import { test } from "node:test";
import { reloadsOnce } from "./reloads-once.test.ts";
import { startSession } from "./development-session.test.ts";

// Pauses between the writes make it a question of time: watch.nightly.test.ts.
test("reloads once for a command that writes many files", () => reloadsOnce(0));

test("ignores the temporary files of editors", async () => {
  await using project = await startSession({
    "run/run.ts":
      'import "node:http"; import { createServer } from "node:http"; createServer((_, r) => r.end("x")).listen(0, "127.0.0.1");',
  });
  for (const name of ["public/a.svg~", "public/.a.svg.swp", "public/a.svg.1.tmp", "public/4913"])
    project.write(name, "x");
  project.write("public/a.css", "a {}");
  assert.deepEqual(await project.nextEvent(({ kind }) => kind !== "failure"), { kind: "styles" });
});
