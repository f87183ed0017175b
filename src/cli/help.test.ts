import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Command } from "../core/index.ts";
import { generators } from "./commands/gen.ts";
import { fieldTypes } from "./gen/field.ts";
import { helpOf, listOf } from "./help.ts";

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

test("the help of a generator names every type of field", () => {
  for (const name of ["gen.model", "gen.view", "gen.html", "gen.json", "gen.migration"]) {
    const command = generators.find((each) => each.name === name);
    const help = command === undefined ? "" : stripVTControlCharacters(helpOf(command, "app"));
    for (const type of fieldTypes) assert.match(help, new RegExp(`\\b${type}\\b`), `${name}: ${type}`);
  }
});

test("without a width nothing is broken, and in a very narrow terminal not after every word", () => {
  assert.equal(listOf([count], "app").split("\n").length, 6);
  assert.equal(listOf([count], "app", 10).split("\n").length, 8);
});
