import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as Audit from "limmat/audit";
import { App, Cache, Migration, Queue, Schedule, Seed, Token, User, Web, Webhook } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { smtp } from "limmat/email/smtp";
import { runCommand } from "limmat/testing";
import { root } from "./sources.ts";

const database = sqlite();
const queue = Queue.memory();
const services = {
  sqlite: database,
  "Migration.service": Migration.service({ database }),
  "Seed.service": Seed.service({ database, seeds: {} }),
  "Queue.sql": queue,
  "Schedule.service": Schedule.service([], { database }),
  "Cache.sql": Cache.sql({ database }),
  "Token.sql": Token.sql({ database }),
  "User.service": User.service({ database }),
  smtp: smtp(),
  "Audit.service": Audit.service({ database }),
  "Webhook.sender": Webhook.sender({ database, queue, findEndpoint: async () => undefined }),
  "Web.Http.service": Web.Http.service({ router: Web.choose([]) }),
};

const commandNames = async (app: App.Application): Promise<readonly string[]> => {
  const { stdout } = await runCommand(app, "help");
  return [...stdout.matchAll(/^ {2}(\S+)/gm)].map(([, name = ""]) => name);
};

test("a command of a service that the application does not list names the service", async () => {
  const empty = App.create({ services: [] });
  for (const [expected, { commands = [] }] of Object.entries(services)) {
    for (const { name } of commands) {
      const { code, stderr } = await runCommand(empty, name);
      assert.equal(code, 2);
      assert.ok(stderr.includes(`"${name}"`) && stderr.includes(`${expected}(`), `${name}: ${stderr}`);
    }
  }
  const missing = await runCommand(empty, "user.admin", "ada@example.com");
  assert.match(missing.stderr, /There is no command "user\.admin"\. It comes with the user service, User\.service\(/);
  const group = await runCommand(empty, "help", "user");
  assert.match(group.stderr, /It comes with the user service/);
  for (const { stderr } of [missing, group]) assert.match(stderr, /gen\.auth --wire" adds it/);
  const users = App.create({ services: [services["User.service"]] });
  assert.match((await runCommand(users, "user.admim")).stderr, /Did you mean "user\.admin"/);
});

test("the reference lists exactly the commands of the framework", async () => {
  const existing = await commandNames(App.create({ services: Object.values(services) }));
  const named = (page: string, rows: RegExp): string[] =>
    [...readFileSync(join(root, "docs", page), "utf8").matchAll(rows)].map(([, name = ""]) => name);
  const documented = [
    ...named("reference/commands.md", /^\| `([a-z][\w.:-]*)/gm),
    ...named("guide/generators.md", /^\| `(gen\.\w+)/gm),
  ];
  assert.deepEqual(new Set(documented), new Set(existing.filter((name) => name !== "config:list")));
});

test("deploy runs from the package limmat-deploy of the project, and names it if it is not installed", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-commands-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const installed = App.create({ root, services: [] });
  assert.match(
    (await runCommand(installed, "deploy", "--name=A b")).stderr,
    /E_DEPLOY_SETTING.*"name" must begin with/,
  );
  assert.match((await runCommand(installed, "help", "deploy")).stdout, /deploy\.json stores settings/);
  const missing = App.create({ root: folder, services: [] });
  const { code, stderr } = await runCommand(missing, "deploy", "ada@example.com");
  assert.equal(code, 1);
  assert.match(stderr, /E_DEPLOY_MISSING.*npm install --save-dev limmat-deploy@\d/);
  assert.match((await runCommand(missing, "help", "deploy")).stdout, /npm install --save-dev limmat-deploy@\d/);
});
