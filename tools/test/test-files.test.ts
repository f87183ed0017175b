// Every test file runs in exactly one group, and continuous integration runs every part.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseArguments, partNames, type PartName } from "./arguments.ts";
import { selectJobs } from "./jobs.ts";
import { excludedFolders, groupOf, root, runnerOf, testFiles } from "./test-files.ts";

/** Returns the names of the jobs of a part. */
async function jobsOf(part: PartName, ...args: readonly string[]): Promise<readonly string[]> {
  const parsed = parseArguments(["--part", part, ...args]);
  assert.ok(typeof parsed === "object" && "parts" in parsed);
  const { jobs } = await selectJobs(parsed, { env: {} }, new AbortController().signal);
  return jobs.map(({ name }) => name);
}

test("every test file of the repository is short, long, nightly, or of an example", async () => {
  const git = ["ls-files", "--cached", "--others", "--exclude-standard", "*.test.ts"];
  const files = execFileSync("git", git, { cwd: root, encoding: "utf8" }).trim().split("\n");
  const expected = files
    .filter((path) => existsSync(join(root, path)) && !excludedFolders.includes(path.split("/")[0] ?? ""))
    .filter((path) => runnerOf(path) === path);
  const [short, long, nightly] = [await jobsOf("short"), await jobsOf("long"), await jobsOf("nightly")];
  const examples = (await jobsOf("examples")).filter((name) => name.startsWith("examples/"));
  const together = examples.filter((name) => name.endsWith("/all.ts"));
  assert.deepEqual(together, ["examples/shop/test/all.ts", "examples/tracker/test/all.ts"]);
  const label = "node:http: ";
  const all = [...short, ...examples.filter((name) => !together.includes(name)), ...long, ...nightly];
  assert.deepEqual(all.filter((name) => !name.startsWith(label)).toSorted(), expected.toSorted());
  const onNode = all.filter((name) => name.startsWith(label)).map((name) => name.slice(label.length));
  const ofServer = expected.filter((path) => path.startsWith("src/http/server/") || path.startsWith("test/attack/"));
  assert.deepEqual(onNode.toSorted(), ofServer.toSorted());
  assert.ok(short.length > 300 && long.length > 10);
});

test("the shares of a part contain each job once", async () => {
  const shares = [
    await jobsOf("short", "--shard", "1/3"),
    await jobsOf("short", "--shard", "2/3"),
    await jobsOf("short", "--shard", "3/3"),
  ];
  assert.deepEqual(shares.flat().toSorted(), [...(await jobsOf("short"))].toSorted());
  const sizes = shares.map((share) => share.length);
  assert.ok(Math.max(...sizes) - Math.min(...sizes) <= 1, String(sizes));
});

test("the workflow runs every part, and every share of it", () => {
  const workflow = readFileSync(join(root, ".github/workflows/test.yml"), "utf8");
  const runs = [...workflow.matchAll(/^ +- (--part .*)$/gm)].map(([, text = ""]) => {
    const parsed = parseArguments(text.split(" "));
    assert.ok(typeof parsed === "object" && "parts" in parsed, text);
    return parsed;
  });
  const parts = new Set(["check", "short", ...runs.flatMap((run) => run.parts)]);
  assert.deepEqual(parts, new Set(partNames));
  assert.match(workflow, /^ +- run: npm test$/m);
  const shares = Map.groupBy(runs, (run) => run.parts.join(" "));
  for (const [name, ofPart] of shares) {
    const [, count] = ofPart[0]?.shard ?? [];
    assert.deepEqual(
      ofPart.map(({ shard: [index] }) => index).toSorted((a, b) => a - b),
      Array.from({ length: count ?? 0 }, (_, index) => index + 1),
      name,
    );
  }
});

test("the table of guarantees lists every long and nightly test file, and no other", () => {
  const table = readFileSync(join(root, "test/README.md"), "utf8");
  for (const path of testFiles().filter((file) => ["long", "nightly"].includes(groupOf(file))))
    assert.ok(table.includes(`\`${path}\``), `test/README.md does not list ${path}`);
  for (const [, path = ""] of table.matchAll(/`((?:src|test|tools|examples)\/[^`]*\.test\.ts)`/g))
    assert.ok(existsSync(join(root, path)), `test/README.md lists ${path}, which does not exist`);
});
