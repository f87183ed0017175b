import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { App, Cache, Migration, Queue, Schedule, Seed, Token, User, Web } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { smtp } from "limmat/email/smtp";
import { runCommand } from "limmat/testing";
import { root } from "./sources.ts";

test("the reference lists exactly the commands of the framework", async () => {
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
  const { stdout } = await runCommand(App.create({ services }), "help");
  const existing = [...stdout.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
  const named = (page: string, rows: RegExp): string[] =>
    [...readFileSync(join(root, "docs", page), "utf8").matchAll(rows)].map(([, name = ""]) => name);
  const documented = [
    ...named("reference/commands.md", /^\| `([a-z][\w.:-]*)/gm),
    ...named("guide/generators.md", /^\| `(gen\.\w+)/gm),
  ];
  assert.deepEqual(new Set(documented), new Set(existing.filter((name) => name !== "config:list")));
});
