import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Command } from "../core/index.ts";
import { listOf } from "./help.ts";

const count = Command.make({
  name: "todo.count",
  usage: "[--done]",
  description: "Counts what there is to do, and with a flag what was done already",
  run: () => Command.done,
});

test("what a command does is broken to the width of the terminal, below where it begins", () => {
  const lines = stripVTControlCharacters(listOf([count], "app", 60)).split("\n");
  assert.deepEqual(lines.slice(3, 6), [
    "  todo.count [--done]  Counts what there is to do, and with",
    "                       a flag what was done already",
    "",
  ]);
});

test("without a width nothing is broken, and in a very narrow terminal not after every word", () => {
  assert.equal(listOf([count], "app").split("\n").length, 6);
  assert.equal(listOf([count], "app", 10).split("\n").length, 8);
});
