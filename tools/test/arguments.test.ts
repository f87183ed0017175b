import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseArguments, partNames, type TestArguments } from "./arguments.ts";
import { root } from "./test-files.ts";

function parse(...argv: readonly string[]): TestArguments {
  const parsed = parseArguments(argv);
  assert.ok(typeof parsed === "object" && "parts" in parsed, JSON.stringify(parsed));
  return parsed;
}

test("npm test runs the checks and the short tests", () => {
  assert.deepEqual(parse().parts, ["check", "short"]);
});

test("the scripts of package.json run every part once", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const parts = ["test", "test:long", "test:nightly"].flatMap((name) => {
    const [, text = ""] = / tools\/test\.ts(.*)$/.exec(scripts[name] ?? "") ?? [];
    return parse(...text.split(" ").filter((word) => word !== "")).parts;
  });
  assert.deepEqual(parts.toSorted(), [...partNames].toSorted());
});

test("a path selects tests, without the checks and the load test", () => {
  assert.deepEqual(parse("queue"), { ...parse(), parts: ["short", "examples"], words: ["queue"] });
  assert.deepEqual(parse("--part", "nightly", "--part", "soak", "./src/http").parts, ["nightly"]);
  assert.deepEqual(parse("./src/http").words, ["src/http"]);
});

test("a named part runs alone, with a share of its jobs", () => {
  assert.deepEqual(parse("--limit", "90", "--part", "long", "--shard", "2/3"), {
    ...parse(),
    parts: ["long"],
    shard: [2, 3],
    limitMs: 90_000,
  });
  assert.deepEqual(parse("--part", "check", "--part", "long").parts, ["check", "long"]);
});

test("invalid arguments name the problem", () => {
  for (const [argv, problem] of [
    [["--part", "slow"], /--part slow is not one of check, short, examples, long, rounds, nightly, soak, node24/],
    [["--shard", "4/3"], /--shard 4\/3 is not a share/],
    [["--shard", "0/3"], /--shard 0\/3 is not a share/],
    [["--slots", "none"], /--slots none is not a positive integer/],
    [["--limit", "0"], /--limit 0 is not a positive integer/],
    [["--unknown"], /--unknown/],
  ] as const) {
    const parsed = parseArguments(argv);
    assert.ok(typeof parsed === "object" && "problem" in parsed, argv.join(" "));
    assert.match(parsed.problem, problem);
  }
  assert.equal(parseArguments(["--help"]), "help");
});
