import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Cleaner, Configuration, error, Migration, ok, Random, Time, Token, User } from "limmat";
import * as Audit from "limmat/audit";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { fakeClock } from "limmat/testing";
import { ConfigurationInternals } from "../../config/index.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { serverTimeoutMs, withServer } from "../../../test/servers/server.ts";

const [ada, grace, issue] = [Random.uuid(), Random.uuid(), Random.uuid()];

type Recorded = readonly [action: string, id: string | undefined, details: object | undefined];

function cases(name: string, database: Database): void {
  const audit = Audit.service({ database, keepMs: Time.days(30) });
  const user = User.service({ database, audit });
  const token = Token.sql({ database, audit });
  const jwt = Token.jwt({ database, audit, name: "jwt" });
  const migrations = [audit, user, token, jwt].flatMap((service) => service.migrations);
  const migration = Migration.service({ database, migrations });
  const all = async (parameters = {}): Promise<readonly Audit.AuditEntry[]> =>
    (await audit.search({ sort: "asc", ...parameters }))[0];

  describe(`${name}: the audit trail`, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      await database.start({ services: [database] });
      await migration.runAll();
      await audit.start({ services: [database, audit] });
    });
    after(async () => {
      await audit.stop();
      await database.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(() => Cleaner.cleanAll());

    test("keeps who did what to which row", async () => {
      await audit.record(
        { action: "issue.delete", subject: { table: "issues", id: issue }, details: { title: "é", count: 1 } },
        { ctx: [["user_id", ada.toUpperCase()]] },
      );
      await audit.record({ action: "mail.send", personal: { to: "ada@example.com" }, actor: { system: "reminders" } });
      await audit.record({ action: "user.login", actor: { user: ada, impersonator: grace, credential: "session" } });
      await audit.record({ action: "visit" });
      const none = {
        id: "",
        created_at: new Date(0),
        user_id: undefined,
        impersonator_id: undefined,
        credential: undefined,
        system: undefined,
        subject_table: undefined,
        subject_id: undefined,
        details: undefined,
        personal: undefined,
        client: undefined,
        request_id: undefined,
      };
      const entries = (await all()).map((entry) => ({ ...entry, id: "", created_at: new Date(0) }));
      const expected = [
        {
          ...none,
          action: "issue.delete",
          user_id: ada,
          subject_table: "issues",
          subject_id: issue,
          details: { title: "é", count: 1 },
        },
        { ...none, action: "mail.send", system: "reminders", personal: { to: "ada@example.com" } },
        { ...none, action: "user.login", user_id: ada, impersonator_id: grace, credential: "session" },
        { ...none, action: "visit" },
      ];
      const byAction = (list: readonly { readonly action: string }[]) =>
        list.toSorted((a, b) => (a.action < b.action ? -1 : 1));
      assert.deepEqual(byAction(entries), byAction(expected));
    });

    test("an entry belongs to the transaction of the change", async () => {
      const failed = database.transaction(async () => {
        await audit.record({ action: "issue.delete" });
        throw new Error("rolled back");
      });
      await assert.rejects(failed, /rolled back/);
      assert.deepEqual(await all(), []);
    });

    test("is searched by action, user, row, request and time", async () => {
      await audit.record({ action: "a", subject: { table: "issues", id: "1" }, actor: { user: ada } });
      await audit.record({ action: "b", subject: { table: "issues", id: "2" }, actor: { user: grace } });
      const find = async (filterBy: object): Promise<readonly string[]> =>
        (await all({ filterBy })).map(({ action }) => action);
      assert.deepEqual(await find({ user_id: ada }), ["a"]);
      assert.deepEqual(await find({ action: ["a", "b"], subject_id: "2" }), ["b"]);
      assert.deepEqual(await find({ subject_table: "teams" }), []);
      await audit.record({ action: "c", subject: { table: "issues", id: issue.toUpperCase() } });
      for (const id of [issue, issue.toUpperCase()]) assert.deepEqual(await find({ subject_id: id }), ["c"]);
      assert.deepEqual(await find({ created_at: { from: new Date(Time.now().getTime() + 60_000) } }), []);
      const [page, total] = await audit.search({ limit: 1 });
      assert.deepEqual([page.length, total], [1, 3]);
      const [uncounted, none, { next }] = await audit.search({ limit: 2, total: false });
      assert.deepEqual([uncounted.map(({ action }) => action), none], [["c", "b"], undefined]);
      const [rest] = await audit.search({ limit: 2, total: false, after: next });
      assert.deepEqual(
        rest.map(({ action }) => action),
        ["a"],
      );
      assert.deepEqual(await audit.findOpt(rest[0]?.id.toUpperCase() ?? ""), rest[0]);
      for (const id of [issue, "ada"]) assert.equal(await audit.findOpt(id), undefined);
    });

    test("forgets personal data of a user, and keeps what was done", async () => {
      await audit.record({ action: "a", personal: { to: "x" }, details: { n: 1 }, actor: { user: ada } });
      await audit.record({ action: "b", personal: { to: "x" }, subject: { table: "user_users", id: ada } });
      await audit.record({ action: "c", personal: { to: "x" }, actor: { user: grace } });
      await audit.record({ action: "d", personal: { to: "x" }, actor: { user: grace, impersonator: ada } });
      await audit.record({
        action: "e",
        personal: { to: "x" },
        subject: { table: "user_users", id: ada.toUpperCase() },
      });
      // Whoever uses a link of a mail is not logged in.
      await audit.record({ action: "f", personal: { to: "x" }, details: { token: { owner: ada } } });
      await audit.record({ action: "g", personal: { to: "x" }, details: { owner: ada }, actor: { user: grace } });
      assert.equal(await audit.forget({ id: ada.toUpperCase() }), 5);
      assert.equal(await audit.forget({ id: ada }), 0);
      assert.equal(await audit.forget({ id: "' or 1=1 --" }), 0);
      const left = (await all()).map(({ action, personal, details, user_id }) => [action, personal, details, user_id]);
      assert.deepEqual(
        left.toSorted(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
        [
          ["a", undefined, { n: 1 }, ada],
          ["b", undefined, undefined, undefined],
          ["c", { to: "x" }, undefined, grace],
          ["d", undefined, undefined, grace],
          ["e", undefined, undefined, undefined],
          ["f", undefined, { token: { owner: ada } }, undefined],
          ["g", { to: "x" }, { owner: ada }, grace],
        ],
      );
    });

    // SQLite has one writer at a time.
    test("forgets a user while an entry about another is added", { skip: name === "SQLite" }, async () => {
      const [first, next] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
      await audit.record({ action: "a", personal: { to: "x" }, subject: { table: "user_users", id: first } });
      const [added, forgotten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const adding = database.transaction(async () => {
        await audit.record({ action: "b", personal: { to: "x" }, subject: { table: "user_users", id: next } });
        added.resolve();
        await forgotten.promise;
      });
      await added.promise;
      try {
        assert.equal(await audit.forget({ id: first }, { timeoutMs: serverTimeoutMs }), 1);
      } finally {
        forgotten.resolve();
        await adding;
      }
    });

    test("refuses events that it cannot keep", async () => {
      const long = "x".repeat(101);
      const circle: Record<string, unknown> = {};
      circle["self"] = circle;
      const deep = JSON.parse(`${'{"a":'.repeat(32)}1${"}".repeat(32)}`) as Record<string, unknown>;
      const events: readonly Audit.AuditEvent[] = [
        { action: "" },
        { action: "a b" },
        { action: long },
        { action: "a", subject: { table: long, id: "1" } },
        { action: "a", subject: { table: "t", id: "\0" } },
        { action: "a", actor: { user: "ada" } },
        { action: "a", actor: { system: "\ud800" } },
        { action: "a", details: { text: "x".repeat(16_384) } },
        { action: "a", personal: circle },
        { action: "a", details: deep },
        ...[
          1n,
          undefined,
          Number.NaN,
          Infinity,
          "\0",
          "\ud800",
          () => 1,
          Symbol("s"),
          [undefined],
          new Date(Number.NaN),
        ]
          .flatMap((value) => [{ value }, { nested: [{ value }] }])
          .map((details) => ({ action: "a", details })),
        ...["\0", "\ud800"].map((key) => ({ action: "a", personal: { [key]: 1 } })),
      ];
      for (const event of events) await assert.rejects(audit.record(event), { code: "E_AUDIT_EVENT" });
      assert.deepEqual(await all(), []);
    });

    /** Returns action, id of the row and details of the entries that a callback adds. */
    const recorded = async (run: () => Promise<unknown>): Promise<readonly Recorded[]> => {
      const known = new Set((await all()).map(({ id }) => id));
      await run();
      const added = (await all()).filter(({ id }) => !known.has(id));
      return added.map(({ action, subject_id, details }) => [action, subject_id, details]);
    };

    test("sessions: a logout, and sessions that someone ends, are recorded once", async () => {
      const person = await user.createUser({ email: "ada@example.com" });
      const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
      const start = (): Promise<string> => user.startSession(person, { userAgent });
      const [first, , third] = [await start(), await user.startSession(person), await start()];
      const ended = (sessions: number, devices: readonly (string | null)[]): object => ({ sessions, devices });
      assert.deepEqual(await recorded(() => user.endSession(first)), [
        ["user.logout", person.id, ended(1, ["Firefox on Windows"])],
      ]);
      assert.deepEqual(await recorded(() => user.endSession(first)), []);
      assert.deepEqual(await recorded(() => user.endSessions(person, { except: third })), [
        ["user.session.end", person.id, ended(1, [null])],
      ]);
      assert.deepEqual(await recorded(() => user.endSessions(person, { except: third })), []);
      const [session] = await user.listSessions(person);
      const endById = (): Promise<void> => user.endSessionById(person, session?.id ?? "");
      assert.deepEqual(await recorded(endById), [["user.session.end", person.id, ended(1, ["Firefox on Windows"])]]);
      assert.deepEqual(await recorded(endById), []);
      await Promise.all([start(), start()]);
      const [both] = await recorded(() => user.endSessions(person));
      assert.deepEqual(both?.[2], ended(2, ["Firefox on Windows", "Firefox on Windows"]));
      await start();
      // The change that ends the sessions is the entry.
      assert.deepEqual(
        (await recorded(() => user.deactivate(person))).map(([action]) => action),
        ["user.deactivate"],
      );
    });

    test("rights: a change that changes nothing is not recorded", async () => {
      const person = await user.createUser({ email: "ada@example.com" });
      assert.deepEqual(await recorded(() => user.setAdmin(person, false)), []);
      for (const [admin, action] of [
        [true, "user.admin.grant"],
        [false, "user.admin.revoke"],
      ] as const) {
        assert.deepEqual(await recorded(() => user.setAdmin(person, admin)), [[action, person.id, undefined]]);
        assert.deepEqual(await recorded(() => user.setAdmin(person, admin)), []);
        assert.equal((await user.find(person.id)).admin, admin);
      }
    });

    for (const [kind, tokens] of [
      ["stored", token],
      ["stored in memory", Token.memory({ audit })],
      ["JSON Web", jwt],
    ] as const)
      test(`${kind} tokens: which were made and ended is recorded, without their text and data`, async () => {
        const api = { purpose: "api", owner: ada } as const;
        const facts = { purpose: "api", owner: ada, abilities: ["notes:read"], expires_at: "2026-01-02T00:00:00.000Z" };
        using _ = fakeClock(new Date("2026-01-01T00:00:00Z"));
        let text = "";
        const create = async (): Promise<void> => {
          text = await tokens.create({ secret: "s" }, { ...api, name: "Ada's laptop", abilities: ["notes:read"] });
        };
        const [created] = await recorded(create);
        const id = created?.[1] ?? "";
        assert.deepEqual(created, ["token.create", (await tokens.read(text, api))?.id, facts]);
        assert.doesNotMatch(JSON.stringify(await all()), /laptop|secret/);
        for (const [action, run] of [
          ["token.deactivate", () => tokens.deactivate(text, api)],
          ["token.activate", () => tokens.activate(text, api)],
          ["token.consume", () => tokens.consume(text, api)],
        ] as const) {
          assert.deepEqual(await recorded(run), [[action, id, facts]]);
          assert.deepEqual(await recorded(run), []);
        }
        await create();
        assert.deepEqual(await recorded(() => tokens.consume(text, api, async () => error("no"))), []);
        assert.ok(await tokens.isValid(text, api));
        assert.equal((await recorded(() => tokens.consume(text, api, async () => ok())))[0]?.[0], "token.consume");
        assert.deepEqual(
          await recorded(() => tokens.deactivateAll({ owner: grace, purpose: "api" })).then(byStore),
          [],
        );
        await create();
        const isCounted = kind !== "JSON Web";
        const number = isCounted && { tokens: 1 };
        assert.deepEqual(await recorded(() => tokens.deactivateAll(api)), [
          ["token.revoke", undefined, { purpose: "api", owner: ada, ...number }],
        ]);
        assert.equal(await tokens.isValid(text, api), false);
        const [deleted] = await recorded(() => tokens.deleteAll({ owner: ada }));
        assert.deepEqual(deleted, ["token.delete", undefined, { owner: ada, ...(isCounted && { tokens: 3 }) }]);
        const other = await recorded(() => tokens.create({}, { purpose: "api", owner: "grace@example.com" }));
        assert.doesNotMatch(JSON.stringify(other), /example\.com/);
        assert.ok((await all()).some(({ personal }) => personal?.["owner"] === "grace@example.com"));

        /** The number of ended JSON Web Tokens is not known: each revocation of an owner is recorded. */
        function byStore(entries: readonly Recorded[]): readonly Recorded[] {
          return kind === "JSON Web" ? entries.slice(1) : entries;
        }
      });

    test("tokens: an end by the id is recorded; of several that replace the others, each is", async () => {
      const api = { purpose: "api", owner: ada };
      const text = await token.create({}, api);
      const { id = "" } = (await token.read(text, api)) ?? {};
      assert.deepEqual(await recorded(() => token.deactivateById(id, { owner: grace })), []);
      assert.deepEqual(await recorded(() => token.deactivateById(id)), [["token.revoke", id, undefined]]);
      assert.deepEqual(await recorded(() => token.deactivateById(id)), []);
      const links = { ...api, purpose: "link", replacesOthers: true };
      const made = await recorded(() => Promise.all(Array.from({ length: 4 }, () => token.create({}, links))));
      assert.equal(made.length, 4);
      assert.equal((await token.list({ purpose: "link" })).filter(({ status }) => status === "active").length, 1);
    });

    test("a token whose entry cannot be stored is not made", async () => {
      await database.exec(sql`alter table audit_entries rename to missing_entries`);
      try {
        const failure = { code: "E_AUDIT_UNAVAILABLE", status: 503 };
        await assert.rejects(token.create({}, { purpose: "api" }), failure);
        await assert.rejects(user.createUser({ email: "ada@example.com" }), failure);
        assert.deepEqual([await token.list({}), (await user.search())[1]], [[], 0]);
        await assert.rejects(audit.record({ action: "a" }, { signal: AbortSignal.abort() }), { name: "AbortError" });
      } finally {
        await database.exec(sql`alter table missing_entries rename to audit_entries`);
      }
    });

    test("deletes entries after their time", async () => {
      using clock = fakeClock();
      await audit.record({ action: "old" });
      await clock.advance(Time.days(1));
      await audit.record({ action: "new" });
      await clock.advance(Time.days(29));
      await database.deleteExpiredRows();
      assert.deepEqual(
        (await all()).map(({ action }) => action),
        ["new"],
      );
    });
  });
}

test("entries are kept for a time above 0, at most a hundred years", () => {
  const database = sqlite({ url: "sqlite::memory:" });
  for (const keepMs of [0, -1, Number.NaN, Infinity, Time.days(36_526)])
    assert.throws(() => Audit.service({ database, keepMs }), { code: "E_DATABASE_KEEP" });
  Audit.service({ database, keepMs: Time.days(36_525) });
});

cases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));
