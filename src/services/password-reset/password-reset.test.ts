// A forgotten password, from the question for a link to the log-in with the new one, on every database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { App, Cleaner, Configuration, Email, error, Migration, PasswordReset, Time, Token, User, Web } from "limmat";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock, type Page, seededRandom, visitor } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";

const ada = "ada@example.com";
const oldPassword = "correct horse battery staple 1";
const newPassword = "an entirely other sentence 2";
const refusal = error({ token: "This link is not valid, or no longer. Please ask for a new one." });

function resetCases(name: string, make: () => { database: Database; token: Token.TokenService }): void {
  describe(name, () => {
    const { database, token } = make();
    const user = User.service({ database });
    const email = Email.memory();
    const service = PasswordReset.service({ token, user, email });
    const migration = Migration.service({ database, onPending: "run" });
    const store = { take: () => ({ isAllowed: true, remaining: 1, retryAfter: 0, reset: 0 }) };
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
      ]);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      Configuration.reset();
      log[Symbol.dispose]();
    });

    const withAda = (
      title: string,
      run: (given: { readonly user: User.User; readonly clock: Time.FakeClock }) => Promise<void>,
    ): void => {
      test(title, async () => {
        await Cleaner.cleanAll();
        using clock = fakeClock();
        const created = await user.createUser({ email: ada, password: oldPassword });
        await clock.advance(1000);
        await run({ user: created, clock });
      });
    };
    const ask = async (): Promise<string> => (await service.createResetToken(ada)) ?? assert.fail("no token");
    const reset = (text: string, password = newPassword): ReturnType<typeof service.resetPassword> =>
      service.resetPassword(text, password, password);
    const canLogIn = async (password: string): Promise<boolean> => (await user.login(ada, password)).ok;
    const passwords = (): Promise<readonly unknown[]> => database.collect(sql`select password from user_users`);
    const assertRefused = async (text: string): Promise<void> => {
      const kept = await passwords();
      assert.equal(await service.findUser(text), undefined);
      assert.deepEqual(await reset(text), refusal);
      assert.deepEqual(await passwords(), kept);
    };

    withAda("a token sets a password once, ends all sessions and starts none", async ({ user: created }) => {
      const sessions = [await user.startSession(created), await user.startSession(created)];
      const text = await ask();
      assert.equal((await service.findUser(text))?.id, created.id);
      const result = await reset(text);
      assert.ok(result.ok);
      assert.equal(result.value.id, created.id);
      for (const session of sessions) assert.equal(await user.findBySession(session), undefined);
      assert.deepEqual([await canLogIn(oldPassword), await canLogIn(newPassword)], [false, true]);
      assert.deepEqual(await reset(text, "yet another sentence 333"), refusal);
      assert.equal(await service.findUser(text), undefined);
      assert.ok(await canLogIn(newPassword));
    });

    withAda("a token lives for ten minutes", async ({ clock }) => {
      const text = await ask();
      await clock.advance(Time.minutes(10) - 1000);
      assert.ok(await service.findUser(text));
      await clock.advance(1000);
      await assertRefused(text);
    });

    withAda("a newer token ends the older one", async () => {
      const [older, newer] = [await ask(), await ask()];
      await assertRefused(older);
      assert.ok((await reset(newer)).ok);
    });

    withAda("a token ends when the password changes", async ({ user: created }) => {
      const text = await ask();
      const change = { old: oldPassword, password: "a third sentence 33333", confirmation: "a third sentence 33333" };
      assert.ok((await user.updatePassword(created, change)).ok);
      await assertRefused(text);
    });

    withAda("a token ends when the address changes", async ({ user: created, clock }) => {
      const text = await ask();
      assert.ok((await user.update(created, { email: "countess@example.com" })).ok);
      await assertRefused(text);
      await clock.advance(1000);
      assert.ok((await user.update(created, { email: ada })).ok);
      await assertRefused(text);
    });

    withAda("a token ends when the address changes at the moment it is used", async ({ user: created }) => {
      const late = PasswordReset.service({
        token,
        user: {
          ...user,
          setPassword: async (...given) => {
            assert.ok((await user.update(created, { email: "countess@example.com" })).ok);
            return user.setPassword(...given);
          },
        },
      });
      const kept = await passwords();
      assert.deepEqual(await late.resetPassword(await ask(), newPassword, newPassword), refusal);
      assert.deepEqual(await passwords(), kept);
    });

    withAda("a user who is inactive or deleted is refused", async ({ user: created, clock }) => {
      const text = await ask();
      await user.deactivate(created);
      await assertRefused(text);
      assert.equal(await service.createResetToken(ada), undefined);
      await clock.advance(1000);
      await user.activate(created);
      const other = await ask();
      await user.delete(created);
      await assertRefused(other);
      assert.equal(await service.createResetToken(ada), undefined);
    });

    withAda("of twenty who use a token at once, one sets a password", async () => {
      const text = await ask();
      const sentences = Array.from({ length: 20 }, (_, index) => `a long sentence of number ${index}`);
      const results = await Promise.all(sentences.map((sentence) => reset(text, sentence)));
      const winner = results.findIndex(({ ok }) => ok);
      assert.deepEqual(
        results.filter(({ ok }) => !ok),
        Array.from({ length: 19 }, () => refusal),
      );
      assert.ok(await canLogIn(sentences[winner] ?? ""));
    });

    withAda("a password that is refused leaves the token as it was", async () => {
      const text = await ask();
      const weak = await reset(text, "short");
      assert.ok(!weak.ok && weak.error["password"] !== undefined && weak.error["token"] === undefined);
      const differs = await service.resetPassword(text, newPassword, `${newPassword}3`);
      assert.ok(!differs.ok && differs.error["confirmation"] !== undefined);
      assert.ok(await canLogIn(oldPassword));
      assert.ok((await reset(text)).ok);
    });

    withAda("a failure while the password is set leaves everything as it was", async () => {
      const failure = new Error("the database burns");
      const failing = PasswordReset.service({
        token,
        user: {
          ...user,
          setPassword: async (...given) => {
            await user.setPassword(...given);
            throw failure;
          },
        },
      });
      const text = await ask();
      await assert.rejects(failing.resetPassword(text, newPassword, newPassword), failure);
      assert.ok(await canLogIn(oldPassword));
      assert.ok((await reset(text)).ok);
    });

    withAda("an unknown address gets no token, after the same work", async () => {
      const rows = async (): Promise<number> => (await database.collect(sql`select id from tokens`)).length;
      for (const unknown of ["bob@example.com", "", "a", "' or 1=1 --", "\0", "x".repeat(10_000), "\ud800@a.b"]) {
        const count = token.implementation === "sql" ? await rows() : 0;
        assert.equal(await service.createResetToken(unknown), undefined, unknown);
        if (token.implementation === "sql") assert.equal(await rows(), count + 1);
      }
    });

    withAda("unknown addresses leave little behind, even where no schedule purges it", async ({ clock }) => {
      const left = token.implementation === "jwt" ? sql`select * from token_revocations` : sql`select * from tokens`;
      // Which questions delete what has expired, a die decides.
      using _ = seededRandom("soon");
      const valid = await ask();
      const rows: number[] = [];
      const isPurged = (): boolean => (rows.at(-1) ?? 0) < (rows.at(-2) ?? 0);
      for (let asked = 0; asked < 300 && !isPurged(); asked++) {
        await service.createResetToken(`nobody${asked}@example.com`);
        await clock.advance(1);
        rows.push((await database.collect(left)).length);
      }
      assert.ok(isPurged() || Math.max(...rows) <= 257, rows.join(" "));
      assert.ok(await service.findUser(valid));
    });

    withAda("what cannot be purged keeps nobody from a link", async () => {
      using _ = seededRandom("soon");
      const failure = new Error("locked");
      const failing = PasswordReset.service({ token: { ...token, purge: () => Promise.reject(failure) }, user });
      const hasFailed = (): boolean =>
        log.entries.some(({ level, error: logged }) => level === "warning" && logged === failure);
      while (!hasFailed()) assert.ok(await failing.createResetToken(ada));
    });

    withAda(
      "a token of another purpose sets no password, and this one opens nothing else",
      async ({ user: created }) => {
        const text = await token.create({}, { purpose: "api", owner: created.id });
        await assertRefused(text);
        assert.equal(await token.read(await ask(), { purpose: "api" }), undefined);
        for (const nothing of ["", "x", "lmt_", "null"]) await assertRefused(nothing);
      },
    );

    withAda("no value of any table works as a token", async () => {
      await ask();
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
      const askBy = async (typed: string): Promise<Page> => {
        const somebody = visitor(app);
        await somebody.get("/password-reset");
        const sent = await somebody.post("/password-reset", { email: typed });
        await drained();
        return sent;
      };
      const drained = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        await service.drain?.();
      };

      withAda("lead from the question to the new password", async () => {
        const sent = await askBy(ada);
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
        const again = await owner.post("/password-reset/new", fields);
        assert.equal(again.status, 422);
        assert.match(again.body, /aria-invalid="true"/);
        assert.doesNotMatch(again.body, /value="(?:short|other)"/);
        const done = await owner.post("/password-reset/new", {
          ...fields,
          password: newPassword,
          confirmation: newPassword,
        });
        assert.deepEqual([done.status, done.location], [303, "/password-reset/done"]);
        assert.match((await owner.follow(done)).body, /href="\/login"/);
        assert.ok(await canLogIn(newPassword));
      });

      withAda("answer every address alike, and mail to the stored one only", async () => {
        const pages = [];
        for (const typed of [ada, "ADA@EXAMPLE.com", " ada@example.com ", "bob@example.com", "ada@exámple.com"]) {
          const { status, location, body } = await askBy(typed);
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
          const { status, body } = await askBy(typed);
          assert.equal(status, 422, typed);
          assert.match(body, /Please enter an e-mail address/);
        }
        assert.equal(email.inbox.all().length, 3);
      });

      withAda("refuse every link that is not valid with one page", async ({ user: created, clock }) => {
        const used = await ask();
        await reset(used);
        const expired = await ask();
        await clock.advance(Time.minutes(10));
        const older = await ask();
        const gone = await ask();
        const foreign = await token.create({}, { purpose: "api", owner: created.id });
        await user.delete(created);
        const bodies = new Set<string>();
        for (const text of [used, expired, older, gone, foreign, "", "x", `${gone}x`]) {
          const somebody = visitor(app);
          const shown = await somebody.get(`/password-reset/new?token=${encodeURIComponent(text)}`);
          await somebody.get("/password-reset");
          const fields = { token: text, password: newPassword, confirmation: newPassword };
          const posted = await somebody.post("/password-reset/new", fields);
          for (const { status, body } of [shown, posted]) {
            assert.equal(status, 410);
            bodies.add(body.replace(/nonce="[^"]*"/, ""));
          }
        }
        assert.equal(bodies.size, 1);
      });

      withAda("keep the token from other sites, caches and logs, whatever Host says", async () => {
        log[Symbol.dispose]();
        log = capturedLog();
        const headers = { host: "evil.example", "x-forwarded-host": "evil.example" };
        const somebody = visitor({
          request: (path, init) =>
            app.request(path, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } }),
        });
        await somebody.get("/password-reset");
        await somebody.post("/password-reset", { email: ada });
        await drained();
        const link = linkIn(email.inbox.all()[0]?.text);
        assert.equal(link.host, "app.example.com");
        const text = link.searchParams.get("token") ?? "";
        const pages = [
          await somebody.get(link.pathname + link.search),
          await somebody.post("/password-reset/new", { token: text, password: "short", confirmation: "short" }),
          await visitor(app).post("/password-reset/new", {
            token: text,
            password: newPassword,
            confirmation: newPassword,
          }),
          await somebody.post("/password-reset/new", { token: text, password: newPassword, confirmation: newPassword }),
          await somebody.get(link.pathname + link.search),
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

      withAda("need a token of their own form", async () => {
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
