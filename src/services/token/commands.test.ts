// The commands of a token service.
import { TimeInternals } from "../../time/index.ts";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { App, Configuration, Migration, Time, Token, User } from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, type CommandResult, fakeClock, runCommand } from "limmat/testing";

describe("the token commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "limmat-token-"));
  const database = sqlite({ url: join(folder, "test.sqlite") });
  const token = Token.sql({ database });
  const jwt = Token.jwt();
  let app: App.Application;
  let jwtApp: App.Application;
  let log: ReturnType<typeof capturedLog>;

  before(() => {
    log = capturedLog();
    Configuration.store([["FRAMEWORK_ENV", "test"]]);
    app = App.create({ services: [token, Migration.service({ database, onPending: "run" })] });
    jwtApp = App.create({ services: [jwt] });
  });
  after(() => {
    ConfigurationInternals.reset();
    log[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  const withStartedApp = async <T>(callback: () => Promise<T>): Promise<T> => {
    await app.start({ server: false });
    try {
      return await callback();
    } finally {
      await app.stop();
    }
  };
  const call = async (...argv: string[]): Promise<CommandResult> => runCommand(app, ...argv);

  test("note that a list is limited", async () => {
    const memory = Token.memory();
    const listing = App.create({ services: [memory] });
    await listing.start({ server: false });
    for (let count = 0; count < 999; count++) await memory.create({}, { purpose: "api" });
    const list = (): Promise<CommandResult> => runCommand(listing, "token.list", "--json");
    const [few, many] = [await list(), await memory.create({}, { purpose: "reset" }).then(list)];
    await listing.stop();
    assert.equal(few.stderr, "");
    assert.equal((JSON.parse(many.stdout) as readonly unknown[]).length, 1000);
    assert.match(many.stderr, /newest 1,000.*--owner/);
  });

  test("create a token, list it, end it and delete it", async () => {
    using clock = fakeClock();
    await runCommand(app, "migrate");
    const created = await call(
      ..."token.create api --owner ada --expires 90d --ability todos:read --ability todos:write".split(" "),
      "--name",
      "my laptop",
      "--data",
      '{"team":"red"}',
    );
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stdout, /^lmt_[\w-]{49}$/);
    assert.match(created.stderr, /90d|12w6d/);
    const content = await withStartedApp(() => token.read(created.stdout, { purpose: "api" }));
    assert.deepEqual(
      [content?.owner, content?.name, content?.abilities, content?.data, content?.expires_at.getTime()],
      ["ada", "my laptop", ["todos:read", "todos:write"], { team: "red" }, TimeInternals.timestamp() + Time.days(90)],
    );

    const { stdout } = await call("token.list", "--owner", "ada");
    assert.match(
      stdout,
      /^active +[\w-]{36} +api +of ada +"my laptop" +todos:read todos:write +until 20\d\d-.*used 20/,
    );
    const json = await call("token.list", "--purpose", "api", "--json");
    const [listed] = JSON.parse(json.stdout) as readonly Token.StoredToken[];
    assert.equal(listed?.id, content?.id);
    assert.doesNotMatch(stdout + json.stdout, /lmt_/);
    assert.equal((await call("token.list", "--owner", "bob")).stdout, "There are no tokens.");

    assert.equal((await call("token.revoke", content?.id ?? "")).stdout, "Ended.");
    assert.match((await call("token.revoke", content?.id ?? "")).stdout, /no active token/);
    assert.match((await call("token.list")).stdout, /^consumed/);
    assert.equal((await call("token.purge")).stdout, "Deleted 0 expired tokens.");
    await clock.advance(Time.days(90));
    assert.equal((await call("token.purge", "--json")).stdout, '{"purged":1}');
  });

  test("print a token as JSON, and end all tokens of an owner", async () => {
    const { stdout } = await call("token.create", "api", "--owner", "ada", "--json");
    const { token: text, expires_at } = JSON.parse(stdout) as { token: string; expires_at: string };
    assert.ok(new Date(expires_at) > Time.now());
    const isValid = (): Promise<boolean> => withStartedApp(() => token.isValid(text, { purpose: "api" }));
    await call("token.revoke", "--owner", "ada", "--purpose", "other");
    assert.ok(await isValid());
    assert.equal((await call("token.revoke", "--owner", "ada")).code, 0);
    assert.ok(!(await isValid()));
  });

  test("accept the address of a user as owner if the application has a user service", async () => {
    const owned = sqlite({ url: join(folder, "owned.sqlite") });
    const user = User.service({ database: owned });
    const tokens = Token.sql({ database: owned });
    const services = [tokens, user, Migration.service({ database: owned, onPending: "run" })];
    const withUsers = App.create({ services, reporters: [] });
    const run = (...argv: string[]): Promise<CommandResult> => runCommand(withUsers, ...argv);
    await run("migrate");
    await run("user.admin", "ada@example.com", "correct horse battery staple");
    const { users } = JSON.parse((await run("user.list", "--json")).stdout) as { users: User.User[] };
    const id = users[0]?.id ?? "";
    const created = await run("token.create", "api", "--owner", "Ada@example.com");
    assert.equal(created.code, 0, created.stderr);
    await run("token.create", "api", `--owner=${id}`);
    const listed = async (): Promise<readonly (readonly [string | undefined, string])[]> => {
      const { stdout } = await run("token.list", "--owner", "ada@example.com", "--json");
      return (JSON.parse(stdout) as readonly Token.StoredToken[]).map(({ owner, status }) => [owner, status]);
    };
    assert.deepEqual(await listed(), [
      [id, "active"],
      [id, "active"],
    ]);
    assert.equal((await run("token.revoke", "--owner", "ada@example.com")).code, 0);
    assert.deepEqual(await listed(), [
      [id, "consumed"],
      [id, "consumed"],
    ]);
    const unknown = await run("token.create", "api", "--owner", "bob@example.com");
    assert.deepEqual([unknown.code, unknown.stdout], [1, ""]);
    assert.match(unknown.stderr, /There is no such user/);
    // Without a user service, an owner is any text.
    await call("token.create", "api", "--owner", "bob@example.com");
    assert.match((await call("token.list", "--owner", "bob@example.com")).stdout, /of bob@example\.com/);
  });

  test("report wrong arguments", async () => {
    for (const argv of [
      ["token.create"],
      ["token.create", "a", "b"],
      ["token.create", "api", "--data", "[]"],
      ["token.create", "api", "--data", "{"],
      ["token.create", "api", "--unknown"],
      ["token.list", "x"],
      ["token.revoke"],
      ["token.revoke", "x", "--owner", "ada"],
      ["token.revoke", "x", "--purpose", "api"],
      ["token.purge", "all"],
    ]) {
      const { code, stdout, stderr } = await call(...argv);
      assert.deepEqual([code, stdout], [2, ""], argv.join(" "));
      assert.match(stderr, new RegExp(`Usage.*${argv[0]}`, "s"));
    }
    const { code, stderr } = await call("token.create", "api", "--expires", "5");
    assert.equal(code, 1);
    assert.match(stderr, /E_DURATION_INVALID|is not a duration/);
    assert.equal((await call("token.create", "api", "--ability", "two words")).code, 1);
  });

  test("that need records are refused for JSON Web Tokens", async () => {
    const { stdout } = await runCommand(jwtApp, "token.create", "api", "--owner", "ada");
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    for (const argv of [["token.list"], ["token.revoke", "4e9f8f0e-0000-4000-8000-000000000000"]]) {
      const { code, stderr } = await runCommand(jwtApp, ...argv);
      assert.equal(code, 2);
      assert.match(stderr, /stores no records/);
    }
    assert.equal((await runCommand(jwtApp, "token.revoke", "--owner", "ada")).code, 0);
    assert.equal((await runCommand(jwtApp, "token.purge")).code, 0);
  });
});
