// What the user service records in the audit trail.
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { after, before, beforeEach, test } from "node:test";
import { App, Cleaner, Configuration, Migration, PasswordReset, Token, User, Web } from "limmat";
import * as Audit from "limmat/audit";
import { sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, runCommand, type Visitor, visitor } from "limmat/testing";
import { ConfigurationInternals } from "../../src/config/index.ts";

const database = sqlite({ url: "sqlite::memory:" });
const audit = Audit.service({ database });
const user = User.service({ database, audit });
const token = Token.sql({ database, audit });
const migration = Migration.service({ database });

let acting: string | undefined;
const router = Web.choose(
  [
    Web.get("/refused", () => Web.Response.text("no", { status: 403 })),
    Web.get("/refused/:name", () => Web.Response.text("no", { status: 403 })),
    Web.post("/leave", async () => {
      await user.delete({ id: acting ?? "" });
      return Web.Response.text("gone");
    }),
    Web.get("/record", async () => {
      await audit.record({ action: "note.read" });
      return Web.Response.text("ok");
    }),
    Web.get("/stream", () => Web.Response.stream(lines())),
    Web.get("/events", () => Web.Response.events(events())),
  ],
  { middlewares: [Audit.Web.middleware(audit, { actor: () => ({ user: acting, credential: "session" }) })] },
);

async function* lines(): AsyncGenerator<string> {
  await audit.record({ action: "note.read" });
  yield "line";
  await audit.record({ action: "note.read" });
}

async function* events(): AsyncGenerator<Web.ServerEvent> {
  for await (const data of lines()) yield { data };
}

/** Pages whose user is only loaded when something asks who acts. */
const members = Web.choose(
  [
    Web.post("/members/login", async (request) => {
      const result = await user.login("ada@example.com", password, { client: User.Web.client(request) });
      if (!result.ok) return Web.Response.text(result.error, { status: 422 });
      return User.Web.login(result.value, request, Web.Response.text("in"));
    }),
    Web.post("/members/logout", (request) => User.Web.logout(request, Web.Response.text("out"))),
    Web.post("/members/everywhere", (request) => User.Web.logoutEverywhere(request, Web.Response.text("out"))),
    Web.post("/members/leave", async () => {
      await user.deactivate({ id: acting ?? "" });
      return Web.Response.text("gone");
    }),
  ],
  {
    middlewares: [
      ...Web.Middleware.site(),
      User.Web.middleware(user),
      Audit.Web.middleware(audit, {
        actor: async (request) => {
          const current = await User.Web.user(request);
          return current && { user: current.id, credential: "session" };
        },
      }),
    ],
  },
);
const app = App.create({
  services: [database, migration, user, token, Web.Http.service({ router: Web.choose([router, members]) })],
});

before(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  await app.start({ server: false });
  await migration.runAll();
});
after(async () => {
  await app.stop();
  ConfigurationInternals.reset();
});
beforeEach(() => Cleaner.cleanAll());

const password = "a meadow full of cats";
const create = (): Promise<User.User> => user.createUser({ email: "ada@example.com", password });

/** Returns the entries of a callback, without those before it. */
async function recorded(run: () => Promise<unknown>): Promise<readonly Audit.AuditEntry[]> {
  const known = new Set((await audit.search())[0].map(({ id }) => id));
  await run();
  return (await audit.search())[0].filter(({ id }) => !known.has(id));
}

const actionsOf = (entries: readonly Audit.AuditEntry[]): readonly string[] =>
  entries.map(({ action }) => action).toSorted();

test("accounts: each change is recorded with the user that it is about", async () => {
  const ada = await create();
  const changes: readonly (readonly [action: string, run: () => Promise<unknown>])[] = [
    ["user.create", () => user.createAdmin({ email: "root@example.com", password })],
    ["user.confirm", () => user.confirm(ada)],
    ["user.admin.grant", () => user.setAdmin(ada, true)],
    ["user.admin.revoke", () => user.setAdmin(ada, false)],
    ["user.email.change", () => user.update(ada, { email: "lovelace@example.com" })],
    [
      "user.password.set",
      () => user.setPassword({ id: ada.id }, { password: "b meadow of cats", confirmation: "b meadow of cats" }),
    ],
    [
      "user.password.change",
      () => user.updatePassword(ada, { old: "b meadow of cats", password, confirmation: password }),
    ],
    ["user.deactivate", () => user.deactivate(ada)],
    ["user.activate", () => user.activate(ada)],
    ["user.delete", () => user.delete(ada)],
  ];
  for (const [action, run] of changes) {
    const entries = await recorded(run);
    assert.deepEqual(actionsOf(entries), [action]);
    assert.equal(entries[0]?.subject_table, "user_users");
    if (action !== "user.create") assert.equal(entries[0]?.subject_id, ada.id, action);
  }
  for (const run of [() => user.confirm({ id: ada.id }).catch(() => {}), () => user.delete(ada)]) {
    assert.deepEqual(await recorded(run), []);
  }
});

test("logins and refused ones are recorded, without addresses and passwords", async () => {
  const ada = await create();
  const [login] = await recorded(() => user.login("ada@example.com", password));
  assert.deepEqual([login?.action, login?.user_id, login?.credential], ["user.login", ada.id, "password"]);
  const refused = await recorded(async () => {
    await user.login("ada@example.com", "wrong");
    await user.login("nobody@example.com", "wrong");
    await user.checkPassword(ada, "wrong");
  });
  assert.deepEqual(actionsOf(refused), ["user.login.refuse", "user.login.refuse", "user.password.refuse"]);
  assert.deepEqual(refused.map(({ subject_id = "" }) => subject_id).toSorted(), ["", ada.id, ada.id]);
  assert.ok(refused.every(({ user_id, personal }) => user_id === undefined && personal === undefined));
  assert.doesNotMatch(JSON.stringify(refused), /wrong"|example\.com/);
});

test("a locked address is refused without an entry: such a refusal costs a visitor nothing", async () => {
  await create();
  const refused = await recorded(async () => {
    for (let attempt = 0; attempt < 7; attempt++) await user.login("ada@example.com", "wrong");
  });
  assert.deepEqual(
    refused.map(({ details }) => details),
    Array.from({ length: 5 }, () => ({ reason: "wrong password" })),
  );
});

test("a password is refused even if that cannot be recorded", async () => {
  const ada = await create();
  await database.exec(sql`alter table audit_entries rename to missing_entries`);
  try {
    using log = capturedLog("error");
    for (const email of ["ada@example.com", "nobody@example.com"])
      assert.equal((await user.login(email, "wrong")).ok, false);
    // The transaction around a check stays usable.
    await database.transaction(async () => {
      assert.equal((await user.checkPassword(ada, "wrong")).ok, false);
      assert.equal((await user.login("ada@example.com", "wrong")).ok, false);
    });
    assert.deepEqual(
      log.messages(),
      Array.from({ length: 4 }, () => "A refused password could not be recorded"),
    );
  } finally {
    await database.exec(sql`alter table missing_entries rename to audit_entries`);
  }
});

/** Logs a visitor in, on a device of its own. */
async function loggedIn(): Promise<Visitor> {
  const browser = visitor(app);
  assert.equal((await browser.post("/members/login")).body, "in");
  return browser;
}

test("nobody logs in without an entry: the answer is 503, and there is no session", async () => {
  const ada = await create();
  await database.exec(sql`alter table audit_entries rename to missing_entries`);
  try {
    using log = capturedLog("info");
    const browser = visitor(app);
    const refused = await browser.post("/members/login");
    assert.equal(refused.status, 503);
    assert.doesNotMatch(refused.body, /audit|entr/i);
    assert.deepEqual(await user.listSessions(ada), []);
    assert.ok(!log.messages().includes("A user logged in"));
    await assert.rejects(user.login("ada@example.com", password), { code: "E_AUDIT_UNAVAILABLE" });
  } finally {
    await database.exec(sql`alter table missing_entries rename to audit_entries`);
  }
});

test("who acts is known in entries of a change that ends the session, although no page loaded the user", async () => {
  const ada = await create();
  acting = ada.id;
  for (const [path, actions] of [
    ["/members/logout", ["user.logout"]],
    ["/members/everywhere", ["user.session.end"]],
    ["/members/leave", ["user.deactivate"]],
  ] as const) {
    const browser = await loggedIn();
    const entries = await recorded(() => browser.post(path));
    assert.deepEqual(actionsOf(entries), actions);
    const [entry] = entries;
    assert.deepEqual([entry?.user_id, entry?.credential, entry?.subject_id], [ada.id, "session", ada.id], path);
  }
});

test("who acts is known while a body is streamed", async () => {
  acting = (await create()).id;
  for (const path of ["/stream", "/events"]) {
    const entries = await recorded(async () => assert.match((await visitor(app).get(path)).body, /line/));
    assert.deepEqual(
      entries.map(({ user_id }) => user_id),
      [acting, acting],
      path,
    );
  }
});

test("commands name themselves and the user of the operating system", async () => {
  const ada = await create();
  const id = await token
    .create({}, { purpose: "api" })
    .then(async (text) => (await token.read(text, { purpose: "api" }))?.id);
  for (const [action, command, ...args] of [
    ["user.create", "user.admin", "root@example.com", password],
    ["user.admin.grant", "user.promote", ada.email],
    ["user.admin.revoke", "user.demote", ada.email],
    ["user.password.set", "user.password", ada.email, password],
    ["user.deactivate", "user.deactivate", ada.email],
    ["user.activate", "user.activate", ada.email],
    ["token.create", "token.create", "api", "--owner", ada.id],
    ["token.revoke", "token.revoke", id ?? ""],
    ["token.revoke", "token.revoke", "--owner", ada.id],
  ] as const) {
    const entries = await recorded(async () => assert.equal((await runCommand(app, command, ...args)).code, 0));
    assert.deepEqual(actionsOf(entries), [action]);
    const [entry] = entries;
    assert.deepEqual([entry?.system, entry?.user_id, entry?.details?.["command"]], ["command", undefined, command]);
    assert.equal(entry?.details?.["os_user"], userInfo().username);
  }
});

test("a password that is reset by a link is recorded with the link", async () => {
  const ada = await create();
  const reset = PasswordReset.service({ token, user });
  const text = (await reset.createResetToken(ada.email)) ?? "";
  const change = async (): Promise<void> =>
    assert.equal((await reset.resetPassword(text, "b meadow of cats", "b meadow of cats")).ok, true);
  assert.deepEqual(actionsOf(await recorded(change)), ["token.consume", "user.password.set"]);
  assert.deepEqual(await recorded(() => reset.resetPassword(text, "c", "c")), []);
});

test("a change of a text that is no id is not recorded, and fails as without a trail", async () => {
  for (const id of ["x".repeat(101), "\0"])
    assert.deepEqual(
      await recorded(() => assert.rejects(user.setAdmin({ id }, true), { code: "E_USER_NOT_FOUND" })),
      [],
    );
});

test("the confirmation of an unchanged address is no change of it", async () => {
  const ada = await create();
  const [entry] = await recorded(() => user.setEmail(ada, ada.email));
  assert.deepEqual([entry?.action, entry?.personal], ["user.confirm", undefined]);
});

test("a change that is undone is not recorded", async () => {
  const ada = await create();
  const undone = (): Promise<unknown> =>
    assert.rejects(
      database.transaction(async () => {
        await user.deactivate(ada);
        throw new Error("undone");
      }),
    );
  assert.deepEqual(await recorded(undone), []);
});

test("the personal data of a deleted user is forgotten", async () => {
  const ada = await create();
  await user.update(ada, { email: "lovelace@example.com" });
  await user.delete(ada);
  const [entries] = await audit.search({ filterBy: { subject_id: ada.id } });
  assert.deepEqual(actionsOf(entries), ["user.create", "user.delete", "user.email.change"]);
  assert.ok(entries.every(({ personal, client }) => personal === undefined && client === undefined));
});

test("no address remains of a user who deletes the own account", async () => {
  acting = (await create()).id;
  const [deleted] = await recorded(() => app.request("/leave", { method: "POST" }));
  assert.deepEqual([deleted?.action, deleted?.user_id, deleted?.client], ["user.delete", acting, undefined]);
});

test("a refusal is recorded whatever the length of its path", async () => {
  acting = (await create()).id;
  const name = `${"x".repeat(990)}${encodeURIComponent("\u{1f600}")}`;
  const [refused] = await recorded(() => app.request(`/refused/${name}`));
  assert.equal(refused?.action, "request.refuse");
  assert.deepEqual(refused.details, { method: "GET" });
});

test("entries of a request say who acts, and from where; 403 is recorded for users", async () => {
  acting = undefined;
  assert.deepEqual(await recorded(() => app.request("/refused")), []);
  acting = (await create()).id;
  const [read] = await recorded(() => app.request("/record"));
  assert.deepEqual([read?.action, read?.user_id, read?.credential], ["note.read", acting, "session"]);
  assert.match(read?.request_id ?? "", /^[\w-]+$/);
  const [refused] = await recorded(() => app.request("/refused?secret=1"));
  assert.deepEqual([refused?.action, refused?.user_id], ["request.refuse", acting]);
  assert.deepEqual([refused?.details, refused?.personal], [{ method: "GET" }, { path: "/refused" }]);
});

test("the command audit.list shows entries, newest first", async () => {
  const ada = await create();
  await user.setAdmin(ada, true);
  await audit.record({ action: "mail.send", actor: { system: "re\u001bminders" } });
  const list = async (...args: readonly string[]): Promise<string> =>
    (await runCommand(app, "audit.list", ...args)).stdout;
  assert.match(
    await list(),
    /^\S+ {2}mail\.send {2}re minders {2}-[^]*user\.admin\.grant[^]*user\.create[^]*\{"admin":false\}\n3 of 3$/,
  );
  assert.match(await list("--table", "user_users", "--id", ada.id, "--limit", "1"), /^\S+ {2}user\.\S+[^\n]*\n1 of 2$/);
  assert.equal(await list("--user", ada.id), "No entries.");
  const { total, entries } = JSON.parse(await list("--action", "user.admin.grant", "--json")) as {
    readonly total: number;
    readonly entries: readonly Audit.AuditEntry[];
  };
  assert.deepEqual([total, entries[0]?.subject_id], [1, ada.id]);
  assert.equal((await runCommand(app, "audit.list", "--limit", "x")).code, 2);
  for (const id of ["ada", ""]) assert.equal((await runCommand(app, "audit.list", "--user", id)).code, 1);
});
