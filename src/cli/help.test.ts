import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { Command } from "../core/index.ts";
import { generators } from "./commands/gen.ts";
import { fieldTypes } from "./gen/field.ts";
import { commandHelp, commandList } from "./help.ts";

const count = Command.make({
  name: "todo.count",
  usage: "[--done]",
  description: "Counts what there is to do, and with a flag what was done already",
  run: () => Command.done,
});

test("wraps descriptions at the width of the terminal and indents continuation lines", () => {
  const lines = stripVTControlCharacters(commandList([count], "app", 60)).split("\n");
  assert.deepEqual(lines.slice(3, 6), [
    "  todo.count [--done]  Counts what there is to do, and with",
    "                       a flag what was done already",
    "",
  ]);
});

test("lists every field type in the help of a generator", async () => {
  for (const name of ["gen.model", "gen.view", "gen.html", "gen.json", "gen.migration"]) {
    const command = generators.find((generator) => generator.name === name);
    const help = command === undefined ? "" : stripVTControlCharacters(await commandHelp(command, "app"));
    for (const type of fieldTypes) assert.match(help, new RegExp(`\\b${type}\\b`), `${name}: ${type}`);
  }
});

test("wraps nothing without a width and keeps a minimum width in a very narrow terminal", () => {
  assert.equal(commandList([count], "app").split("\n").length, 6);
  assert.equal(commandList([count], "app", 10).split("\n").length, 8);
});
