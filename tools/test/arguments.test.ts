import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments, partNames, type TestArguments } from "./arguments.ts";

function parse(...argv: readonly string[]): TestArguments {
  const parsed = parseArguments(argv);
  assert.ok(typeof parsed === "object" && "parts" in parsed, JSON.stringify(parsed));
  return parsed;
}

test("npm test runs the checks and the short tests, npm run test:all every part", () => {
  assert.deepEqual(parse().parts, ["check", "short"]);
  assert.deepEqual(parse("--all").parts, partNames);
});

test("a path selects tests, without the checks and the load test", () => {
  assert.deepEqual(parse("queue"), { ...parse(), parts: ["short", "examples"], words: ["queue"] });
  assert.deepEqual(parse("--all", "./src/http").parts, ["short", "examples", "long"]);
  assert.deepEqual(parse("--all", "./src/http").words, ["src/http"]);
});

test("a named part runs alone, with a share of its jobs", () => {
  assert.deepEqual(parse("--all", "--part", "long", "--shard", "2/3"), {
    ...parse(),
    parts: ["long"],
    shard: [2, 3],
    hasAllRounds: true,
  });
  assert.deepEqual(parse("--part", "check", "--part", "long").parts, ["check", "long"]);
});

test("invalid arguments name the problem", () => {
  for (const [argv, problem] of [
    [["--part", "slow"], /--part slow is not one of check, short, examples, long, soak, node24/],
    [["--shard", "4/3"], /--shard 4\/3 is not a share/],
    [["--shard", "0/3"], /--shard 0\/3 is not a share/],
    [["--slots", "none"], /--slots none is not a positive integer/],
    [["--unknown"], /--unknown/],
  ] as const) {
    const parsed = parseArguments(argv);
    assert.ok(typeof parsed === "object" && "problem" in parsed, argv.join(" "));
    assert.match(parsed.problem, problem);
  }
  assert.equal(parseArguments(["--help"]), "help");
});
