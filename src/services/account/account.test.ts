// The account service on every database: confirm the address, change it, delete the account.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  Account,
  App,
  Cleaner,
  Configuration,
  Email,
  error,
  Migration,
  PasswordReset,
  type Result,
  Time,
  Token,
  User,
  Web,
} from "limmat";
import { ConfigurationInternals } from "../../config/index.ts";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock, runCommand } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { en } from "limmat/language/en";

const ada = "ada@example.com";
const countess = "Countess@example.com";
const password = "correct horse battery staple 1";
const { linkInvalid, accountInUse } = en.services.user;
const refusal = error({ token: linkInvalid });

const configurationEntries = [
  ["FRAMEWORK_ENV", "test"],
  ["PASSWORD_MEMORY", "64"],
  ["PASSWORD_PASSES", "1"],
  ["APP_URL", "https://app.example.com"],
] as const;

/** A table of the application that refers to users. */
const invoices = Migration.make("account-invoices", [
  Migration.step(
    "create table account_invoices",
    ({ uuid }) => `create table account_invoices (
      id ${uuid} primary key,
      user_id ${uuid} not null,
      foreign key (user_id) references user_users (id)
    )`,
  ),
]);

function accountCases(name: string, make: () => { database: Database; token: Token.TokenService }): void {
  describe(name, () => {
    const { database, token } = make();
    const user = User.service({ database });
    const email = Email.memory();
    const account = Account.service({ database, token, user, email });
    const passwordReset = PasswordReset.service({ token, user });
    const migration = Migration.service({ database, migrations: [invoices], onPending: "run" });
    const apiOf = (path: string, options: Partial<Token.Web.BearerOptions>): Web.Router =>
      Web.get(path, (request) => Web.Response.text(Token.Web.current(request).owner ?? ""), {
        middlewares: [...Web.Middleware.api(), Token.Web.bearer({ token, purpose: "api", ...options })],
      });
    const http = Web.Http.service({
      router: Web.choose([apiOf("/api", {}), apiOf("/users", { user }), apiOf("/partners", { user: false })]),
    });
    const app = App.create({ services: [account, passwordReset, migration, http] });
    let log: ReturnType<typeof capturedLog>;

    before(async () => {
      log = capturedLog();
      Configuration.store(configurationEntries);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
      log[Symbol.dispose]();
    });

    interface Fixture {
      readonly user: User.User;
      readonly clock: Time.FakeClock;
    }
    const withAda = (title: string, run: (fixture: Fixture) => Promise<void>): void => {
      test(title, async () => {
        await Cleaner.cleanAll();
        using clock = fakeClock();
        const created = await user.createUser({ email: ada, password });
        await clock.advance(1000);
        await run({ user: created, clock });
      });
    };

    const mailsTo = (address: string): readonly string[] => email.inbox.to(address).map(({ text }) => text);
    /** Returns the token of the newest mail with a link to an address. */
    const tokenTo = (address: string): string => {
      const [newest = ""] = mailsTo(address).filter((text) => text.includes("token="));
      return URL.parse(/https\S+/.exec(newest)?.[0] ?? "")?.searchParams.get("token") ?? assert.fail("no link");
    };
    const requestConfirmation = async (owner: User.User): Promise<string> => {
      await account.sendConfirmationLink(owner);
      return tokenTo(owner.email);
    };
    const requestChange = async (owner: User.User, address = countess): Promise<string> => {
      assert.ok((await account.sendEmailChangeLink(owner, { email: address, password })).ok);
      return tokenTo(address);
    };
    const storedUsers = (): Promise<readonly unknown[]> =>
      database.collect(sql`select email, email_key, confirmed, updated_at from user_users order by id`);
    const assertRefused = async (owner: User.User, text: string): Promise<void> => {
      const usersBefore = await storedUsers();
      const mailsBefore = email.inbox.all().length;
      assert.equal(await account.findEmailOpt(owner, text), undefined);
      assert.deepEqual(await account.confirmEmail(owner, text), refusal);
      assert.deepEqual(await storedUsers(), usersBefore);
      assert.equal(email.inbox.all().length, mailsBefore);
    };

    describe("an address", () => {
      withAda("is confirmed once by its link, without ending sessions", async ({ user: created }) => {
        const session = await user.startSession(created);
        const text = await requestConfirmation(created);
        assert.equal(await account.findEmailOpt(created, text), ada);
        assert.equal((await user.find(created.id)).confirmed, false);
        const confirmed = await account.confirmEmail(created, text);
        assert.ok(confirmed.ok);
        assert.deepEqual([confirmed.value.email, confirmed.value.confirmed], [ada, true]);
        assert.equal((await user.findBySessionOpt(session))?.confirmed, true);
        await assertRefused(created, text);
        assert.equal(email.inbox.all().length, 1);
      });

      withAda("gets no link if it is confirmed, or if its user is inactive or deleted", async ({ user: created }) => {
        await user.confirm(created);
        await account.sendConfirmationLink(created);
        const bob = await user.createUser({ email: "bob@example.com" });
        await user.deactivate(bob);
        await account.sendConfirmationLink(bob);
        await account.sendConfirmationLink({ id: "0b6b9c3e-3f4d-4a53-9a53-0c8c3a6f0f01" });
        await account.sendConfirmationLink({ id: "nobody" });
        assert.deepEqual(email.inbox.all(), []);
      });

      withAda("is confirmed after other fields of the user have changed", async ({ user: created, clock }) => {
        const text = await requestConfirmation(created);
        await clock.advance(1000);
        await user.update(created, { name: "Lovelace" });
        assert.ok((await account.confirmEmail(created, text)).ok);
      });

      withAda("is not confirmed by a link to the previous address", async ({ user: created }) => {
        const text = await requestConfirmation(created);
        assert.ok((await user.update(created, { email: countess })).ok);
        await assertRefused(created, text);
      });

      withAda("is not confirmed by another user's link, which stays valid", async ({ user: created }) => {
        const eve = await user.createUser({ email: "eve@example.com", password });
        const text = await requestConfirmation(created);
        await assertRefused(eve, text);
        assert.ok((await account.confirmEmail(created, text)).ok);
        assert.equal((await user.find(eve.id)).confirmed, false);
      });
    });

    describe("a link", () => {
      withAda("is valid for a day", async ({ user: created, clock }) => {
        const text = await requestConfirmation(created);
        assert.match(mailsTo(ada)[0] ?? "", /within 24 hours/);
        await clock.advance(Time.days(1) - 1000);
        assert.equal(await account.findEmailOpt(created, text), ada);
        await clock.advance(1000);
        await assertRefused(created, text);
      });

      withAda("is replaced by a newer one of either kind", async ({ user: created }) => {
        const first = await requestConfirmation(created);
        const second = await requestConfirmation(created);
        await assertRefused(created, first);
        const third = await requestChange(created);
        await assertRefused(created, second);
        const fourth = await requestChange(created, "byron@example.com");
        await assertRefused(created, third);
        assert.equal(await account.findEmailOpt(created, fourth), "byron@example.com");
      });

      withAda("is the only valid one of twenty that are requested at once", async ({ user: created }) => {
        await Promise.all(Array.from({ length: 20 }, () => account.sendConfirmationLink(created)));
        const tokens = mailsTo(ada).map((text) =>
          URL.parse(/https\S+/.exec(text)?.[0] ?? "")?.searchParams.get("token"),
        );
        assert.equal(new Set(tokens).size, 20);
        const addresses = await Promise.all(tokens.map((text) => account.findEmailOpt(created, text ?? "")));
        assert.deepEqual(
          addresses.filter((address) => address !== undefined),
          [ada],
        );
      });

      withAda("is used once by twenty concurrent calls", async ({ user: created }) => {
        for (const request of [requestConfirmation, requestChange]) {
          const text = await request(await user.find(created.id));
          const results = await Promise.all(Array.from({ length: 20 }, () => account.confirmEmail(created, text)));
          assert.deepEqual(
            results.filter(({ ok }) => !ok),
            Array.from({ length: 19 }, () => refusal),
          );
        }
        assert.equal((await user.find(created.id)).email, countess);
        assert.equal(mailsTo(ada).filter((text) => text.includes("has another e-mail address now")).length, 1);
      });

      withAda("is invalid for an inactive or deleted user", async ({ user: created, clock }) => {
        const text = await requestConfirmation(created);
        await user.deactivate(created);
        await assertRefused(created, text);
        await clock.advance(1000);
        await user.activate(created);
        const change = await requestChange(created);
        await user.deactivate(created);
        await assertRefused(created, change);
        await user.activate(created);
        const last = await requestConfirmation(created);
        await user.delete(created);
        await assertRefused(created, last);
      });

      withAda("is valid for its purpose only, and differs from all stored values", async ({ user: created }) => {
        const text = await requestConfirmation(created);
        assert.equal(await token.read(text, { purpose: "password-reset" }), undefined);
        const data = { email: ada };
        const others = [
          await token.create(data, { purpose: "api", owner: created.id }),
          (await passwordReset.createResetToken(ada)) ?? "",
          await token.create({}, { purpose: "account-email", owner: created.id }),
          await token.create({ email: 1 }, { purpose: "account-email", owner: created.id }),
          await token.create(data, { purpose: "account-email" }),
        ];
        const tables = [sql`select * from user_users`];
        if (token.implementation === "sql") tables.push(sql`select * from tokens`);
        const rows = (await Promise.all(tables.map((table) => database.collect(table)))).flat();
        const cells = rows.flatMap((row) => Object.values(row)).filter((cell) => typeof cell === "string");
        assert.ok(cells.length > 4);
        for (const other of ["", "x", "lmt_", ...others, ...cells]) await assertRefused(created, other);
        assert.ok((await account.confirmEmail(created, text)).ok);
      });

      withAda("appears in the mail only", async ({ user: created }) => {
        const text = await requestChange(created);
        assert.ok((await account.confirmEmail(created, text)).ok);
        assert.ok(log.messages().length > 0);
        const logged = JSON.stringify(log.entries);
        assert.ok(!logged.includes(text.slice(4, 30)) && !/countess|ada@/i.test(logged));
        assert.ok(
          !mailsTo(ada).some((mail) => /countess|token=/i.test(mail)),
          "mails to the previous address contain neither link nor new address",
        );
      });
    });

    describe("a new address", () => {
      withAda("replaces the previous one when its link is followed", async ({ user: created, clock }) => {
        await user.confirm(created);
        const sessions = [await user.startSession(created), await user.startSession(created)];
        const requested = await account.sendEmailChangeLink(created, { email: ` ${countess}\n`, password });
        assert.deepEqual(requested, { ok: true, value: countess });
        assert.deepEqual([mailsTo(countess).length, mailsTo(ada).length], [1, 1]);
        assert.match(mailsTo(ada)[0] ?? "", /asked for another e-mail address/);
        const unchanged = await user.find(created.id);
        assert.deepEqual([unchanged.email, unchanged.confirmed], [ada, true]);

        await clock.advance(1000);
        const text = tokenTo(countess);
        assert.equal(await account.findEmailOpt(created, text), countess);
        const changed = await account.confirmEmail(created, text);
        assert.ok(changed.ok);
        assert.deepEqual(changed.value, await user.find(created.id));
        assert.deepEqual([changed.value.email, changed.value.confirmed], [countess, true]);
        assert.equal((await user.findByEmail("COUNTESS@example.com")).id, created.id);
        for (const session of sessions) assert.equal(await user.findBySessionOpt(session), undefined);
        assert.deepEqual(
          [(await user.login(ada, password)).ok, (await user.login(countess, password)).ok],
          [false, true],
        );
        assert.match(mailsTo(ada)[0] ?? "", /has another e-mail address now/);
        assert.deepEqual([mailsTo(countess).length, mailsTo(ada).length], [1, 2]);
        await assertRefused(created, text);
      });

      withAda("requires the password, and failed attempts are counted", async ({ user: created }) => {
        await user.createUser({ email: "taken@example.com" });
        const request = async (address: string, typedPassword: string): Promise<User.UserErrors> => {
          const requested = await account.sendEmailChangeLink(created, { email: address, password: typedPassword });
          assert.ok(!requested.ok);
          return requested.error;
        };
        const { emailInvalid, emailUnchanged, emailTaken, oldPasswordWrong } = en.services.user;
        assert.deepEqual(await request("ADA@example.com", password), { email: emailUnchanged });
        assert.deepEqual(await request("countess", password), { email: emailInvalid });
        assert.deepEqual(await request("Taken@example.com", password), { email: emailTaken });
        assert.deepEqual(await request("", "wrong"), { email: emailInvalid, password: oldPasswordWrong });
        // Without the password, the message does not reveal that the address is taken.
        for (let attempt = 0; attempt < 4; attempt++)
          assert.deepEqual(await request("taken@example.com", "wrong"), { password: oldPasswordWrong });
        assert.deepEqual(await request(countess, password), { password: en.services.user.loginThrottled(1) });
        assert.ok((await user.login(ada, password)).ok, "logins have a count of their own");
        assert.deepEqual(email.inbox.all(), []);
      });

      withAda("is refused while another user has it, and accepted afterwards", async (fixture) => {
        const text = await requestChange(fixture.user);
        const eve = await user.createUser({ email: countess.toLowerCase() });
        const refused = await account.confirmEmail(fixture.user, text);
        assert.deepEqual(refused, error({ email: en.services.user.emailTaken }));
        assert.equal((await user.find(fixture.user.id)).email, ada);
        assert.equal(mailsTo(ada).length, 1);
        await user.delete(eve);
        assert.ok((await account.confirmEmail(fixture.user, text)).ok);
      });

      withAda("goes to one of two users who confirm it concurrently", async ({ user: created }) => {
        const bob = await user.createUser({ email: "bob@example.com", password });
        const [bobsLink, adasLink] = [await requestChange(bob), await requestChange(created)];
        const results = await Promise.all([
          account.confirmEmail(bob, bobsLink),
          account.confirmEmail(created, adasLink),
        ]);
        assert.equal(results.filter(({ ok }) => ok).length, 1);
        assert.deepEqual(
          results.find(({ ok }) => !ok),
          error({ email: en.services.user.emailTaken }),
        );
      });

      withAda("is refused after a new password or any other change of the user", async (fixture) => {
        const changes: ((owner: User.User) => Promise<unknown>)[] = [
          (owner) => user.setPassword(owner, { password, confirmation: password }),
          (owner) => user.updatePassword(owner, { old: password, password, confirmation: password }),
          (owner) => user.update(owner, { email: "third@example.com" }),
          (owner) => user.update(owner, { name: "Byron" }),
        ];
        for (const change of changes) {
          const text = await requestChange(await user.find(fixture.user.id));
          await fixture.clock.advance(1000);
          await change(fixture.user);
          await assertRefused(fixture.user, text);
        }
      });

      withAda("is refused after another change of the address in the same millisecond", async ({ user: created }) => {
        const text = await requestChange(created);
        assert.ok((await user.update(created, { email: "third@example.com" })).ok);
        await assertRefused(await user.find(created.id), text);
        await database.exec(sql`update user_users set updated_at = ${created.updated_at}`);
        await assertRefused(created, text);
      });

      withAda("is refused if the password changes while the link is requested", async ({ user: created, clock }) => {
        const racing = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            checkEmailChange: async (...args) => {
              const checked = await user.checkEmailChange(...args);
              await clock.advance(1000);
              await user.setPassword(created, { password: "another sentence 22", confirmation: "another sentence 22" });
              return checked;
            },
          },
        });
        assert.ok((await racing.sendEmailChangeLink(created, { email: countess, password })).ok);
        await assertRefused(created, tokenTo(countess));
      });

      withAda("is refused if the user changes while the link is followed", async ({ user: created, clock }) => {
        const racing = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            setEmail: async (owner, ...rest) => {
              await clock.advance(1000);
              await user.update(owner, { name: "Lovelace" });
              return user.setEmail(owner, ...rest);
            },
          },
        });
        const text = await requestChange(created);
        const refused = await racing.confirmEmail(created, text);
        assert.deepEqual(refused, error({ user: en.services.user.userChanged }));
        const unchanged = await user.find(created.id);
        assert.deepEqual([unchanged.email, unchanged.name], [ada, undefined], "the transaction was rolled back");
      });

      withAda("ends the password reset links of the previous address", async ({ user: created, clock }) => {
        const text = await requestChange(created);
        const reset = (await passwordReset.createResetToken(ada)) ?? assert.fail("no token");
        await clock.advance(1000);
        assert.ok((await account.confirmEmail(created, text)).ok);
        assert.equal(await passwordReset.findUserOpt(reset), undefined);
        assert.ok(!(await passwordReset.resetPassword(reset, "another sentence 22", "another sentence 22")).ok);
        assert.equal(await passwordReset.createResetToken(ada), undefined);
        assert.ok((await user.login(countess, password)).ok);
      });

      withAda("is not set if the previous address cannot be notified", async ({ user: created }) => {
        const failure = new Error("no mail today");
        const unreachable = Account.service({
          database,
          token,
          user,
          email: { ...email, send: () => Promise.reject(failure) },
        });
        const text = await requestChange(created);
        await assert.rejects(unreachable.confirmEmail(created, text), failure);
        assert.equal((await user.find(created.id)).email, ada);
        assert.ok((await account.confirmEmail(created, text)).ok);
      });
    });

    describe("a password", () => {
      const another = "another sentence 22";
      const change = { old: password, password: another, confirmation: another };
      const api = { purpose: "api" };

      withAda("is hashed outside of the transaction, which others wait for", async ({ user: created }) => {
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
        const service = Account.service({ database, token, user: observed, email });
        assert.ok((await service.changePassword(created, change)).ok);
        assert.deepEqual(wasOutside, [true]);
      });

      withAda("is changed with the current one, which ends sessions and tokens and is reported", async (fixture) => {
        const { user: created } = fixture;
        const session = await user.startSession(created);
        const text = await token.create({}, { ...api, owner: created.id });
        const ofBob = await token.create({}, { ...api, owner: "bob" });
        const changed = await account.changePassword(created, change);
        assert.ok(changed.ok);
        assert.deepEqual(changed.value, await user.find(created.id));
        assert.equal(await user.findBySessionOpt(session), undefined);
        assert.deepEqual([await token.isValid(text, api), await token.isValid(ofBob, api)], [false, true]);
        const [mail = "", ...others] = mailsTo(ada);
        assert.match(mail, /password of your account was changed/);
        assert.deepEqual(others, []);
        assert.deepEqual([(await user.login(ada, password)).ok, (await user.login(ada, another)).ok], [false, true]);
        assert.ok(await token.isValid(await token.create({}, { ...api, owner: created.id }), api));
      });

      withAda("is not changed without the current one, or to an invalid one, and tokens stay", async (fixture) => {
        const { user: created } = fixture;
        const text = await token.create({}, { ...api, owner: created.id });
        const errorsOf = async (changes: Partial<typeof change>): Promise<readonly string[]> => {
          const result = await account.changePassword(created, { ...change, ...changes });
          return result.ok ? [] : Object.keys(result.error);
        };
        assert.deepEqual(await errorsOf({ old: "wrong" }), ["old"]);
        assert.deepEqual(await errorsOf({ password: "short", confirmation: "short" }), ["password"]);
        assert.deepEqual(await errorsOf({ confirmation: "other" }), ["confirmation"]);
        for (let failure = 1; failure <= 4; failure++) await errorsOf({ old: "wrong" });
        assert.deepEqual(await errorsOf({ old: "wrong" }), ["old"]);
        assert.deepEqual(await errorsOf({}), ["old"], "wrong passwords are limited");
        assert.ok(await token.isValid(text, api));
        assert.ok((await user.login(ada, password)).ok);
        assert.deepEqual(email.inbox.all(), []);
      });

      withAda("is not changed if another one was set since the verification", async ({ user: created }) => {
        const newest = { password: "a third sentence 33333", confirmation: "a third sentence 33333" };
        const racing = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            checkPassword: async (...args) => {
              const verified = await user.checkPassword(...args);
              await user.setPassword(created, newest);
              return verified;
            },
          },
        });
        const refused = await racing.changePassword(created, change);
        assert.deepEqual(refused, error({ old: en.services.user.userChanged }));
        assert.ok((await user.login(ada, newest.password)).ok);
      });

      withAda("is changed although the mail cannot be sent, and keeps tokens on request", async ({ user: created }) => {
        const text = await token.create({}, { ...api, owner: created.id });
        const failure = new Error("no mail today");
        const unreachable = { ...email, send: () => Promise.reject(failure) };
        const lax = Account.service({ database, token, user, email: unreachable, endTokens: [] });
        assert.ok((await lax.changePassword(created, change)).ok);
        assert.ok((await user.login(ada, another)).ok);
        assert.ok(await token.isValid(text, api));
        assert.match(log.messages().join(), /The change of a password could not be reported/);
      });
    });

    describe("an API token", () => {
      const statusOf = async (text: string, path = "/api"): Promise<readonly unknown[]> => {
        const { status, headers } = await app.request(path, { headers: { authorization: `Bearer ${text}` } });
        return [status, headers.get("www-authenticate")];
      };
      const opened = [200, null];
      const refused = [401, 'Bearer error="invalid_token"'];
      const api = { purpose: "api" };

      withAda("does not open the API while its owner is deactivated, or after the deletion", async (fixture) => {
        const text = await token.create({}, { ...api, owner: fixture.user.id });
        assert.deepEqual(await statusOf(text), opened);
        for (const path of ["/api", "/users"]) {
          await user.deactivate(fixture.user);
          assert.deepEqual(await statusOf(text, path), refused);
          await user.activate(fixture.user);
          assert.deepEqual(await statusOf(text, path), opened);
        }
        await user.delete(fixture.user);
        for (const path of ["/api", "/users"]) assert.deepEqual(await statusOf(text, path), refused);
        assert.deepEqual(await statusOf(text, "/partners"), opened);
      });

      withAda("opens an API with a `user` for users only, and without an owner any other", async () => {
        const [unowned, partner] = [await token.create({}, api), await token.create({}, { ...api, owner: "partner" })];
        const statuses = async (path: string): Promise<readonly unknown[]> => [
          await statusOf(unowned, path),
          await statusOf(partner, path),
        ];
        assert.deepEqual(await statuses("/users"), [refused, refused]);
        assert.deepEqual(await statuses("/api"), [opened, refused]);
        assert.deepEqual(await statuses("/partners"), [opened, opened]);
      });

      withAda("leaves a line with the code in the log if it is refused", async () => {
        const start = log.entries.length;
        await statusOf("lmt_unknown");
        const lines = log.entries.slice(start).filter(({ message }) => message === "The request was refused");
        assert.deepEqual(
          lines.map(({ fields: { status, code } }) => [status, code]),
          [[401, "E_TOKEN_REQUIRED"]],
        );
      });

      withAda(
        "is not created while the password changes, if its transaction requires it",
        async ({ user: created }) => {
          const newest = { password: "a third sentence 33333", confirmation: "a third sentence 33333" };
          const [isStored, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
          const changed = database.transaction(async () => {
            assert.ok((await user.setPassword(created, newest)).ok);
            isStored.resolve();
            await isHeld.promise;
          });
          await isStored.promise;
          const issued = database.transaction(async () => {
            await user.requireUnchanged(created);
            return token.create({}, { ...api, owner: created.id });
          });
          const rejected = assert.rejects(issued, { code: "E_USER_CHANGED" });
          isHeld.resolve();
          await Promise.all([changed, rejected]);
        },
      );
    });

    describe("an account", () => {
      withAda("is deleted with its sessions and tokens, and requires the password", async ({ user: created }) => {
        const bob = await user.createUser({ email: "bob@example.com", password });
        const [adasSession, bobsSession] = await Promise.all([created, bob].map((owner) => user.startSession(owner)));
        const api = { purpose: "api" };
        const adasToken = await token.create({ email: ada }, { ...api, owner: created.id });
        const bobsToken = await token.create({}, { ...api, owner: bob.id });
        const wrong = await account.deleteAccount(created, "wrong");
        assert.deepEqual(wrong, error({ password: en.services.user.oldPasswordWrong }));
        assert.ok((await user.findOpt(created.id)) && (await token.isValid(adasToken, api)));
        assert.deepEqual(await account.deleteAccount(created, password), { ok: true, value: undefined });
        assert.equal(await user.findOpt(created.id), undefined);
        assert.equal(await token.read(adasToken, api), undefined);
        if (token.implementation === "sql")
          assert.deepEqual(await database.collect(sql`select * from tokens where owner = ${created.id}`), []);
        assert.equal(await user.findBySessionOpt(adasSession ?? ""), undefined);
        assert.equal((await user.findBySessionOpt(bobsSession ?? ""))?.id, bob.id);
        assert.ok(await token.isValid(bobsToken, api));
        await assert.rejects(account.deleteAccount(created, password), { code: "E_USER_NOT_FOUND" });
        assert.ok((await user.registerUser({ email: ada, password, confirmation: password })).ok);
      });

      withAda("is not deleted by a password that was replaced since its verification", async ({ user: created }) => {
        const racing = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            checkPassword: async (...args) => {
              const verified = await user.checkPassword(...args);
              await user.setPassword(created, { password: "another sentence 22", confirmation: "another sentence 22" });
              return verified;
            },
          },
        });
        const api = await token.create({}, { purpose: "api", owner: created.id });
        await assert.rejects(racing.deleteAccount(created, password), { code: "E_USER_CHANGED" });
        assert.ok((await user.login(ada, "another sentence 22")).ok);
        assert.ok(await token.isValid(api, { purpose: "api" }));
      });

      withAda("keeps its tokens and sessions if other data prevents its deletion", async ({ user: created }) => {
        await database.exec(
          sql`insert into account_invoices (id, user_id) values (${"0b6b9c3e-3f4d-4a53-9a53-0c8c3a6f0f01"}, ${created.id})`,
        );
        const session = await user.startSession(created);
        const api = await token.create({}, { purpose: "api", owner: created.id });
        assert.deepEqual(await account.deleteAccount(created, password), error({ user: accountInUse }));
        assert.equal((await user.findBySessionOpt(session))?.id, created.id);
        assert.ok(await token.isValid(api, { purpose: "api" }));
        await database.exec(sql`delete from account_invoices`);
        assert.ok((await account.deleteAccount(created, password)).ok);
      });

      withAda("is not deleted if a registered check of the users refuses", async ({ user: created }) => {
        const strictUser = User.service({ database });
        const strict = Account.service({ database, token, user: strictUser, email });
        let outcome: Result<undefined> = error("Name an heir first");
        strictUser.registerChecks(async () => outcome);
        const api = await token.create({}, { purpose: "api", owner: created.id });
        const wrong = await strict.deleteAccount(created, "wrong");
        assert.deepEqual(wrong, error({ password: en.services.user.oldPasswordWrong }));
        assert.deepEqual(await strict.deleteAccount(created, password), error({ user: "Name an heir first" }));
        assert.ok(await token.isValid(api, { purpose: "api" }));
        outcome = { ok: true, value: undefined };
        assert.ok((await strict.deleteAccount(created, password)).ok);
      });

      test("is deleted while links of it are followed concurrently", async () => {
        await Cleaner.cleanAll();
        for (let round = 0; round < 10; round++) {
          const bob = await user.createUser({ email: `bob${round}@example.com`, password });
          const text = await requestConfirmation(bob);
          // Skips the password check, so that the calls overlap.
          const fastAccount = Account.service({
            database,
            token,
            email,
            user: { ...user, checkPassword: async () => ({ ok: true, value: bob }) },
          });
          const [deleted, ...others] = await Promise.allSettled([
            fastAccount.deleteAccount(bob, password),
            account.confirmEmail(bob, text),
            account.confirmEmail(bob, text),
          ]);
          assert.deepEqual(deleted, { status: "fulfilled", value: { ok: true, value: undefined } });
          for (const { status } of others) assert.equal(status, "fulfilled");
          assert.equal(await user.findOpt(bob.id), undefined);
        }
      });

      withAda("is unchanged after a deletion that fails halfway", async ({ user: created }) => {
        const failure = new Error("the database burns");
        const failing = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            delete: async (...args) => {
              await user.delete(...args);
              throw failure;
            },
          },
        });
        const api = await token.create({}, { purpose: "api", owner: created.id });
        await assert.rejects(failing.deleteAccount(created, password), failure);
        assert.ok((await user.login(ada, password)).ok);
        assert.ok(await token.isValid(api, { purpose: "api" }));
      });
    });
  });
}

const withSql = (database: Database): { database: Database; token: Token.TokenService } => ({
  database,
  token: Token.sql({ database }),
});

accountCases("on SQLite", () => withSql(sqlite({ url: ":memory:" })));
accountCases("with JWT", () => {
  const database = sqlite({ url: ":memory:" });
  return { database, token: Token.jwt({ database }) };
});
await withServer(postgresqlServer, ({ url }) => accountCases("on PostgreSQL", () => withSql(postgresql({ url }))));
await withServer(mariadbServer, ({ url }) => accountCases("on MariaDB", () => withSql(mariadb({ url }))));

test("invalid configuration is reported before the start", async () => {
  const database = sqlite({ url: ":memory:" });
  const account = Account.service({
    database,
    token: Token.sql({ database }),
    user: User.service({ database }),
    email: Email.memory(),
  });
  const check = async (key: string, value: string): Promise<string> => {
    Configuration.store([[key, value]]);
    const { stdout, stderr } = await runCommand(App.create({ services: [account] }), "config", "--check");
    return stdout + stderr;
  };
  try {
    Configuration.store(configurationEntries);
    for (const url of ["/account", "ftp://example.com", "https://u:p@example.com/x", "https://example.com/?a=b"])
      assert.match(await check("APP_URL", url), /APP_URL/, url);
    assert.match(await check("APP_URL", "http://example.com/"), /complete/);
    for (const life of ["59m", "169h"]) assert.match(await check("ACCOUNT_EMAIL_LIFETIME", life), /LIFETIME/, life);
    const level = async (): Promise<unknown> => (await account.check?.({ environment: "production" }))?.[0]?.level;
    Configuration.store([["ACCOUNT_EMAIL_LIFETIME", "7d"]]);
    assert.equal(await level(), "problem");
    Configuration.store([["APP_URL", "https://example.com/"]]);
    assert.equal(await level(), "ok");
  } finally {
    ConfigurationInternals.reset();
  }
});
