import { LogInternals } from "../../src/log/index.ts";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Cleaner, Configuration, error, Log, Migration, User } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { type CommandResult, runCommand } from "limmat/testing";
import { runInTerminal, type TerminalProgram, keys, terminalSkip } from "../new-project/terminal.ts";
import { root } from "../sources.ts";
import { cheap } from "./fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "limmat-users-"));
const url = join(folder, "users.sqlite");
const database = sqlite({ url });
const users = User.service({ database });
const migration = Migration.service({ database, onPending: "run" });
const app = App.create({ services: [database, users, migration], reporters: [] });
const good = "a fine long password";

before(async () => {
  Log.configure({ reporters: [] });
  Configuration.store(Object.entries(cheap));
  await app.start();
});
after(async () => {
  await app.stop();
  ConfigurationInternals.reset();
  LogInternals.reset();
  rmSync(folder, { recursive: true });
});
beforeEach(() => Cleaner.cleanAll());

const command = (...args: string[]): Promise<CommandResult> =>
  runCommand(App.create({ services: [User.service({ database: sqlite({ url }) })], reporters: [] }), ...args);

describe("user.admin", () => {
  test("adds an admin", async () => {
    const { code, stdout } = await command("user.admin", "Heidi@example.com", good);
    assert.deepEqual([code, stdout], [0, "Heidi@example.com is an admin now."]);
    const admin = await users.findByEmail("heidi@example.com");
    assert.deepEqual([admin.admin, admin.confirmed, admin.status], [true, true, "active"]);
    assert.ok((await users.login("heidi@example.com", good)).ok);
  });

  test("refuses invalid input with a message", async () => {
    await users.createUser({ email: "taken@example.com" });
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await command("user.admin", ...args);
      assert.deepEqual([code, stdout], [1, ""]);
      return stderr;
    };
    assert.match(
      await refused("TAKEN@example.com", good),
      /There is a user with the address TAKEN@example.com. Use user.promote/,
    );
    assert.match(await refused("heidi", good), /An e-mail address is/);
    assert.match(await refused("heidi@example.com", "short"), /at least 8 characters/);
    assert.match(await refused("heidi@example.com", "password1"), /too easy to guess/);
    assert.equal((await command("user.admin")).code, 2);
    assert.equal((await command("user.admin", "heidi@example.com", good, "more")).code, 2);
    assert.equal((await users.search())[1], 1);
  });

  test("warns in its help that an argument is visible", async () => {
    const { stdout } = await command("user.admin", "help");
    assert.match(stdout, /user\.admin <email> \[<password>\]/);
    assert.match(stdout, /visible to every user of this machine/);
  });
});

test("user.password sets a password and ends the sessions", async () => {
  const heidi = await users.createUser({ email: "heidi@example.com", password: good });
  const session = await users.startSession(heidi);
  const { code, stdout } = await command("user.password", "heidi@example.com", "another password");
  assert.deepEqual([code, stdout], [0, "The password of heidi@example.com was changed."]);
  assert.ok((await users.login("heidi@example.com", "another password")).ok);
  assert.equal(await users.findBySessionOpt(session), undefined);
  assert.equal((await command("user.password", "heidi@example.com", "short")).code, 1);
  assert.equal((await command("user.password", "nobody@example.com", good)).code, 1);
});

test("user.promote and user.demote change the admin role", async () => {
  const heidi = await users.createUser({ email: "heidi@example.com", password: good });
  assert.match(
    (await command("user.promote", "HEIDI@example.com")).stdout,
    /heidi@example.com {2}active, admin, not conf/,
  );
  assert.equal((await users.find(heidi.id)).admin, true);
  assert.match(
    (await command("user.demote", "heidi@example.com")).stdout,
    /heidi@example.com {2}active, not confirmed/,
  );
  assert.equal((await users.find(heidi.id)).admin, false);
});

test("user.deactivate and user.activate change the status", async () => {
  const heidi = await users.createUser({ email: "heidi@example.com", password: good });
  assert.match((await command("user.deactivate", "heidi@example.com")).stdout, /heidi@example.com {2}inactive/);
  assert.equal((await users.find(heidi.id)).status, "inactive");
  assert.match((await command("user.activate", "heidi@example.com")).stdout, /heidi@example.com {2}active/);
  assert.equal((await users.find(heidi.id)).status, "active");
  const strict = User.service({ database: sqlite({ url }) });
  strict.registerChecks(async () => error("Name an heir first"));
  const strictApp = App.create({ services: [strict], reporters: [] });
  const refused = await runCommand(strictApp, "user.deactivate", "heidi@example.com");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Name an heir first/);
  assert.equal((await users.find(heidi.id)).status, "active");
  assert.equal((await runCommand(strictApp, "user.deactivate", "heidi@example.com", "--force")).code, 0);
  assert.equal((await users.find(heidi.id)).status, "inactive");
  assert.equal((await command("user.promote", "heidi@example.com", "--force")).code, 2);
  assert.equal((await command("user.deactivate", "nobody@example.com")).code, 1);
  assert.equal((await command("user.deactivate")).code, 2);
});

test("user.list prints text or JSON", async () => {
  assert.match((await command("user.list")).stderr, /There are no such users/);
  const heidi = await users.createAdmin({ email: "heidi@example.com", password: good });
  await users.deactivate(await users.createUser({ email: "alp@example.com", password: good }));
  const { stdout } = await command("user.list");
  assert.match(stdout, /^\d{4}-\d\d-\d\d {2}heidi@example\.com {2}active, admin$/m);
  assert.match(stdout, /^\d{4}-\d\d-\d\d {2}alp@example\.com {2}inactive, not confirmed$/m);
  const { stdout: json } = await command("user.list", "heidi", "--json");
  assert.deepEqual(JSON.parse(json), JSON.parse(JSON.stringify({ total: 1, users: [heidi] })));
  assert.equal((await command("user.list", "--xml")).code, 2);
});

const fixture = join(root, "test/user/run.ts");
const env = { ...process.env, ...cheap, DATABASE_URL: url, FRAMEWORK_ENV: "test" };

/** Runs a command in a process whose standard input is a pipe. */
function piped(input: string, ...args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, ["--conditions=@limmat/source", fixture, ...args], { env });
  const result = { code: 0, stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
  child.stdin.end(input);
  return new Promise((resolve) => child.once("close", (code) => resolve({ ...result, code: code ?? -1 })));
}

describe("a password from a pipe", () => {
  test("is the first line, unchanged", async () => {
    const { code, stderr } = await piped("  pass wörd 🔑 \r\nsecond line\n", "user.admin", "heidi@example.com");
    assert.deepEqual([code, stderr], [0, ""]);
    assert.ok((await users.login("heidi@example.com", "  pass wörd 🔑 ")).ok);
  });

  test("is refused if it is empty", async () => {
    const { code, stderr } = await piped("", "user.admin", "heidi@example.com");
    assert.equal(code, 1);
    assert.match(stderr, /No password was given/);
    assert.equal((await users.search())[1], 0);
  });
});

describe("a password at a terminal", { skip: terminalSkip, timeout: 300_000 }, () => {
  const start = (): TerminalProgram => {
    const pairs = [...Object.entries(cheap), ["DATABASE_URL", url], ["FRAMEWORK_ENV", "test"]] as const;
    const assignments = pairs.map(([key, value]) => `${key}=${value}`);
    const program = [process.execPath, "--conditions=@limmat/source", fixture, "user.admin", "heidi@example.com"];
    return runInTerminal("env", [...assignments, ...program], folder);
  };

  test("is prompted for twice and not echoed", async () => {
    const terminal = start();
    await terminal.waitForText("Password: ");
    terminal.type(`wrong\u0015a fine lonh\u007fg password${keys.enter}`);
    await terminal.waitForText("Repeat the password: ");
    terminal.type(`${good}${keys.enter}`);
    const shown = await terminal.waitForText("is an admin now");
    assert.equal(await terminal.exitCode, 0);
    assert.ok(!/fine|password\b(?!:)/.test(shown.replace(/(?:P|Repeat the p)assword: /g, "")), shown);
    assert.ok((await users.login("heidi@example.com", good)).ok);
  });

  test("changes nothing if the repetition differs or Ctrl-C is pressed", async () => {
    const first = start();
    await first.waitForText("Password: ");
    first.type(`${good}${keys.enter}`);
    await first.waitForText("Repeat the password: ");
    first.type(`something else${keys.enter}`);
    await first.waitForText("Please enter the same password twice");
    assert.equal(await first.exitCode, 1);
    const second = start();
    await second.waitForText("Password: ");
    second.type(`half${keys.interrupt}`);
    await second.waitForText("The input was interrupted");
    assert.equal(await second.exitCode, 1);
    assert.equal(await database.find(sql.value(Row.int)`select count(*) from user_users`), 0);
  });
});
