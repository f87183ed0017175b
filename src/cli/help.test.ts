import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { App, Cache, Migration, Queue, Schedule, Seed, Token, User, Web } from "../index.ts";
import { Command } from "../core/index.ts";
import { sqlite } from "../database/sqlite/index.ts";
import { smtp } from "../services/email/transport/smtp/index.ts";
import { runCommand } from "../testing/index.ts";
import { generators } from "./commands/gen.ts";
import { fieldTypes } from "../generators/index.ts";
import { commandHelp, commandList } from "./help.ts";

const database = sqlite();
const services = [
  database,
  Migration.service({ database }),
  Seed.service({ database, seeds: {} }),
  Queue.memory(),
  Schedule.service([], { database }),
  Cache.sql({ database }),
  Token.sql({ database }),
  User.service({ database }),
  smtp(),
  Web.Http.service({ router: Web.choose([]) }),
];
const application = App.create({ services });

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

test("shows each alternative of a usage on its own line, and wraps long ones between arguments", async () => {
  const migrate = Command.make({
    name: "migrate",
    usage: "[--json] | status [--check | --json] | resolve <name> --applied|--retry",
    description: "Migrates",
    run: () => Command.done,
  });
  assert.equal(
    stripVTControlCharacters(await commandHelp(migrate, "npx limmat")),
    [
      "Usage: npx limmat migrate [--json]",
      "       npx limmat migrate status [--check | --json]",
      "       npx limmat migrate resolve <name> --applied|--retry",
      "",
      "Migrates",
    ].join("\n"),
  );
});

test("keeps the help of every command within 100 columns", async () => {
  const { stdout } = await runCommand(application, "help");
  const names = [...stdout.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
  assert.ok(names.includes("migrate") && names.includes("gen.html"));
  for (const name of names) {
    const help = await runCommand(application, "help", name);
    for (const line of help.stdout.split("\n")) assert.ok(line.length <= 100, `${name}: ${line}`);
  }
});

test("suggests similar options and words for arguments that the usage does not contain", async () => {
  const stderrOf = async (...args: readonly [string, ...string[]]): Promise<string> =>
    (await runCommand(application, ...args)).stderr;
  assert.match(await stderrOf("gen.html", "sqlite", "note", "title:string", "--wir"), /Did you mean "--wire"\?/);
  assert.match(
    await stderrOf("migrate", "frsh", "--sed"),
    /^Invalid arguments: frsh --sed\nDid you mean "fresh" and "--seed"\?\n/,
  );
  assert.match(await stderrOf("doctor", "--prod=1"), /Did you mean "--production"\?/);
  assert.doesNotMatch(await stderrOf("migrate", "status", "--", "x1"), /Did you mean/);
});

test("names the arguments that are missing", async () => {
  const copy = Command.make({
    name: "copy",
    usage: "<from> <to>... [--deep <n>]",
    description: "Copies",
    run: () => undefined,
  });
  const { stderr } = await runCommand(App.create({ services: [], commands: [copy] }), "copy", "a", "--deep");
  assert.match(stderr, /^Arguments are missing: <to>\.\.\.\n/);
  assert.match((await runCommand(application, "migrate", "resolve", "x")).stderr, /^Invalid arguments: resolve x\n/);
  assert.match((await runCommand(application, "cache.delete")).stderr, /^Arguments are missing: <key>\n/);
  assert.match((await runCommand(application, "cache.delete", "a", "b")).stderr, /^Invalid arguments: a b\n/);
});

test("wraps nothing without a width and keeps a minimum width in a very narrow terminal", () => {
  assert.equal(commandList([count], "app").split("\n").length, 6);
  assert.equal(commandList([count], "app", 10).split("\n").length, 8);
});
