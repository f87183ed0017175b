// An administrator acts as another user, on each database.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { Account, App, Cleaner, Configuration, Email, Migration, PasswordReset, Time, Token, User, Web } from "limmat";
import * as Audit from "limmat/audit";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, configuration, fakeClock, type Visitor, visitor, waitFor } from "limmat/testing";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { mariadb as mariadbServer } from "../servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../servers/postgresql.ts";
import { withServer } from "../servers/server.ts";
import { cheap, goodPassword, isCode, untilBlocked } from "./fixture.ts";

const newPassword = { password: "an even finer password", confirmation: "an even finer password" };
const reason = "ticket 7";

function cases(name: string, database: Database): void {
  const audit = Audit.service({ database });
  const user = User.service({ database, audit });
  const token = Token.sql({ database });
  const jwt = Token.jwt({ database, name: "jwt" });
  const email = Email.memory();
  const account = Account.service({ database, token, user, email });
  const passwordReset = PasswordReset.service({ token, user, email });
  const migration = Migration.service({ database, onPending: "run" });
  let [ada, root, other] = [{} as User.User, {} as User.User, {} as User.User];
  /** What the route `/act` does. */
  let act: (request: Web.Request) => unknown = () => undefined;

  const twoHours = Web.Middleware.session({ maxAgeMs: Time.hours(2) });
  const site = Web.choose(
    [
      Web.get("/", async (request) => {
        const visiting = await User.Web.user(request);
        return Web.Response.text(`${visiting?.email ?? "nobody"} ${Web.Csrf.find(request)}`);
      }),
      Web.post("/login/:email", async (request) =>
        User.Web.login(await user.findByEmail(request.params.email), request, Web.Response.empty()),
      ),
      Web.choose([Web.get("/own", () => Web.Response.text("own"))], { middlewares: [User.Web.requireSelf()] }),
      Web.post("/logout", (request) => User.Web.logout(request, Web.Response.empty())),
      Web.post("/act", async (request) => {
        await act(request);
        return Web.Response.empty();
      }),
    ],
    {
      middlewares: [
        ...Web.Middleware.site().filter((middleware) => middleware !== Web.Middleware.session()),
        Audit.Web.middleware(audit, {
          actor: async (request) => {
            const acting = await User.Web.user(request);
            return acting && { user: acting.id, credential: "session" };
          },
        }),
      ],
    },
  );
  const http = Web.Http.service({
    router: Web.choose([site, User.Web.impersonationRouter({ user, startPath: "/?start", endPath: "/?end" })]),
    middlewares: [twoHours, User.Web.middleware(user)],
  });
  const app = App.create({
    services: [database, migration, audit, user, token, jwt, email, account, passwordReset, http],
  });

  const login = async (address: string): Promise<Visitor> => {
    const browser = visitor(app);
    assert.equal((await browser.post(`/login/${address}`)).status, 204);
    return browser;
  };
  const current = async (browser: Visitor): Promise<string | undefined> => (await browser.get("/")).body.split(" ")[0];
  const start = (browser: Visitor, { id }: { readonly id: string }, why = reason): ReturnType<Visitor["post"]> =>
    browser.post("/impersonation", { user: id, reason: why });
  const actAsAda = async (): Promise<Visitor> => {
    const browser = await login(root.email);
    assert.equal((await start(browser, ada)).status, 303);
    return browser;
  };
  const trail = async (): Promise<readonly Audit.AuditEntry[]> => (await audit.search({ sort: "asc" }))[0];
  const ends = async (): Promise<readonly unknown[]> =>
    (await trail()).filter(({ action }) => action === "user.impersonate.end").map(({ details }) => details?.["cause"]);

  describe(`${name}: impersonation`, () => {
    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"], ["APP_URL", "https://example.com"], ...Object.entries(cheap)]);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });
    beforeEach(async () => {
      await Cleaner.cleanAll();
      ada = await user.createUser({ email: "ada@example.com", password: goodPassword });
      root = await user.createAdmin({ email: "root@example.com", password: goodPassword });
      other = await user.createAdmin({ email: "other@example.com" });
    });

    test("an admin acts as a user, and returns to the own account", async () => {
      const browser = await login(root.email);
      const devices = await user.listSessions(root);
      const started = await start(browser, ada, ` ${reason} `);
      assert.deepEqual([started.status, started.location], [303, "/?start"]);
      assert.equal(await current(browser), ada.email);
      const ended = await browser.post("/impersonation/end");
      assert.deepEqual([ended.status, ended.location], [303, "/?end"]);
      assert.equal(await current(browser), root.email);
      for (const { headers } of [started, ended])
        assert.equal(headers.get("clear-site-data"), '"cache", "storage"', "no page is left for the back button");
      assert.deepEqual(
        (await user.listSessions(root)).map(({ device, created_at }) => [device, created_at]),
        devices.map(({ device, created_at }) => [device, created_at]),
        "the session of the admin is the same",
      );
      const [startEntry, endEntry] = (await trail()).filter(({ action }) => action.startsWith("user.impersonate"));
      assert.deepEqual(
        [startEntry?.action, startEntry?.user_id, startEntry?.subject_id, startEntry?.details?.["reason"]],
        ["user.impersonate.start", root.id, ada.id, reason],
      );
      assert.match(String(startEntry?.details?.["until"]), /^\d{4}-.*Z$/);
      assert.deepEqual(
        [endEntry?.action, endEntry?.user_id, endEntry?.impersonator_id, endEntry?.subject_id, endEntry?.details],
        ["user.impersonate.end", ada.id, root.id, ada.id, { cause: "ended" }],
      );
    });

    test("nothing of the user is touched: sessions, devices, password, the row", async () => {
      const ownBrowser = await login(ada.email);
      const devices = await user.listSessions(ada);
      const browser = await actAsAda();
      await current(browser);
      await browser.post("/impersonation/end");
      assert.deepEqual(await user.listSessions(ada), devices);
      assert.equal(await current(ownBrowser), ada.email);
      assert.deepEqual(await user.find(ada.id), ada);
      assert.ok((await user.login(ada.email, goodPassword)).ok);
    });

    test("both transitions renew the session and its CSRF token: a copy of a cookie is useless", async () => {
      const browser = await login(root.email);
      const cookies: string[] = [];
      const copy = (): void => void cookies.push(browser.cookies.get("_session") ?? "");
      const csrf = async (): Promise<string> => (await browser.get("/")).body.split(" ")[1] ?? "";
      const tokens = [await csrf()];
      copy();
      await start(browser, ada);
      tokens.push(await csrf());
      copy();
      await browser.post("/impersonation/end");
      assert.equal(new Set(cookies).size, 2);
      for (const cookie of cookies) {
        const response = await app.request("/", { headers: { cookie: `_session=${cookie}` } });
        assert.match(await response.text(), /^nobody /);
      }
      using _ = configuration({ CHECK_CSRF: "true" });
      using __ = capturedLog("warning");
      for (const csrfToken of tokens) assert.equal((await browser.post("/act", { csrf: csrfToken })).status, 403);
      assert.equal((await browser.post("/act", { csrf: await csrf() })).status, 204);
      const withOldToken = await browser.post("/impersonation", { user: ada.id, reason, csrf: tokens[0] ?? "" });
      assert.equal(withOldToken.status, 403, "the routes check the token");
      assert.equal(await current(browser), root.email);
    });

    test("is refused over admins, inactive users, oneself, and unknown users, and without a reason", async () => {
      const inactive = await user.deactivate(await user.createUser({ email: "old@example.com" }));
      const browser = await login(root.email);
      const refused: readonly (readonly [target: { readonly id: string }, why: string, status: number])[] = [
        [other, reason, 403],
        [root, reason, 403],
        [inactive, reason, 403],
        [{ id: "no id" }, reason, 404],
        [{ id: "" }, reason, 404],
        [ada, " ", 422],
        [ada, "x".repeat(501), 422],
        [ada, "a\0b", 422],
      ];
      for (const [target, why, status] of refused)
        assert.equal((await start(browser, target, why)).status, status, JSON.stringify([target, why.length]));
      assert.equal(await current(browser), root.email);
      assert.equal((await start(await login(ada.email), other)).status, 403);
      assert.equal((await start(visitor(app), ada)).status, 401);
      const entries = await trail();
      assert.deepEqual(
        entries.filter(({ action }) => action.startsWith("user.impersonate")),
        [],
      );
    });

    test("is never nested, and starts once per session", async () => {
      const second = await user.createUser({ email: "second@example.com" });
      const browser = await actAsAda();
      assert.equal((await start(browser, second)).status, 403);
      assert.equal(await current(browser), ada.email);
      const session = await user.startSession(root);
      const impersonation = user.impersonation ?? assert.fail();
      const results = await Promise.allSettled(
        [ada, second].map((target) => impersonation.start(session, target, { reason })),
      );
      const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
      assert.ok(refusals.length === 1 && isCode("E_USER_IMPERSONATION")(refusals[0]));
      const expired = await user.startSession(root);
      using clock = fakeClock();
      await clock.advance(Time.days(30));
      for (const id of ["no session", session, expired])
        await assert.rejects(impersonation.start(id, ada, { reason }), { code: "E_USER_IMPERSONATION" });
    });

    test("does not start while a change of role or status is being stored", async (t) => {
      for (const change of [
        () => user.setAdmin(ada, true),
        () => user.setAdmin(root, false),
        () => user.deactivate(ada),
      ]) {
        const [changed, isStarting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const browser = await login(root.email);
        const changing = database.transaction(async () => {
          await change();
          changed.resolve();
          await isStarting.promise;
        });
        await changed.promise;
        const started = start(browser, ada);
        await untilBlocked(database, started, t);
        isStarting.resolve();
        await changing;
        assert.equal((await started).status, 403);
        assert.notEqual(await current(browser), ada.email);
        await user.activate(await user.setAdmin(ada, false));
        await user.setAdmin(root, true);
      }
    });

    test("its end cannot deadlock with a change that ends the session of the admin", async (t) => {
      const impersonation = user.impersonation ?? assert.fail();
      const id = await impersonation.start(await user.startSession(root), ada, { reason });
      const [isLocked, isEnding] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const changing = database.transaction(async () => {
        await database.exec(sql`update user_users set version = version where id = ${root.id}`);
        await database.exec(sql`delete from user_sessions where user_id = ${root.id}`);
        isLocked.resolve();
        await isEnding.promise;
        await user.deactivate(root);
      });
      await isLocked.promise;
      const ended = impersonation.end(id);
      await untilBlocked(database, ended, t);
      isEnding.resolve();
      await changing;
      assert.equal(await ended, undefined);
      assert.deepEqual(await ends(), ["session ended"]);
    });

    const voids: readonly (readonly [event: string, run: () => Promise<unknown>, cause: string])[] = [
      ["all sessions of the admin end", () => user.endSessions(root), "session ended"],
      [
        "one session of the admin ends",
        async () => user.endSessionById(root, (await user.listSessions(root))[0]?.id ?? ""),
        "session ended",
      ],
      ["the admin is deactivated", () => user.deactivate(root), "session ended"],
      ["the admin loses the role", () => user.setAdmin(root, false), "account changed"],
      ["the admin has a new password", () => user.setPassword(root, newPassword), "session ended"],
      ["the admin is deleted", () => user.delete(root), "account changed"],
      ["the user is deactivated", () => user.deactivate(ada), "account changed"],
      ["the user becomes an admin", () => user.setAdmin(ada, true), "account changed"],
      ["the user is deleted", () => user.delete(ada), "account changed"],
    ];
    for (const [event, run, cause] of voids) {
      test(`ends when ${event}, also if that is undone`, async () => {
        const browser = await actAsAda();
        await run();
        assert.deepEqual(await ends(), [cause]);
        assert.equal(await current(browser), "nobody");
        for (const person of [root, ada]) {
          if ((await user.findOpt(person.id)) === undefined) continue;
          await user.activate(person);
          await user.setAdmin(person, person === root);
        }
        assert.equal(await current(browser), "nobody");
        await database.deleteExpiredRows();
        assert.deepEqual(await ends(), [cause]);
      });
    }

    test("ends after an hour; the button still leads back", async () => {
      using clock = fakeClock();
      const browser = await actAsAda();
      const left = await actAsAda();
      await clock.advance(Time.hours(1) - 1);
      assert.equal(await current(browser), ada.email);
      await clock.advance(1);
      assert.equal(await current(browser), "nobody");
      assert.equal((await browser.post("/impersonation/end")).location, "/?end");
      assert.equal(await current(browser), root.email);
      await database.deleteExpiredRows();
      assert.deepEqual(new Set(await ends()), new Set(["ended", "expired"]));
      assert.equal((await left.post("/impersonation/end")).location, "/?end");
      assert.equal(await current(left), "nobody");
    });

    test("ends with the time of the session of the admin, which is recorded when the session is deleted", async () => {
      using clock = fakeClock();
      const browser = await login(root.email);
      await clock.advance(Time.days(30) - Time.minutes(10));
      const session = await database.find(sql.value(Row.uuid)`select id from user_sessions`);
      const id = await user.impersonation?.start(session, ada, { reason });
      await clock.advance(Time.minutes(10));
      assert.equal(await user.impersonation?.findOpt(id ?? ""), undefined);
      await database.deleteExpiredRows();
      assert.deepEqual(await ends(), ["session ended"]);
      assert.equal(await current(browser), "nobody");
    });

    test("the route that ends it is marked for everybody, so that the doctor does not name it", () => {
      const { routes } = User.Web.impersonationRouter({ user });
      assert.equal(routes.find(({ path }) => path === "/impersonation/end")?.guard, "open");
    });

    test("does not make the session of the admin last longer", async () => {
      using clock = fakeClock();
      const browser = await actAsAda();
      await clock.advance(Time.minutes(59));
      await browser.post("/impersonation/end");
      await clock.advance(Time.minutes(60));
      assert.equal(await current(browser), root.email);
      await start(browser, ada);
      await clock.advance(Time.minutes(2));
      assert.equal(await current(browser), "nobody");
    });

    test("a logout, and a login as somebody else, end it and the session of the admin", async () => {
      for (const path of ["/logout", `/login/${other.email}`]) {
        const browser = await actAsAda();
        assert.equal((await browser.post(path)).status, 204);
        assert.equal(await current(browser), path === "/logout" ? "nobody" : other.email);
        assert.deepEqual(await user.listSessions(root), []);
      }
      assert.deepEqual(await ends(), ["ended", "ended"]);
    });

    test("an end that cannot be recorded does not happen, nor does a start", async () => {
      const browser = await login(root.email);
      const without = async (run: () => ReturnType<Visitor["post"]>): Promise<void> => {
        using _ = capturedLog("error");
        await database.exec(sql`alter table audit_entries rename to missing_entries`);
        try {
          assert.ok((await run()).status >= 500);
        } finally {
          await database.exec(sql`alter table missing_entries rename to audit_entries`);
        }
      };
      await without(() => start(browser, ada));
      assert.equal(await current(browser), root.email);
      await start(browser, ada);
      await without(() => browser.post("/impersonation/end"));
      assert.equal(await current(browser), ada.email);
    });

    test("each entry made meanwhile names the user and the admin, whoever it says acts", async (t) => {
      const browser = await actAsAda();
      const actors: readonly (Audit.AuditActor | undefined)[] = [undefined, {}, { user: ada.id }, { system: "import" }];
      act = async () => {
        for (const [index, actor] of actors.entries()) await audit.record({ action: `note.${index}`, actor });
        await user.update(ada, { name: "Byron" });
        throw Web.failure(403, "no");
      };
      assert.equal((await browser.post("/act")).status, 403);
      const entries = (await trail()).filter(({ action }) => /^(?:note|request)\./.test(action));
      assert.deepEqual(
        entries.map((entry) => [entry.action, entry.user_id, entry.impersonator_id, entry.system]),
        [
          ["note.0", ada.id, root.id, undefined],
          ["note.1", ada.id, root.id, undefined],
          ["note.2", ada.id, root.id, undefined],
          ["note.3", undefined, root.id, "import"],
          ["request.refuse", ada.id, root.id, undefined],
        ],
      );
      const [, total] = await audit.search({ filterBy: { impersonator_id: root.id } });
      assert.equal(total, entries.length);
      act = (request) => request.afterResponse(() => audit.record({ action: "note.after" }));
      await browser.post("/act");
      const find = async (): Promise<Audit.AuditEntry | undefined> =>
        (await audit.search({ filterBy: { action: "note.after" } }))[0][0];
      await waitFor(async () => (await find()) !== undefined, t);
      const afterResponse = await find();
      assert.deepEqual([afterResponse?.user_id, afterResponse?.impersonator_id], [ada.id, root.id]);
      await browser.post("/impersonation/end");
      act = () => audit.record({ action: "later" });
      await browser.post("/act");
      const [[later]] = await audit.search({ filterBy: { action: "later" } });
      assert.deepEqual([later?.user_id, later?.impersonator_id], [root.id, undefined]);
    });

    /** Tokens of links that were mailed before. */
    let links = { reset: "", confirm: "" };
    /** Functions that change what only the user may change: password, address, account, sessions and tokens. */
    const refusedActs: Readonly<Record<string, (request: Web.Request) => unknown>> = {
      "user.checkPassword": () => user.checkPassword(ada, goodPassword),
      "user.updatePassword": () => user.updatePassword(ada, { old: goodPassword, ...newPassword }),
      "user.setPassword": () => user.setPassword({ id: ada.id.toUpperCase() }, newPassword),
      "user.checkEmailChange": () => user.checkEmailChange(ada, { email: "b@example.com", password: goodPassword }),
      "user.setEmail": () => user.setEmail(ada, "b@example.com"),
      "user.update of the address": () => user.update(ada, { email: "b@example.com" }),
      "user.confirm": () => user.confirm(ada),
      "user.setAdmin": () => user.setAdmin(ada, true),
      "user.activate": () => user.activate(ada),
      "user.deactivate": () => user.deactivate(ada),
      "user.delete": () => user.delete(ada),
      "user.startSession": () => user.startSession(ada),
      "user.endSessions": () => user.endSessions(ada),
      "user.endSessionById": async () => user.endSessionById(ada, (await user.listSessions(ada))[0]?.id ?? ""),
      "User.Web.login": (request) => User.Web.login(ada, request, Web.Response.empty()),
      "User.Web.logoutElsewhere": (request) => User.Web.logoutElsewhere(request),
      "User.Web.logoutEverywhere": (request) => User.Web.logoutEverywhere(request, Web.Response.empty()),
      "token.create": () => token.create({}, { purpose: "api", owner: ada.id }),
      "token.deactivateAll": () => token.deactivateAll({ owner: ada.id }),
      "token.deleteAll": () => token.deleteAll({ owner: ada.id }),
      "token.deactivateById": async () =>
        token.deactivateById((await token.list({ owner: ada.id }))[0]?.id ?? "", { owner: ada.id }),
      "token.deactivateById without an owner": async () =>
        token.deactivateById((await token.list({ owner: ada.id }))[0]?.id ?? ""),
      "account.sendConfirmationLink": () => account.sendConfirmationLink(ada),
      "account.sendEmailChangeLink": () =>
        account.sendEmailChangeLink(ada, { email: "b@example.com", password: goodPassword }),
      "account.changePassword": () => account.changePassword(ada, { old: goodPassword, ...newPassword }),
      "jwt.create": () => jwt.create({}, { purpose: "api", owner: ada.id }),
      "jwt.deactivateAll": () => jwt.deactivateAll({ owner: ada.id }),
      "jwt.deleteAll": () => jwt.deleteAll({ owner: ada.id }),
      "passwordReset.createResetToken": () => passwordReset.createResetToken(ada.email),
      "passwordReset.resetPassword": () =>
        passwordReset.resetPassword(links.reset, newPassword.password, newPassword.confirmation),
      "account.confirmEmail": () => account.confirmEmail(ada, links.confirm),
      "account.deleteAccount": () => account.deleteAccount(ada, goodPassword),
    };

    test("routes behind requireSelf are for the user alone", async () => {
      assert.equal((await (await login(ada.email)).get("/own")).status, 200);
      assert.equal((await (await actAsAda()).get("/own")).status, 403);
    });

    test("an impersonator changes neither password, address, account, sessions nor tokens of the user", async () => {
      await login(ada.email);
      await token.create({}, { purpose: "api", owner: ada.id });
      await account.sendConfirmationLink(ada);
      const [, confirm = ""] = /[?&]token=([\w-]+)/.exec(JSON.stringify(email.inbox?.to(ada.email))) ?? [];
      assert.equal(await account.findEmailOpt(ada, confirm), ada.email);
      links = { reset: (await passwordReset.createResetToken(ada.email)) ?? "", confirm };
      const state = async (): Promise<readonly unknown[]> => [
        await user.find(ada.id),
        await database.find(sql.value(Row.text)`select password from user_users where id = ${ada.id}`),
        await user.listSessions(ada),
        (await token.list({ owner: ada.id })).map(({ id, status }) => [id, status]),
      ];
      const [, ...expected] = await state();
      const browser = await actAsAda();
      for (const [called, run] of Object.entries(refusedActs)) {
        let thrown: unknown = "nothing was thrown";
        act = async (request) => {
          try {
            await run(request);
          } catch (failure) {
            thrown = failure;
            throw failure;
          }
        };
        const page = await browser.post("/act");
        assert.deepEqual([page.status, (thrown as { readonly code?: unknown }).code], [403, "E_IMPERSONATED"], called);
        assert.match(page.body, /acting as another user/, called);
      }
      act = () => user.update(ada, { name: "Lovelace" });
      assert.equal((await browser.post("/act")).status, 204, "the profile may change");
      act = () => user.checkPassword(root, goodPassword);
      assert.equal((await browser.post("/act")).status, 204, "another account is not protected");
      await user.update(ada, { name: null });
      const [, ...others] = await state();
      assert.deepEqual([{ ...(await user.find(ada.id)), updated_at: ada.updated_at }, ...others], [ada, ...expected]);
    });
  });
}

cases("SQLite", sqlite({ url: "sqlite::memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("PostgreSQL", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("MariaDB", mariadb({ url })));
