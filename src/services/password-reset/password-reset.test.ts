// The password reset on every database, from the request for a link to the login with the new password.
import assert from "node:assert/strict";
import { after, before, describe, mock, test } from "node:test";
import { App, Cleaner, Configuration, Email, error, Migration, PasswordReset, Time, Token, User, Web } from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock, type Page, visitor } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";

const ada = "ada@example.com";
const oldPassword = "correct horse battery staple 1";
const newPassword = "an entirely other sentence 2";
const refusal = error({ token: "This link is invalid or expired. Please request a new one." });

function resetCases(name: string, make: () => { database: Database; token: Token.TokenService }): void {
  describe(name, () => {
    const { database, token } = make();
    const user = User.service({ database });
    const email = Email.memory();
    const service = PasswordReset.service({ token, user, email });
    const migration = Migration.service({ database, onPending: "run" });
    const store = { consume: () => ({ isAllowed: true, remaining: 1, retryAfterMs: 0, resetMs: 0 }) };
    const router = PasswordReset.Web.router({ passwordReset: service, loginPath: "/login", store });
    const http = Web.Http.service({ router, dependencies: () => [service, migration], accessLog: true });
    const app = App.create({ services: [http] });
    let log: ReturnType<typeof capturedLog>;

    before(async () => {
      log = capturedLog();
      Configuration.store([
        ["FRAMEWORK_ENV", "test"],
        ["CHECK_CSRF", "true"],
        ["PASSWORD_MEMORY", "64"],
        ["PASSWORD_PASSES", "1"],
        ["APP_URL", "https://app.example.com"],
        ["ALLOWED_HOSTS", "localhost, evil.example"],
      ]);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
      log[Symbol.dispose]();
    });

    const withAda = (
      title: string,
      run: (fixture: { readonly user: User.User; readonly clock: Time.FakeClock }) => Promise<void>,
    ): void => {
      test(title, async () => {
        await Cleaner.cleanAll();
        using clock = fakeClock();
        const created = await user.createUser({ email: ada, password: oldPassword });
        await clock.advance(1000);
        await run({ user: created, clock });
      });
    };
    const createToken = async (): Promise<string> => (await service.createResetToken(ada)) ?? assert.fail("no token");
    const reset = (text: string, password = newPassword): ReturnType<typeof service.resetPassword> =>
      service.resetPassword(text, password, password);
    const canLogIn = async (password: string): Promise<boolean> => (await user.login(ada, password)).ok;
    const passwordHashes = (): Promise<readonly unknown[]> => database.collect(sql`select password from user_users`);
    const assertRefused = async (text: string): Promise<void> => {
      const hashesBefore = await passwordHashes();
      assert.equal(await service.findUserOpt(text), undefined);
      assert.deepEqual(await reset(text), refusal);
      assert.deepEqual(await passwordHashes(), hashesBefore);
    };

    withAda("a token sets a password once, ends all sessions and starts none", async ({ user: created }) => {
      const sessions = [await user.startSession(created), await user.startSession(created)];
      const text = await createToken();
      assert.equal((await service.findUserOpt(text))?.id, created.id);
      const result = await reset(text);
      assert.ok(result.ok);
      assert.equal(result.value.id, created.id);
      for (const session of sessions) assert.equal(await user.findBySessionOpt(session), undefined);
      assert.deepEqual([await canLogIn(oldPassword), await canLogIn(newPassword)], [false, true]);
      assert.deepEqual(await reset(text, "yet another sentence 333"), refusal);
      assert.equal(await service.findUserOpt(text), undefined);
      assert.ok(await canLogIn(newPassword));
    });

    withAda("a new password is hashed outside of the transaction, which others wait for", async () => {
      const wasOutside: boolean[] = [];
      const observed = User.service({
        database,
        policy: () => {
          let isOutside = false;
          database.afterCommit(() => (isOutside = true));
          wasOutside.push(isOutside);
          return undefined;
        },
      });
      const text = await createToken();
      assert.ok(
        (await PasswordReset.service({ token, user: observed }).resetPassword(text, newPassword, newPassword)).ok,
      );
      assert.deepEqual(wasOutside, [true]);
    });

    withAda("a new password ends the API tokens of the user, and is reported by mail", async ({ user: created }) => {
      const api = { purpose: "api" };
      const text = await token.create({}, { ...api, owner: created.id });
      const ofBob = await token.create({}, { ...api, owner: "bob" });
      assert.ok(!(await reset(await createToken(), "short")).ok);
      assert.ok(await token.isValid(text, api), "a refused password ends nothing");
      assert.deepEqual(email.inbox.all(), []);
      assert.ok((await reset(await createToken())).ok);
      assert.deepEqual([await token.isValid(text, api), await token.isValid(ofBob, api)], [false, true]);
      const [mail, ...others] = email.inbox.to(ada);
      assert.match(mail?.text ?? "", /password of your account was set by a link/);
      assert.deepEqual(others, []);
    });

    withAda(
      "a new password keeps API tokens on request, and does not depend on the mail",
      async ({ user: created }) => {
        const api = { purpose: "api" };
        const text = await token.create({}, { ...api, owner: created.id });
        const unreachable = { ...email, send: () => Promise.reject(new Error("no mail today")) };
        const lax = PasswordReset.service({ token, user, email: unreachable, endTokens: [] });
        assert.ok((await lax.resetPassword(await createToken(), newPassword, newPassword)).ok);
        assert.ok(await canLogIn(newPassword));
        assert.ok(await token.isValid(text, api));
        assert.match(log.messages().join(), /The change of a password could not be reported/);
      },
    );

    withAda("a token is valid for ten minutes", async ({ clock }) => {
      const text = await createToken();
      await clock.advance(Time.minutes(10) - 1000);
      assert.ok(await service.findUserOpt(text));
      await clock.advance(1000);
      await assertRefused(text);
    });

    withAda("a newer token ends the older one", async () => {
      const [older, newer] = [await createToken(), await createToken()];
      await assertRefused(older);
      assert.ok((await reset(newer)).ok);
    });

    withAda("of twenty tokens that are requested at once, one is valid", async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, createToken));
      const owners = await Promise.all(tokens.map((text) => service.findUserOpt(text)));
      assert.equal(owners.filter((owner) => owner !== undefined).length, 1);
    });

    withAda("a token ends when the password changes", async ({ user: created }) => {
      const text = await createToken();
      const change = { old: oldPassword, password: "a third sentence 33333", confirmation: "a third sentence 33333" };
      assert.ok((await user.updatePassword(created, change)).ok);
      await assertRefused(text);
    });

    withAda("a token ends when the address changes", async ({ user: created, clock }) => {
      const text = await createToken();
      assert.ok((await user.update(created, { email: "countess@example.com" })).ok);
      await assertRefused(text);
      await clock.advance(1000);
      assert.ok((await user.update(created, { email: ada })).ok);
      await assertRefused(text);
    });

    withAda("a token ends when the address changes while it is used", async ({ user: created }) => {
      const racing = PasswordReset.service({
        token,
        user: {
          ...user,
          setPassword: async (...args) => {
            assert.ok((await user.update(created, { email: "countess@example.com" })).ok);
            return user.setPassword(...args);
          },
        },
      });
      const hashesBefore = await passwordHashes();
      assert.deepEqual(await racing.resetPassword(await createToken(), newPassword, newPassword), refusal);
      assert.deepEqual(await passwordHashes(), hashesBefore);
    });

    withAda("a token sets no password that another change overtakes in the same millisecond", async () => {
      const changes: ((owner: User.User) => Promise<unknown>)[] = [
        (owner) =>
          user.setPassword(owner, { password: "a third sentence 33333", confirmation: "a third sentence 33333" }),
        (owner) => user.deactivate(owner),
      ];
      for (const change of changes) {
        const racing = PasswordReset.service({
          token,
          user: {
            ...user,
            setPassword: async (owner, ...rest) => {
              await change(owner);
              return user.setPassword(owner, ...rest);
            },
          },
        });
        const text = await createToken();
        assert.deepEqual(await racing.resetPassword(text, newPassword, newPassword), refusal);
        assert.equal(await canLogIn(newPassword), false);
        // The transaction was rolled back. A change before the use of the token is seen, too.
        await change(await user.findByEmail(ada));
        await assertRefused(text);
      }
    });

    withAda("an inactive or deleted user is refused", async ({ user: created, clock }) => {
      const text = await createToken();
      await user.deactivate(created);
      await assertRefused(text);
      assert.equal(await service.createResetToken(ada), undefined);
      await clock.advance(1000);
      await user.activate(created);
      const secondToken = await createToken();
      await user.delete(created);
      await assertRefused(secondToken);
      assert.equal(await service.createResetToken(ada), undefined);
    });

    withAda("of twenty concurrent uses of a token, one sets a password", async () => {
      const text = await createToken();
      const sentences = Array.from({ length: 20 }, (_, index) => `a long sentence of number ${index}`);
      const results = await Promise.all(sentences.map((sentence) => reset(text, sentence)));
      const winner = results.findIndex(({ ok }) => ok);
      assert.deepEqual(
        results.filter(({ ok }) => !ok),
        Array.from({ length: 19 }, () => refusal),
      );
      assert.ok(await canLogIn(sentences[winner] ?? ""));
    });

    withAda("a refused password keeps the token valid", async () => {
      const text = await createToken();
      const weak = await reset(text, "short");
      assert.ok(!weak.ok && weak.error["password"] !== undefined && weak.error["token"] === undefined);
      const differs = await service.resetPassword(text, newPassword, `${newPassword}3`);
      assert.ok(!differs.ok && differs.error["confirmation"] !== undefined);
      assert.ok(await canLogIn(oldPassword));
      assert.ok((await reset(text)).ok);
    });

    withAda("a failure while the password is set changes nothing", async () => {
      const failure = new Error("the database burns");
      const failing = PasswordReset.service({
        token,
        user: {
          ...user,
          setPassword: async (...args) => {
            await user.setPassword(...args);
            throw failure;
          },
        },
      });
      const text = await createToken();
      await assert.rejects(failing.resetPassword(text, newPassword, newPassword), failure);
      assert.ok(await canLogIn(oldPassword));
      assert.ok((await reset(text)).ok);
    });

    withAda("an unknown address gets no token but causes the same work", async () => {
      const statements = ["exec", "find", "findOpt", "collect"] as const;
      const mocks = statements.map((statement) => mock.method(database, statement));
      const measure = async (address: string): Promise<readonly number[]> => {
        for (const { mock: calls } of mocks) calls.resetCalls();
        await service.createResetToken(address);
        return mocks.map(({ mock: calls }) => calls.callCount());
      };
      const expected = await measure(ada);
      for (const unknown of ["bob@example.com", "bob@example.com", "clara@example.com"]) {
        assert.deepEqual(await measure(unknown), expected, unknown);
      }
      mock.restoreAll();
      for (const unknown of ["bob@example.com", "", "a", "' or 1=1 --", "\0", "x".repeat(10_000), "\ud800@a.b"])
        assert.equal(await service.createResetToken(unknown), undefined, unknown);
    });

    withAda("requests for unknown addresses leave few rows, even without a schedule service", async () => {
      const storedRows =
        token.implementation === "jwt" ? sql`select * from token_revocations` : sql`select * from tokens`;
      const valid = await createToken();
      for (let request = 0; request < 300; request++) await service.createResetToken(`nobody${request}@example.com`);
      const { length: count } = await database.collect(storedRows);
      assert.ok(count <= 257, String(count));
      assert.ok(await service.findUserOpt(valid));
    });

    withAda("requests for links leave the deletion of expired tokens to the timer", async () => {
      let purges = 0;
      const purge = async (): Promise<number> => ++purges;
      const counted = PasswordReset.service({ token: { ...token, purge }, user });
      for (let request = 0; request < 200; request++) {
        assert.equal(await counted.createResetToken(`nobody${request}@example.com`), undefined);
        assert.ok(await counted.createResetToken(ada));
      }
      assert.equal(purges, 0);
    });

    withAda(
      "a token of another purpose sets no password, and a reset token has no other purpose",
      async ({ user: created }) => {
        const text = await token.create({}, { purpose: "api", owner: created.id });
        await assertRefused(text);
        assert.equal(await token.read(await createToken(), { purpose: "api" }), undefined);
        for (const invalid of ["", "x", "lmt_", "null"]) await assertRefused(invalid);
      },
    );

    withAda("no stored value works as a token", async () => {
      await createToken();
      const tables = [sql`select * from user_users`, sql`select * from user_sessions`];
      if (token.implementation === "sql") tables.push(sql`select * from tokens`);
      if (token.implementation === "jwt") tables.push(sql`select * from token_revocations`);
      const rows = (await Promise.all(tables.map((table) => database.collect(table)))).flat();
      const cells = rows
        .flatMap((row) => Object.values(row))
        .map((cell) => (typeof cell === "string" ? cell : JSON.stringify(cell)));
      assert.ok(cells.length > 5);
      for (const cell of cells) for (const text of [cell, `lmt_${cell}`]) await assertRefused(text);
    });

    describe("the pages", () => {
      const linkIn = (text = ""): URL => new URL(/https?:\/\/\S+/.exec(text)?.[0] ?? assert.fail(text));
      const requestLink = async (typed: string): Promise<Page> => {
        const client = visitor(app);
        await client.get("/password-reset");
        const sent = await client.post("/password-reset", { email: typed });
        await drained();
        return sent;
      };
      const drained = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        await service.drain?.();
      };

      withAda("lead from the request to the new password", async () => {
        const sent = await requestLink(ada);
        assert.deepEqual([sent.status, sent.location], [303, "/password-reset/sent"]);
        const [mail, ...others] = email.inbox.all();
        assert.deepEqual([mail?.recipients, others], [[{ address: ada }], []]);
        assert.match(mail?.text ?? "", /within 10 minutes/);
        const link = linkIn(mail?.text);
        assert.equal(link.origin + link.pathname, "https://app.example.com/password-reset/new");

        const owner = visitor(app);
        const form = await owner.get(link.pathname + link.search);
        assert.equal(form.status, 200);
        assert.match(form.body, /value="ada@example.com" autocomplete="username" readonly/);
        assert.match(form.body, /autocomplete="new-password"/);
        const fields = { token: link.searchParams.get("token") ?? "", password: "short", confirmation: "other" };
        const refused = await owner.post("/password-reset/new", fields);
        assert.equal(refused.status, 422);
        assert.match(refused.body, /aria-invalid="true"/);
        assert.doesNotMatch(refused.body, /value="(?:short|other)"/);
        const done = await owner.post("/password-reset/new", {
          ...fields,
          password: newPassword,
          confirmation: newPassword,
        });
        assert.deepEqual([done.status, done.location], [303, "/password-reset/done"]);
        assert.match((await owner.follow(done)).body, /href="\/login"/);
        assert.ok(await canLogIn(newPassword));
      });

      withAda("respond the same for every address and mail to the stored one only", async () => {
        const pages = [];
        for (const typed of [ada, "ADA@EXAMPLE.com", " ada@example.com ", "bob@example.com", "ada@exámple.com"]) {
          const { status, location, body } = await requestLink(typed);
          pages.push([status, location, body]);
        }
        assert.deepEqual(new Set(pages.map((page) => JSON.stringify(page))).size, 1);
        assert.deepEqual(
          email.inbox.all().map(({ recipients }) => recipients),
          Array.from({ length: 3 }, () => [{ address: ada }]),
        );
        for (const typed of [
          "",
          "ada",
          "ada@",
          "a@b c",
          "áda@example.com",
          "ada@example.com,eve@example.com@x",
          "x@".padEnd(300, "y"),
        ]) {
          const { status, body } = await requestLink(typed);
          assert.equal(status, 422, typed);
          assert.match(body, /Please enter an e-mail address/);
        }
        assert.equal(email.inbox.all().length, 3);
      });

      withAda("show the same page for every invalid link", async ({ user: created, clock }) => {
        const used = await createToken();
        await reset(used);
        const expired = await createToken();
        await clock.advance(Time.minutes(10));
        const older = await createToken();
        const ofDeletedUser = await createToken();
        const foreign = await token.create({}, { purpose: "api", owner: created.id });
        await user.delete(created);
        const bodies = new Set<string>();
        for (const text of [used, expired, older, ofDeletedUser, foreign, "", "x", `${ofDeletedUser}x`]) {
          const client = visitor(app);
          const shown = await client.get(`/password-reset/new?token=${encodeURIComponent(text)}`);
          await client.get("/password-reset");
          const fields = { token: text, password: newPassword, confirmation: newPassword };
          const posted = await client.post("/password-reset/new", fields);
          for (const { status, body } of [shown, posted]) {
            assert.equal(status, 410);
            bodies.add(body.replace(/nonce="[^"]*"/, ""));
          }
        }
        assert.equal(bodies.size, 1);
      });

      withAda("keep the token from other sites, caches and logs, with any Host header", async () => {
        log[Symbol.dispose]();
        log = capturedLog();
        const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
        const client = visitor({
          request: (path, init) =>
            app.request(path, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } }),
        });
        await client.get("/password-reset");
        await client.post("/password-reset", { email: ada });
        await drained();
        const link = linkIn(email.inbox.all()[0]?.text);
        assert.equal(link.host, "app.example.com");
        const text = link.searchParams.get("token") ?? "";
        const pages = [
          await client.get(link.pathname + link.search),
          await client.post("/password-reset/new", { token: text, password: "short", confirmation: "short" }),
          await visitor(app).post("/password-reset/new", {
            token: text,
            password: newPassword,
            confirmation: newPassword,
          }),
          await client.post("/password-reset/new", { token: text, password: newPassword, confirmation: newPassword }),
          await client.get(link.pathname + link.search),
        ];
        assert.deepEqual(
          pages.map(({ status }) => status),
          [200, 422, 403, 303, 410],
        );
        for (const page of pages) {
          assert.equal(page.headers.get("referrer-policy"), "no-referrer");
          assert.match(page.headers.get("cache-control") ?? "", /no-store/);
          assert.doesNotMatch(page.body, /(?:src|href)="(?:https?:)?\/\//);
        }
        assert.ok(log.entries.length > 5);
        const logged = JSON.stringify(log.entries);
        assert.ok(!logged.includes(text.slice(4, 30)) && !logged.includes(newPassword) && !logged.includes(ada));
      });

      withAda("require a CSRF token", async () => {
        const { status } = await visitor(app).post("/password-reset", { email: ada });
        assert.equal(status, 403);
        await drained();
        assert.deepEqual(email.inbox.all(), []);
      });
    });
  });
}

const withSql = (database: Database): { database: Database; token: Token.TokenService } => ({
  database,
  token: Token.sql({ database }),
});

resetCases("on SQLite", () => withSql(sqlite({ url: ":memory:" })));
resetCases("with JWT", () => {
  const database = sqlite({ url: ":memory:" });
  return { database, token: Token.jwt({ database }) };
});
await withServer(postgresqlServer, ({ url }) => resetCases("on PostgreSQL", () => withSql(postgresql({ url }))));
await withServer(mariadbServer, ({ url }) => resetCases("on MariaDB", () => withSql(mariadb({ url }))));
