import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Cleaner, Configuration, Migration, Random, Time } from "limmat";
import * as Audit from "limmat/audit";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { fakeClock } from "limmat/testing";
import { ConfigurationInternals } from "../../config/index.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { serverTimeoutMs, withServer } from "../../../test/servers/server.ts";

const [ada, grace, issue] = [Random.uuid(), Random.uuid(), Random.uuid()];

function cases(name: string, database: Database): void {
  const audit = Audit.service({ database, keepMs: Time.days(30) });
  const migration = Migration.service({ database, migrations: audit.migrations });
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
      assert.equal(await audit.forget({ id: ada.toUpperCase() }), 4);
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
        ],
      );
    });

    // SQLite has one writer at a time.
    test("forgets a user while an entry about another is added", { skip: name === "SQLite" }, async () => {
      const [user, next] = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"];
      await audit.record({ action: "a", personal: { to: "x" }, subject: { table: "user_users", id: user } });
      const [added, forgotten] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const adding = database.transaction(async () => {
        await audit.record({ action: "b", personal: { to: "x" }, subject: { table: "user_users", id: next } });
        added.resolve();
        await forgotten.promise;
      });
      await added.promise;
      try {
        assert.equal(await audit.forget({ id: user }, { timeoutMs: serverTimeoutMs }), 1);
      } finally {
        forgotten.resolve();
        await adding;
      }
    });

    test("refuses events that it cannot keep", async () => {
      const long = "x".repeat(101);
      const circle: Record<string, unknown> = {};
      circle["self"] = circle;
      const events: readonly Audit.AuditEvent[] = [
        { action: "" },
        { action: "a b" },
        { action: long },
        { action: "a", subject: { table: long, id: "1" } },
        { action: "a", subject: { table: "t", id: "\0" } },
        { action: "a", actor: { user: "ada" } },
        { action: "a", actor: { system: "\ud800" } },
        { action: "a", details: { text: "x".repeat(16_384) } },
        { action: "a", details: { value: 1n } },
        { action: "a", personal: circle },
      ];
      for (const event of events) await assert.rejects(audit.record(event), { code: "E_AUDIT_EVENT" });
      assert.deepEqual(await all(), []);
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

cases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));
