// What people do with their own account, on every database: confirm the address, take another, delete the account.
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
  Time,
  Token,
  User,
} from "limmat";
import { type Database, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog, fakeClock, run } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";

const ada = "ada@example.com";
const countess = "Countess@example.com";
const password = "correct horse battery staple 1";
const { linkRefused, stillNeeded } = Account.englishMessages;
const refusal = error({ token: linkRefused });

const settings = [
  ["FRAMEWORK_ENV", "test"],
  ["PASSWORD_MEMORY", "64"],
  ["PASSWORD_PASSES", "1"],
  ["APP_URL", "https://app.example.com"],
] as const;

/** What an application keeps of its users. */
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
    const app = App.create({ services: [account, passwordReset, migration] });
    let log: ReturnType<typeof capturedLog>;

    before(async () => {
      log = capturedLog();
      Configuration.store(settings);
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      Configuration.reset();
      log[Symbol.dispose]();
    });

    interface Given {
      readonly user: User.User;
      readonly clock: Time.FakeClock;
    }
    const withAda = (title: string, work: (given: Given) => Promise<void>): void => {
      test(title, async () => {
        await Cleaner.cleanAll();
        using clock = fakeClock();
        const created = await user.createUser({ email: ada, password });
        await clock.advance(1000);
        await work({ user: created, clock });
      });
    };

    const mailsTo = (address: string): readonly string[] => email.inbox.to(address).map(({ text }) => text);
    /** The token of the newest mail with a link to an address. */
    const tokenTo = (address: string): string => {
      const [newest = ""] = mailsTo(address).filter((text) => text.includes("token="));
      return URL.parse(/https\S+/.exec(newest)?.[0] ?? "")?.searchParams.get("token") ?? assert.fail("no link");
    };
    const askToConfirm = async (whose: User.User): Promise<string> => {
      await account.sendConfirmationLink(whose);
      return tokenTo(whose.email);
    };
    const askForChange = async (whose: User.User, address = countess): Promise<string> => {
      assert.ok((await account.sendEmailChangeLink(whose, { email: address, password })).ok);
      return tokenTo(address);
    };
    const stored = (): Promise<readonly unknown[]> =>
      database.collect(sql`select email, email_key, confirmed, updated_at from user_users order by id`);
    const assertRefused = async (whose: User.User, text: string): Promise<void> => {
      const kept = await stored();
      const sent = email.inbox.all().length;
      assert.equal(await account.findEmail(whose, text), undefined);
      assert.deepEqual(await account.confirmEmail(whose, text), refusal);
      assert.deepEqual(await stored(), kept);
      assert.equal(email.inbox.all().length, sent);
    };

    describe("an address", () => {
      withAda("is confirmed by its link once, and nobody is logged out", async ({ user: created }) => {
        const session = await user.startSession(created);
        const text = await askToConfirm(created);
        assert.equal(await account.findEmail(created, text), ada);
        assert.equal((await user.find(created.id)).confirmed, false);
        const confirmed = await account.confirmEmail(created, text);
        assert.ok(confirmed.ok);
        assert.deepEqual([confirmed.value.email, confirmed.value.confirmed], [ada, true]);
        assert.equal((await user.findBySession(session))?.confirmed, true);
        await assertRefused(created, text);
        assert.equal(email.inbox.all().length, 1);
      });

      withAda("gets no link when it is confirmed, or its user is inactive or gone", async ({ user: created }) => {
        await user.confirm(created);
        await account.sendConfirmationLink(created);
        const bob = await user.createUser({ email: "bob@example.com" });
        await user.deactivate(bob);
        await account.sendConfirmationLink(bob);
        await account.sendConfirmationLink({ id: "0b6b9c3e-3f4d-4a53-9a53-0c8c3a6f0f01" });
        await account.sendConfirmationLink({ id: "nobody" });
        assert.deepEqual(email.inbox.all(), []);
      });

      withAda("is confirmed although its user has changed otherwise", async ({ user: created, clock }) => {
        const text = await askToConfirm(created);
        await clock.advance(1000);
        await user.update(created, { name: "Lovelace" });
        assert.ok((await account.confirmEmail(created, text)).ok);
      });

      withAda("is not confirmed by the link to another that the user had before", async ({ user: created }) => {
        const text = await askToConfirm(created);
        assert.ok((await user.update(created, { email: countess })).ok);
        await assertRefused(created, text);
      });

      withAda("is not confirmed by a link of somebody else, who keeps it", async ({ user: created }) => {
        const eve = await user.createUser({ email: "eve@example.com", password });
        const text = await askToConfirm(created);
        await assertRefused(eve, text);
        assert.ok((await account.confirmEmail(created, text)).ok);
        assert.equal((await user.find(eve.id)).confirmed, false);
      });
    });

    describe("a link", () => {
      withAda("is valid for a day", async ({ user: created, clock }) => {
        const text = await askToConfirm(created);
        assert.match(mailsTo(ada)[0] ?? "", /within 24 hours/);
        await clock.advance(Time.days(1) - 1000);
        assert.equal(await account.findEmail(created, text), ada);
        await clock.advance(1000);
        await assertRefused(created, text);
      });

      withAda("ends with a newer one, of either kind", async ({ user: created }) => {
        const first = await askToConfirm(created);
        const second = await askToConfirm(created);
        await assertRefused(created, first);
        const third = await askForChange(created);
        await assertRefused(created, second);
        const fourth = await askForChange(created, "byron@example.com");
        await assertRefused(created, third);
        assert.equal(await account.findEmail(created, fourth), "byron@example.com");
      });

      withAda("of which twenty make use at once is used once", async ({ user: created }) => {
        for (const ask of [askToConfirm, askForChange]) {
          const text = await ask(await user.find(created.id));
          const results = await Promise.all(Array.from({ length: 20 }, () => account.confirmEmail(created, text)));
          assert.deepEqual(
            results.filter(({ ok }) => !ok),
            Array.from({ length: 19 }, () => refusal),
          );
        }
        assert.equal((await user.find(created.id)).email, countess);
        assert.equal(mailsTo(ada).filter((text) => text.includes("has another e-mail address now")).length, 1);
      });

      withAda("opens nothing to who is inactive or gone", async ({ user: created, clock }) => {
        const text = await askToConfirm(created);
        await user.deactivate(created);
        await assertRefused(created, text);
        await clock.advance(1000);
        await user.activate(created);
        const change = await askForChange(created);
        await user.deactivate(created);
        await assertRefused(created, change);
        await user.activate(created);
        const last = await askToConfirm(created);
        await user.delete(created);
        await assertRefused(created, last);
      });

      withAda("is for its purpose alone, and no value of a table is one", async ({ user: created }) => {
        const text = await askToConfirm(created);
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

      withAda("is in the mail alone", async ({ user: created }) => {
        const text = await askForChange(created);
        assert.ok((await account.confirmEmail(created, text)).ok);
        assert.ok(log.messages().length > 0);
        const logged = JSON.stringify(log.entries);
        assert.ok(!logged.includes(text.slice(4, 30)) && !/countess|ada@/i.test(logged));
        assert.ok(!mailsTo(ada).some((mail) => /countess|token=/i.test(mail)), "the address before hears no more");
      });
    });

    describe("another address", () => {
      withAda("takes the place of the one before when its link is followed", async ({ user: created, clock }) => {
        await user.confirm(created);
        const sessions = [await user.startSession(created), await user.startSession(created)];
        const asked = await account.sendEmailChangeLink(created, { email: ` ${countess}\n`, password });
        assert.deepEqual(asked, { ok: true, value: countess });
        assert.deepEqual([mailsTo(countess).length, mailsTo(ada).length], [1, 1]);
        assert.match(mailsTo(ada)[0] ?? "", /asked for another e-mail address/);
        const waiting = await user.find(created.id);
        assert.deepEqual([waiting.email, waiting.confirmed], [ada, true]);

        await clock.advance(1000);
        const text = tokenTo(countess);
        assert.equal(await account.findEmail(created, text), countess);
        const changed = await account.confirmEmail(created, text);
        assert.ok(changed.ok);
        assert.deepEqual(changed.value, await user.find(created.id));
        assert.deepEqual([changed.value.email, changed.value.confirmed], [countess, true]);
        assert.equal((await user.findByEmail("COUNTESS@example.com")).id, created.id);
        for (const session of sessions) assert.equal(await user.findBySession(session), undefined);
        assert.deepEqual(
          [(await user.login(ada, password)).ok, (await user.login(countess, password)).ok],
          [false, true],
        );
        assert.match(mailsTo(ada)[0] ?? "", /has another e-mail address now/);
        assert.deepEqual([mailsTo(countess).length, mailsTo(ada).length], [1, 2]);
        await assertRefused(created, text);
      });

      withAda("is asked for with the password only, and attempts are counted", async ({ user: created }) => {
        await user.createUser({ email: "taken@example.com" });
        const ask = async (address: string, typed: string): Promise<User.UserErrors> => {
          const asked = await account.sendEmailChangeLink(created, { email: address, password: typed });
          assert.ok(!asked.ok);
          return asked.error;
        };
        const { emailInvalid, emailSame, emailTaken, oldPasswordWrong } = User.englishMessages;
        assert.deepEqual(await ask("ADA@example.com", password), { email: emailSame });
        assert.deepEqual(await ask("countess", password), { email: emailInvalid });
        assert.deepEqual(await ask("Taken@example.com", password), { email: emailTaken });
        assert.deepEqual(await ask("", "wrong"), { email: emailInvalid, password: oldPasswordWrong });
        // Who does not know the password learns of no account.
        for (let at = 0; at < 4; at++)
          assert.deepEqual(await ask("taken@example.com", "wrong"), { password: oldPasswordWrong });
        assert.deepEqual(await ask(countess, password), { password: User.englishMessages.loginMustWait(1) });
        assert.equal((await user.login(ada, password)).ok, false);
        assert.deepEqual(email.inbox.all(), []);
      });

      withAda("is refused when somebody else has it by now, and can be had once that is over", async (given) => {
        const text = await askForChange(given.user);
        const eve = await user.createUser({ email: countess.toLowerCase() });
        const refused = await account.confirmEmail(given.user, text);
        assert.deepEqual(refused, error({ email: User.englishMessages.emailTaken }));
        assert.equal((await user.find(given.user.id)).email, ada);
        assert.equal(mailsTo(ada).length, 1);
        await user.delete(eve);
        assert.ok((await account.confirmEmail(given.user, text)).ok);
      });

      withAda("of two users who prove it at once is one's", async ({ user: created }) => {
        const bob = await user.createUser({ email: "bob@example.com", password });
        const [his, hers] = [await askForChange(bob), await askForChange(created)];
        const results = await Promise.all([account.confirmEmail(bob, his), account.confirmEmail(created, hers)]);
        assert.equal(results.filter(({ ok }) => ok).length, 1);
        assert.deepEqual(
          results.find(({ ok }) => !ok),
          error({ email: User.englishMessages.emailTaken }),
        );
      });

      withAda("is not had any more after another password, or any change of the user", async (given) => {
        const changes: ((whose: User.User) => Promise<unknown>)[] = [
          (whose) => user.setPassword(whose, { password, confirmation: password }),
          (whose) => user.updatePassword(whose, { old: password, password, confirmation: password }),
          (whose) => user.update(whose, { email: "third@example.com" }),
          (whose) => user.update(whose, { name: "Byron" }),
        ];
        for (const change of changes) {
          const text = await askForChange(await user.find(given.user.id));
          await given.clock.advance(1000);
          await change(given.user);
          await assertRefused(given.user, text);
        }
      });

      withAda("is not had any more after another one, even of the same moment", async ({ user: created }) => {
        const text = await askForChange(created);
        assert.ok((await user.update(created, { email: "third@example.com" })).ok);
        await assertRefused(await user.find(created.id), text);
        await database.exec(sql`update user_users set updated_at = ${created.updated_at}`);
        await assertRefused(created, text);
      });

      withAda("is not asked for with a password that is replaced at this moment", async ({ user: created, clock }) => {
        const late = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            checkEmailChange: async (...asked) => {
              const checked = await user.checkEmailChange(...asked);
              await clock.advance(1000);
              await user.setPassword(created, { password: "another sentence 22", confirmation: "another sentence 22" });
              return checked;
            },
          },
        });
        assert.ok((await late.sendEmailChangeLink(created, { email: countess, password })).ok);
        await assertRefused(created, tokenTo(countess));
      });

      withAda("is not set when the user changes at this moment", async ({ user: created, clock }) => {
        const late = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            setEmail: async (whose, ...rest) => {
              await clock.advance(1000);
              await user.update(whose, { name: "Lovelace" });
              return user.setEmail(whose, ...rest);
            },
          },
        });
        const text = await askForChange(created);
        const refused = await late.confirmEmail(created, text);
        assert.deepEqual(refused, error({ user: User.englishMessages.changedMeanwhile }));
        const kept = await user.find(created.id);
        assert.deepEqual([kept.email, kept.name], [ada, undefined], "all of it was undone");
      });

      withAda("ends the links to set a password that went to the one before", async ({ user: created, clock }) => {
        const text = await askForChange(created);
        const reset = (await passwordReset.createResetToken(ada)) ?? assert.fail("no token");
        await clock.advance(1000);
        assert.ok((await account.confirmEmail(created, text)).ok);
        assert.equal(await passwordReset.findUser(reset), undefined);
        assert.ok(!(await passwordReset.resetPassword(reset, "another sentence 22", "another sentence 22")).ok);
        assert.equal(await passwordReset.createResetToken(ada), undefined);
        assert.ok((await user.login(countess, password)).ok);
      });

      withAda("does not keep its mail to itself: what cannot be told is not done", async ({ user: created }) => {
        const failure = new Error("no mail today");
        const mute = Account.service({
          database,
          token,
          user,
          email: { ...email, send: () => Promise.reject(failure) },
        });
        const text = await askForChange(created);
        await assert.rejects(mute.confirmEmail(created, text), failure);
        assert.equal((await user.find(created.id)).email, ada);
        assert.ok((await account.confirmEmail(created, text)).ok);
      });
    });

    describe("an account", () => {
      withAda("is deleted with its sessions and tokens, by who knows the password", async ({ user: created }) => {
        const bob = await user.createUser({ email: "bob@example.com", password });
        const [hers, his] = await Promise.all([created, bob].map((whose) => user.startSession(whose)));
        const api = { purpose: "api" };
        const mine = await token.create({ email: ada }, { ...api, owner: created.id });
        const other = await token.create({}, { ...api, owner: bob.id });
        const wrong = await account.deleteAccount(created, "wrong");
        assert.deepEqual(wrong, error({ password: User.englishMessages.oldPasswordWrong }));
        assert.ok((await user.findOpt(created.id)) && (await token.isValid(mine, api)));
        assert.deepEqual(await account.deleteAccount(created, password), { ok: true, value: undefined });
        assert.equal(await user.findOpt(created.id), undefined);
        assert.equal(await token.read(mine, api), undefined);
        if (token.implementation === "sql")
          assert.deepEqual(await database.collect(sql`select * from tokens where owner = ${created.id}`), []);
        assert.equal(await user.findBySession(hers ?? ""), undefined);
        assert.equal((await user.findBySession(his ?? ""))?.id, bob.id);
        assert.ok(await token.isValid(other, api));
        await assert.rejects(account.deleteAccount(created, password), { code: "E_USER_NOT_FOUND" });
        assert.ok((await user.registerUser({ email: ada, password, confirmation: password })).ok);
      });

      withAda("is not deleted while other data depends on it, nor are its tokens", async ({ user: created }) => {
        await database.exec(
          sql`insert into account_invoices (id, user_id) values (${"0b6b9c3e-3f4d-4a53-9a53-0c8c3a6f0f01"}, ${created.id})`,
        );
        const session = await user.startSession(created);
        const api = await token.create({}, { purpose: "api", owner: created.id });
        assert.deepEqual(await account.deleteAccount(created, password), error({ user: stillNeeded }));
        assert.equal((await user.findBySession(session))?.id, created.id);
        assert.ok(await token.isValid(api, { purpose: "api" }));
        await database.exec(sql`delete from account_invoices`);
        assert.ok((await account.deleteAccount(created, password)).ok);
      });

      test("is gone whatever its owner does at the same moment", async () => {
        await Cleaner.cleanAll();
        for (let round = 0; round < 10; round++) {
          const bob = await user.createUser({ email: `bob${round}@example.com`, password });
          const text = await askForChange(bob, `robert${round}@example.com`);
          // Without the time that it takes to check a password.
          const quick = Account.service({
            database,
            token,
            email,
            user: { ...user, checkPassword: async () => ({ ok: true, value: bob }) },
          });
          const [deleted, ...others] = await Promise.allSettled([
            quick.deleteAccount(bob, password),
            account.confirmEmail(bob, text),
            account.confirmEmail(bob, text),
          ]);
          assert.deepEqual(deleted, { status: "fulfilled", value: { ok: true, value: undefined } });
          for (const { status } of others) assert.equal(status, "fulfilled");
          assert.equal(await user.findOpt(bob.id), undefined);
        }
      });

      withAda("whose deletion fails half-way is all there", async ({ user: created }) => {
        const failure = new Error("the database burns");
        const failing = Account.service({
          database,
          token,
          email,
          user: {
            ...user,
            delete: async (...given) => {
              await user.delete(...given);
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

test("the settings are judged before anything starts", async () => {
  const database = sqlite({ url: ":memory:" });
  const account = Account.service({
    database,
    token: Token.sql({ database }),
    user: User.service({ database }),
    email: Email.memory(),
  });
  const check = async (key: string, value: string): Promise<string> => {
    Configuration.store([[key, value]]);
    const { stdout, stderr } = await run(App.create({ services: [account] }), "config", "--check");
    return stdout + stderr;
  };
  try {
    Configuration.store(settings);
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
    Configuration.reset();
  }
});
