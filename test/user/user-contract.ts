import assert from "node:assert/strict";
import crypto from "node:crypto";
import { inspect } from "node:util";
import { after, before, beforeEach, describe, test } from "node:test";
import { App, Cleaner, Configuration, isError, Log, Migration, Random, Time, User } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { capturedLog, configuration, fakeClock, seededRandom } from "limmat/testing";
import { errors } from "../../src/password/errors.ts";

/** Configuration with the minimum cost of a hash, for fast tests. */
export const cheap: Readonly<Record<string, string>> = { PASSWORD_MEMORY: "8", PASSWORD_PASSES: "1" };

const good = "a fine long password";
const better = "an even finer password";
const refused = User.englishMessages.loginFailed;
const isCode = (code: string) => (error: unknown) => isError(error, code);

/** Contract of the user service, run on every database. */
export function userContract(name: string, makeDatabase: () => Database): void {
  describe(`users in ${name}`, () => {
    const database = makeDatabase();
    const users = User.service({ database });
    const migration = Migration.service({ database, onPending: "run" });
    const app = App.create({ services: [users, migration] });

    before(async () => {
      Configuration.store(Object.entries(cheap));
      await app.start();
    });
    after(async () => {
      await app.stop();
      Configuration.reset();
      Log.reset();
    });
    beforeEach(async () => {
      Log.configure({ reporters: [] });
      // Restores the values that a test changed.
      Configuration.store(Object.entries(cheap));
      await Cleaner.cleanAll();
    });

    const register = async (email: string, password = good): Promise<User.User> => {
      const registered = await users.registerUser({ email, password, confirmation: password });
      assert.ok(registered.ok, JSON.stringify(registered));
      return registered.value;
    };

    test("are found by id and by address", async () => {
      const heidi = await register("Heidi@Example.com");
      assert.match(heidi.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(await users.find(heidi.id), heidi);
      assert.deepEqual(await users.findOpt(heidi.id.toUpperCase()), heidi);
      assert.deepEqual(await users.findByEmail(" hEIDI@exAMPLE.com\n"), heidi);
      for (const id of ["", "1", "x".repeat(1000), "\0", "b3d6d4a5-7f5b-4a53-9a39-1d9e1b3a1f00"]) {
        assert.equal(await users.findOpt(id), undefined);
        await assert.rejects(users.find(id), isCode("E_USER_NOT_FOUND"));
      }
      for (const email of [
        "",
        "heidi",
        "%@example.com",
        "heid_@example.com",
        "heidi@example.com\0",
        "héidi@example.com",
      ]) {
        assert.equal(await users.findByEmailOpt(email), undefined);
        await assert.rejects(users.findByEmail(email), isCode("E_USER_NOT_FOUND"));
      }
    });

    test("are created with the given values and defaults", async () => {
      using clock = fakeClock(new Date("2030-05-01T12:00:00.123Z"));
      const plain = await users.createUser({ email: "plain@example.com" });
      assert.deepEqual(plain, {
        id: plain.id,
        email: "plain@example.com",
        username: undefined,
        name: undefined,
        given_name: undefined,
        status: "active",
        admin: false,
        confirmed: false,
        created_at: new Date(clock.now()),
        updated_at: new Date(clock.now()),
      });
      const admin = await users.createAdmin({ email: "a@b", username: "a", name: "Müller 🔑", given_name: "" });
      assert.deepEqual(
        [admin.admin, admin.confirmed, admin.username, admin.name, admin.given_name],
        [true, true, "a", "Müller 🔑", ""],
      );
    });

    test("with addresses that only a collation treats as equal are distinct", async () => {
      const addresses = [
        "mike@example.com",
        "mike@examplе.com",
        "mike@éxample.com",
        "mike@ßexample.com",
        "mike@ssexample.com",
      ];
      const created: User.User[] = [];
      for (const email of addresses) created.push(await register(email));
      for (const [index, email] of addresses.entries())
        assert.equal((await users.findByEmail(email)).id, created[index]?.id);
      for (const email of ["MİKE@example.com", "mıke@example.com", "mîke@example.com", "ｍike@example.com"]) {
        assert.equal(await users.findByEmailOpt(email), undefined);
        const registered = await users.registerUser({ email, password: good, confirmation: good });
        assert.deepEqual(registered, { ok: false, error: { email: User.englishMessages.emailInvalid } });
      }
      assert.equal((await users.findByEmail("MIKE@EXAMPLE.COM")).id, created[0]?.id);
      assert.deepEqual(await users.login("MıKE@example.com", better), { ok: false, error: refused });
    });

    test("have one account per mailbox, for every notation of its domain", async () => {
      const ada = await register("Ada@Bücher.example");
      assert.equal(ada.email, "Ada@Bücher.example");
      for (const email of ["ada@bücher.example", "ADA@xn--bcher-kva.example", "ada@b\u00fccher\u3002example"]) {
        assert.equal((await users.findByEmail(email)).id, ada.id);
        assert.ok((await users.login(email, good)).ok);
        const duplicate = await users.registerUser({ email, password: good, confirmation: good });
        assert.deepEqual(duplicate, { ok: false, error: { email: User.englishMessages.emailTaken } });
      }
      const updated = await users.update(ada, { email: "ada@xn--bcher-kva.example" });
      assert.ok(updated.ok);
      assert.equal(updated.value.email, "ada@xn--bcher-kva.example");
    });

    test("have valid e-mail addresses", async () => {
      for (const email of [
        "a@[::1]",
        "a..b@example.com",
        "a b@example.com",
        "ä@example.com",
        "a@example..com",
        "a@1.2",
      ]) {
        const registered = await users.registerUser({ email, password: good, confirmation: good });
        assert.deepEqual(registered, { ok: false, error: { email: User.englishMessages.emailInvalid } }, email);
        await assert.rejects(users.createUser({ email, password: good }), isCode("E_USER_EMAIL_INVALID"));
      }
    });

    test("never show their password hash", async () => {
      const entries: unknown[] = [];
      Log.configure({ level: "debug", reporters: [{ report: (entry) => void entries.push(entry) }] });
      const heidi = await register("heidi@example.com");
      await users.login("heidi@example.com", good);
      await users.login("heidi@example.com", "wrong");
      const [listed] = await users.search();
      const shown = [heidi, listed, await users.find(heidi.id), entries, users].map(
        (value) => inspect(value, { depth: 10, showHidden: true }) + JSON.stringify(value),
      );
      const password = await database.find(sql.value(Row.text)`select password from user_users`);
      assert.match(password, /^\$argon2id\$/);
      Log.configure({ reporters: [] });
      for (const text of shown) {
        assert.ok(!text.includes("argon2id$"));
        assert.ok(!text.includes(good));
      }
    });

    test("are refused by createUser if a field is invalid", async () => {
      const create = (user: User.NewUser): Promise<User.User> => users.createUser(user);
      for (const email of [
        "",
        "a",
        "@",
        "a@",
        "@b",
        "a b@c",
        "a@b@c",
        "a\0@b",
        "a\u0085@b",
        `${"a".repeat(253)}@b`,
        "a\ud800@b",
      ]) {
        await assert.rejects(create({ email }), isCode("E_USER_EMAIL_INVALID"), JSON.stringify(email));
      }
      await create({ email: "Taken@example.com" });
      await assert.rejects(create({ email: "taken@EXAMPLE.com" }), isCode("E_USER_EMAIL_TAKEN"));
      await assert.rejects(users.createAdmin({ email: "taken@example.com" }), isCode("E_USER_EMAIL_TAKEN"));
      await assert.rejects(create({ email: "b@c", name: "x".repeat(256) }), isCode("E_USER_FIELD"));
      await assert.rejects(create({ email: "b@c", username: "\0" }), isCode("E_USER_FIELD"));
      await assert.rejects(create({ email: "b@c", password: "" }), isCode("E_PASSWORD_INVALID"));
      assert.equal((await users.search())[1], 1);
      await create({ email: "b@c", name: "🔑".repeat(255), password: "weak" });
    });

    test("who register get a message for each invalid field", async () => {
      await register("taken@example.com");
      const invalidFields = async (registration: Partial<User.Registration>): Promise<string> => {
        const result = await users.registerUser({
          email: "new@example.com",
          password: good,
          confirmation: good,
          ...registration,
        });
        assert.ok(!result.ok);
        return Object.keys(result.error).sort().join(" ");
      };
      assert.equal(await invalidFields({ email: "new" }), "email");
      assert.equal(await invalidFields({ email: "TAKEN@example.com" }), "email");
      assert.equal(await invalidFields({ password: "short", confirmation: "short" }), "password");
      assert.equal(await invalidFields({ confirmation: `${good} ` }), "confirmation");
      assert.equal(await invalidFields({ username: "x".repeat(256) }), "username");
      assert.equal(
        await invalidFields({ email: "", password: "password", confirmation: "" }),
        "confirmation email password",
      );
      assert.equal(await invalidFields({ password: "x".repeat(5000), confirmation: "x".repeat(5000) }), "password");
      assert.equal(await invalidFields({ password: "new@example.com", confirmation: "new@example.com" }), "password");
      assert.equal((await users.search())[1], 1);
    });

    test("who register one address concurrently: one succeeds, the others get a message", async () => {
      const results = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          users.registerUser({
            email: index % 2 === 0 ? "RACE@example.com" : "race@example.com",
            password: good,
            confirmation: good,
          }),
        ),
      );
      assert.equal(results.filter(({ ok }) => ok).length, 1);
      for (const result of results) {
        if (!result.ok) assert.deepEqual(result.error, { email: User.englishMessages.emailTaken });
      }
      assert.equal((await users.search())[1], 1);
    });

    test("who are refused do not abort the surrounding transaction", async () => {
      const first = await register("first@example.com");
      const second = await register("second@example.com");
      await database.transaction(async () => {
        await assert.rejects(users.createUser({ email: "first@example.com" }), isCode("E_USER_EMAIL_TAKEN"));
        const changed = await users.update(second, { email: "FIRST@example.com" });
        assert.deepEqual(changed, { ok: false, error: { email: User.englishMessages.emailTaken } });
        await users.update(first, { name: "Done" });
      });
      assert.equal((await users.find(first.id)).name, "Done");
      await assert.rejects(
        database.transaction(async () => {
          await users.createUser({ email: "third@example.com" });
          throw new Error("undone");
        }),
      );
      assert.equal(await users.findByEmailOpt("third@example.com"), undefined);
    });

    test("who register are no admins, and get the messages of all fields together", async () => {
      const registration = {
        email: "heidi@example.com",
        password: good,
        confirmation: good,
        admin: true,
        confirmed: true,
      };
      const heidi = await users.registerUser(registration);
      assert.ok(heidi.ok && !heidi.value.admin && !heidi.value.confirmed);
      const wrong = await users.registerUser({
        email: "HEIDI@example.com",
        password: "short",
        confirmation: "other",
        name: "x".repeat(256),
      });
      assert.ok(!wrong.ok);
      assert.deepEqual(Object.keys(wrong.error).sort(), ["confirmation", "email", "name", "password"]);
      assert.equal(wrong.error["email"], User.englishMessages.emailTaken);
    });

    test("have names of at most 255 characters of any kind", async () => {
      for (const long of ["x".repeat(255), "🔑".repeat(255)]) {
        const user = await users.createUser({ email: `${long.length}@example.com`, name: long });
        assert.equal(user.name, long);
        await assert.rejects(
          users.createUser({ email: "other@example.com", name: `${long}x` }),
          isCode("E_USER_FIELD"),
        );
      }
    });

    test("cause a throw if the database fails", async (t) => {
      const heidi = await register("heidi@example.com");
      const failure = new Error("no connection");
      t.mock.method(database, "exec", () => Promise.reject(failure));
      await assert.rejects(users.createUser({ email: "other@example.com" }), failure);
      const registration = { email: "other@example.com", password: good, confirmation: good };
      await assert.rejects(users.registerUser(registration), failure);
      await assert.rejects(users.update(heidi, { email: "h@example.com" }), failure);
    });

    test("are searched by address, user name and status, page by page", async () => {
      using clock = fakeClock();
      for (const number of [1, 2, 3, 4, 5]) {
        await users.createUser({
          email: `u${number}@example.com`,
          username: number > 3 ? "Gang_50%" : "",
          name: "Hidden",
        });
        await clock.advance(1000);
      }
      const search = async (parameters?: Parameters<typeof users.search>[0]): Promise<string> => {
        const [items, total] = await users.search(parameters);
        return `${items.map(({ email }) => email.slice(0, 2)).join(" ")} of ${total}`;
      };
      assert.equal(await search(), "u5 u4 u3 u2 u1 of 5");
      assert.equal(await search({ sort: "asc", limit: 2, offset: 1 }), "u2 u3 of 5");
      assert.equal(await search({ sortBy: "email", sort: "asc", filter: "gang_" }), "u4 u5 of 2");
      assert.equal(await search({ filter: "U3@EX" }), "u3 of 1");
      assert.equal(await search({ filter: "active", limit: 1 }), "u5 of 5");
      assert.equal(await search({ filter: "hidden" }), " of 0");
      assert.equal(await search({ filter: "argon" }), " of 0");
      assert.equal(await search({ offset: 10 }), " of 5");
      await assert.rejects(users.search({ sortBy: "password" }), isCode("E_SEARCH"));
      const [, , { next }] = await users.search({ limit: 2 });
      assert.equal(await search({ limit: 2, after: next }), "u3 u2 of 5");
    });

    test("are updated field by field", async () => {
      using clock = fakeClock();
      const heidi = await users.createAdmin({ email: "heidi@example.com", username: "heidi", name: "Berg" });
      await clock.advance(1000);
      const unchanged = await users.update(heidi, { name: undefined });
      assert.deepEqual(unchanged, { ok: true, value: heidi });
      const changed = await users.update(heidi, { username: null, given_name: "Heidi", email: "Heidi@example.com" });
      assert.deepEqual(changed, {
        ok: true,
        value: {
          ...heidi,
          username: undefined,
          given_name: "Heidi",
          email: "Heidi@example.com",
          updated_at: new Date(clock.now()),
        },
      });
      const moved = await users.update(heidi, { email: "h@example.com" });
      assert.ok(moved.ok && !moved.value.confirmed, "a new address is not confirmed");
      const confirmed = await users.confirm(heidi);
      assert.equal(confirmed.confirmed, true);
      await clock.advance(1000);
      assert.deepEqual(await users.confirm(heidi), confirmed, "a second call changes nothing");
      assert.equal((await users.setAdmin(heidi, false)).admin, false);
      assert.equal((await users.setAdmin(heidi, true)).admin, true);
      await register("other@example.com");
      for (const [changes, field] of [
        [{ email: "OTHER@example.com" }, "email"],
        [{ email: "none" }, "email"],
        [{ name: "x".repeat(256) }, "name"],
      ] as const) {
        const result = await users.update(heidi, changes);
        assert.deepEqual(!result.ok && Object.keys(result.error), [field]);
      }
      assert.equal((await users.find(heidi.id)).email, "h@example.com");
    });

    test("confirm their password again, with the same limit as at login", async () => {
      const heidi = await register("heidi@example.com");
      const other = await register("other@example.com", better);
      const { oldPasswordWrong, loginThrottled } = User.englishMessages;
      assert.deepEqual(await users.checkPassword(heidi, good), { ok: true, value: heidi });
      assert.deepEqual(await users.checkPassword(other, good), { ok: false, error: oldPasswordWrong });
      const nobody = { id: "b3d6d4a5-7f5b-4a53-9a39-1d9e1b3a1f00" };
      await assert.rejects(users.checkPassword(nobody, good), isCode("E_USER_NOT_FOUND"));
      for (let attempt = 0; attempt < 5; attempt++)
        assert.deepEqual(await users.checkPassword(heidi, "wrong"), { ok: false, error: oldPasswordWrong });
      assert.deepEqual(await users.checkPassword(heidi, good), { ok: false, error: loginThrottled(1) });
      assert.equal((await users.login("heidi@example.com", good)).ok, false);
      await users.deactivate(other);
      assert.deepEqual(await users.checkPassword(other, better), { ok: false, error: oldPasswordWrong });
    });

    test("are not confused with the current owner of their former address", async (t) => {
      const heidi = await register("heidi@example.com");
      const clara = await register("clara@example.com", better);
      const mocked = t.mock.method(database, "findOpt", async (...args: Parameters<Database["findOpt"]>) => {
        mocked.mock.restore();
        const row = await database.findOpt(...args);
        assert.ok((await users.update(heidi, { email: "peter@example.com" })).ok);
        assert.ok((await users.update(clara, { email: "heidi@example.com" })).ok);
        return row;
      });
      assert.equal((await users.checkPassword(heidi, better)).ok, false);
      assert.equal(mocked.mock.callCount(), 1);
    });

    test("check a new address, with the password only", async () => {
      const heidi = await register("heidi@example.com");
      await register("taken@example.com");
      const { emailInvalid, emailUnchanged, emailTaken, oldPasswordWrong } = User.englishMessages;
      const check = (email: string, password = good): ReturnType<typeof users.checkEmailChange> =>
        users.checkEmailChange(heidi, { email, password });
      assert.deepEqual(await check(" Clara@example.com "), {
        ok: true,
        value: { user: heidi, email: "Clara@example.com" },
      });
      assert.deepEqual(await check("HEIDI@example.com"), { ok: false, error: { email: emailUnchanged } });
      assert.deepEqual(await check("TAKEN@example.com"), { ok: false, error: { email: emailTaken } });
      assert.deepEqual(await check("x", "wrong"), {
        ok: false,
        error: { email: emailInvalid, password: oldPasswordWrong },
      });
      assert.deepEqual(await check("taken@example.com", "wrong"), { ok: false, error: { password: oldPasswordWrong } });
      assert.deepEqual(await users.find(heidi.id), heidi);
    });

    test("get a verified address, unless they have changed since", async () => {
      using clock = fakeClock();
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      const { emailInvalid, emailTaken, userChanged } = User.englishMessages;
      await clock.advance(1000);

      const confirmed = await users.setEmail(heidi, "Heidi@example.com");
      const updated_at = new Date(clock.now());
      assert.deepEqual(confirmed, {
        ok: true,
        value: { ...heidi, email: "Heidi@example.com", confirmed: true, updated_at },
      });
      assert.equal((await users.findBySessionOpt(session))?.id, heidi.id, "the same address ends no session");
      const changed = { ok: false, error: { user: userChanged } };
      assert.deepEqual(await users.setEmail(heidi, "clara@example.com"), changed);
      assert.ok(confirmed.ok);
      assert.deepEqual(await users.setEmail({ ...confirmed.value, email: "x@y" }, "clara@example.com"), changed);

      const moved = await users.setEmail(confirmed.value, " clara@example.com");
      assert.ok(moved.ok);
      assert.deepEqual([moved.value.email, moved.value.confirmed], ["clara@example.com", true]);
      assert.equal(await users.findBySessionOpt(session), undefined);
      assert.equal(await users.findByEmailOpt("heidi@example.com"), undefined);

      await register("taken@example.com");
      assert.deepEqual(await users.setEmail(moved.value, "none"), { ok: false, error: { email: emailInvalid } });
      await database.transaction(async () => {
        const taken = await users.setEmail(moved.value, "TAKEN@example.com");
        assert.deepEqual(taken, { ok: false, error: { email: emailTaken } });
        await users.setAdmin(moved.value, true);
      });
      const admin = await users.find(heidi.id);
      assert.deepEqual([admin.admin, admin.email], [true, "clara@example.com"]);
      const inactive = await users.deactivate(admin);
      assert.deepEqual(await users.setEmail(inactive, "peter@example.com"), changed);
      await users.delete(inactive);
      assert.deepEqual(await users.setEmail(inactive, "peter@example.com"), changed);
    });

    test("who are deleted are not found, and deleting them again does nothing", async () => {
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      await users.delete(heidi);
      await users.delete(heidi);
      assert.equal(await users.findBySessionOpt(session), undefined);
      const operations: (() => Promise<unknown>)[] = [
        () => users.find(heidi.id),
        () => users.update(heidi, { name: "x" }),
        () => users.confirm(heidi),
        () => users.setAdmin(heidi, true),
        () => users.activate(heidi),
        () => users.deactivate(heidi),
        () => users.setPassword(heidi, { password: good, confirmation: good }),
        () => users.updatePassword(heidi, { old: good, password: good, confirmation: good }),
        () => users.startSession(heidi),
      ];
      for (const operation of operations) await assert.rejects(operation, isCode("E_USER_NOT_FOUND"));
      await users.endSessions(heidi);
      await register("heidi@example.com");
    });

    test("log in with address and password", async () => {
      const heidi = await register("heidi@example.com");
      assert.deepEqual(await users.login(" HEIDI@example.com ", good), { ok: true, value: heidi });
      for (const email of ["", "heidi", "heidi@", "heidi@example.com\0", "x".repeat(1_000_000)]) {
        assert.deepEqual(await users.login(email, good), { ok: false, error: refused });
      }
      for (const password of ["", "wrong", `${good} `, good.toUpperCase(), "x".repeat(1_000_000)]) {
        assert.deepEqual(await users.login("heidi@example.com", password), { ok: false, error: refused });
      }
    });

    test("who fail to log in get one message after the same work, for every reason", async (t) => {
      await register("known@example.com");
      await users.deactivate(await register("inactive@example.com"));
      await users.createUser({ email: "none@example.com" });
      const argon2 = t.mock.method(crypto, "argon2");
      const exec = t.mock.method(database, "exec");
      const findOpt = t.mock.method(database, "findOpt");
      const measure = async (email: string, password: string): Promise<unknown> => {
        const counters = [argon2, exec, findOpt];
        for (const counter of counters) counter.mock.resetCalls();
        const result = await users.login(email, password);
        const costs = argon2.mock.calls.map(({ arguments: [, { memory, passes }] }) => [memory, passes]);
        return [result, costs, ...counters.map((counter) => counter.mock.callCount())];
      };
      // A seed for which no call deletes expired failures.
      using _ = seededRandom("no cleaning");
      const reasons: unknown[] = [];
      Log.configure({ level: "info", reporters: [{ report: ({ fields }) => void reasons.push(fields["reason"]) }] });
      const expected = [{ ok: false, error: refused }, [[8, 1]], 1, 1, 2];
      assert.deepEqual(await measure("known@example.com", "wrong"), expected);
      assert.deepEqual(await measure("unknown@example.com", "wrong"), expected);
      assert.deepEqual(await measure("inactive@example.com", good), expected);
      assert.deepEqual(await measure("inactive@example.com", "wrong"), expected);
      assert.deepEqual(await measure("none@example.com", "wrong"), expected);
      assert.deepEqual(reasons, ["wrong password", "unknown address", "inactive", "wrong password", "wrong password"]);
      Log.configure({ reporters: [] });
    });

    test("who log in at the first attempt cost one hash and no write, and are logged", async (t) => {
      const heidi = await register("heidi@example.com");
      const argon2 = t.mock.method(crypto, "argon2");
      const exec = t.mock.method(database, "exec");
      const logged: unknown[] = [];
      Log.configure({
        level: "info",
        reporters: [{ report: ({ message, fields }) => void logged.push([message, fields]) }],
      });
      assert.ok((await users.login("heidi@example.com", good)).ok);
      assert.deepEqual([argon2.mock.callCount(), exec.mock.callCount()], [1, 0]);
      assert.deepEqual(logged, [["A user logged in", { user: heidi.id }]]);
      Log.configure({ reporters: [] });
    });

    // Hashes are computed for the verification, for the rehash if one is due, and for the new password.
    for (const [change, memory, during, isBusy] of [
      ["log in", "8", 1, false],
      ["change it", "8", 2, false],
      ["change it during the rehash", "16", 2, false],
      ["change it after the rehash", "16", 3, false],
      ["change it after a rehash that was too busy", "16", 3, true],
    ] as const) {
      test(`with a password that is replaced concurrently do not ${change}`, async (t) => {
        const heidi = await register("heidi@example.com");
        using _ = configuration({ PASSWORD_MEMORY: memory });
        const { argon2 } = crypto;
        const replacePassword = async (...args: Parameters<typeof argon2>): Promise<void> => {
          mocked.mock.restore();
          assert.ok((await users.setPassword(heidi, { password: better, confirmation: better })).ok);
          argon2(...args);
        };
        let calls = 0;
        const mocked = t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
          calls += 1;
          if (calls === 2 && isBusy) throw errors.E_PASSWORD_BUSY(1);
          if (calls === during) void replacePassword(...args);
          else argon2(...args);
        });
        const third = "a third long password";
        const result =
          change === "log in"
            ? await users.login("heidi@example.com", good)
            : await users.updatePassword(heidi, { old: good, password: third, confirmation: third });
        const oldPasswordWrong = { old: User.englishMessages.oldPasswordWrong };
        assert.deepEqual(result, { ok: false, error: change === "log in" ? refused : oldPasswordWrong });
        assert.ok((await users.login("heidi@example.com", better)).ok);
      });
    }

    test("log in although a concurrent login rehashed their password", async (t) => {
      const heidi = await register("heidi@example.com");
      using _ = configuration({ PASSWORD_MEMORY: "16" });
      const { argon2 } = crypto;
      const mocked = t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
        mocked.mock.restore();
        void users.login("heidi@example.com", good).then(() => argon2(...args));
      });
      assert.deepEqual(await users.login("heidi@example.com", good), { ok: true, value: heidi });
    });

    test("who are deleted during the login are refused", async (t) => {
      const heidi = await register("heidi@example.com");
      const logged: unknown[] = [];
      Log.configure({ level: "info", reporters: [{ report: ({ fields }) => void logged.push(fields) }] });
      const { argon2 } = crypto;
      t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
        void users.delete(heidi).then(() => argon2(...args));
      });
      assert.deepEqual(await users.login("heidi@example.com", good), { ok: false, error: refused });
      assert.deepEqual(logged, [{ reason: "deleted during the login", user: undefined }]);
      Log.configure({ reporters: [] });
    });

    test("log in if the rehash is refused as too busy, but not if hashing fails", async (t) => {
      const heidi = await register("heidi@example.com");
      const { argon2 } = crypto;
      using _ = configuration({ PASSWORD_MEMORY: "16" });
      for (const [failure, isLoggedIn] of [
        [errors.E_PASSWORD_BUSY(1), true],
        [new Error("out of memory"), false],
      ] as const) {
        let count = 0;
        const mocked = t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
          count += 1;
          if (count > 1) throw failure;
          argon2(...args);
        });
        const login = users.login("heidi@example.com", good);
        if (isLoggedIn) assert.deepEqual(await login, { ok: true, value: heidi });
        else await assert.rejects(login, failure);
        assert.equal(count, 2);
        mocked.mock.restore();
      }
    });

    test("are locked after five failures, known or not, for at most fifteen minutes", async () => {
      using clock = fakeClock();
      await register("known@example.com");
      for (const email of ["known@example.com", "unknown@example.com"]) {
        const attempt = async (password = "wrong"): Promise<string> => {
          const result = await users.login(email.toUpperCase(), password);
          return result.ok ? "logged in" : result.error;
        };
        for (let failure = 1; failure <= 5; failure++) assert.equal(await attempt(), refused);
        for (const minutes of [1, 2, 4, 8, 15, 15, 15]) {
          assert.equal(await attempt(good), User.englishMessages.loginThrottled(minutes));
          await clock.advance(Time.minutes(minutes) - 1);
          assert.equal(await attempt(good), User.englishMessages.loginThrottled(1));
          await clock.advance(1);
          assert.equal(await attempt(), refused);
        }
        await clock.advance(Time.minutes(15));
      }
      assert.ok((await users.login("known@example.com", good)).ok, "the owner can log in");
      for (let failure = 1; failure <= 4; failure++) await users.login("known@example.com", "wrong");
      assert.ok((await users.login("known@example.com", good)).ok, "the count starts again at zero");
    });

    test("are not locked by failures that have a time in the future", async () => {
      using clock = fakeClock();
      await register("known@example.com");
      const now = Time.now();
      clock.set(new Date(now.getTime() + Time.days(365)));
      for (let failure = 1; failure <= 5; failure++) await users.login("known@example.com", "wrong");
      clock.set(now);
      assert.ok((await users.login("known@example.com", good)).ok);
    });

    test("are not locked by failures of more than a day ago", async () => {
      using clock = fakeClock();
      await register("known@example.com");
      for (let failure = 1; failure <= 5; failure++) await users.login("known@example.com", "wrong");
      await clock.advance(Time.days(1) + 1);
      await users.login("known@example.com", "wrong");
      assert.ok((await users.login("known@example.com", good)).ok);
    });

    test("have their old failures deleted from time to time", async () => {
      using clock = fakeClock();
      const accounts = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from user_failures`);
      const failWith = async (email: string, byte: number): Promise<void> => {
        const restore = Random.useSource((size) => Buffer.alloc(size, byte));
        await users.login(email, "wrong");
        restore();
      };
      await failWith("first@example.com", 1);
      await clock.advance(Time.days(1));
      await failWith("second@example.com", 0);
      assert.equal(await accounts(), 2, "after exactly a day, the first failure still counts");
      await clock.advance(1);
      await failWith("third@example.com", 1);
      assert.equal(await accounts(), 3);
      await failWith("third@example.com", 0);
      assert.equal(await accounts(), 2);
    });

    test("have concurrent attempts counted together", async (t) => {
      await register("known@example.com");
      const argon2 = t.mock.method(crypto, "argon2");
      const guesses = Array.from({ length: 40 }, (_, guess) => `guess ${guess}`);
      const results = await Promise.all([...guesses, good].map((guess) => users.login("known@example.com", guess)));
      assert.ok(results.every(({ ok }) => !ok));
      // Two more attempts may have been running when the fifth failed.
      const count = argon2.mock.callCount();
      assert.ok(count >= 5 && count <= 7, `${count} guesses were checked`);
      // Other processes and services share the count.
      const result = await User.service({ database }).login("known@example.com", good);
      assert.equal(result.ok, false);
      assert.equal(argon2.mock.callCount(), count);
    });

    test("are refused with the right password if another process locked the account meanwhile", async (t) => {
      await register("known@example.com");
      const account = crypto.createHash("sha256").update("known@example.com").digest("base64url");
      const { argon2 } = crypto;
      t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
        const failed = sql`insert into user_failures (account, failures, failed_at) values (${account}, 5, ${Time.now()})`;
        void database.exec(failed).then(() => argon2(...args));
      });
      const reasons: unknown[] = [];
      Log.configure({ level: "info", reporters: [{ report: ({ fields }) => void reasons.push(fields["reason"]) }] });
      const result = await users.login("known@example.com", good);
      assert.deepEqual(result, { ok: false, error: User.englishMessages.loginThrottled(1) });
      assert.deepEqual(await users.login("known@example.com", good), result);
      assert.deepEqual(reasons, ["locked", "locked"]);
      Log.configure({ reporters: [] });
    });

    test("with the right password all log in concurrently", async () => {
      await register("known@example.com");
      const results = await Promise.all(Array.from({ length: 30 }, () => users.login("known@example.com", good)));
      assert.ok(results.every(({ ok }) => ok));
    });

    test("get a new hash at login if the configured cost has changed", async () => {
      const heidi = await register("heidi@example.com");
      const hash = (): Promise<string> =>
        database.find(sql.value(Row.text)`select password from user_users where id = ${heidi.id}`);
      const original = await hash();
      await users.login("heidi@example.com", good);
      assert.equal(await hash(), original);
      using _ = configuration({ PASSWORD_MEMORY: "16" });
      assert.equal((await users.login("heidi@example.com", "wrong")).ok, false);
      assert.equal(await hash(), original);
      assert.ok((await users.login("heidi@example.com", good)).ok);
      assert.match(await hash(), /m=16,t=1/);
      assert.ok((await users.login("heidi@example.com", good)).ok);
    });

    test("change a password that is rehashed during the verification", async () => {
      const heidi = await register("heidi@example.com");
      using _ = configuration({ PASSWORD_MEMORY: "16" });
      assert.ok((await users.updatePassword(heidi, { old: good, password: better, confirmation: better })).ok);
      assert.ok((await users.login("heidi@example.com", better)).ok);
    });

    test("get a new password only if it is valid", async () => {
      const heidi = await register("heidi@example.com");
      for (const [password, confirmation, field] of [
        ["short", "short", "password"],
        [better, good, "confirmation"],
      ] as const) {
        const result = await users.setPassword(heidi, { password, confirmation });
        assert.deepEqual(result.ok ? [] : Object.keys(result.error), [field]);
        assert.ok((await users.login("heidi@example.com", good)).ok);
      }
      const set = await users.setPassword(heidi, { password: better, confirmation: better });
      assert.equal(set.ok && set.value.id, heidi.id);
      assert.ok((await users.login("heidi@example.com", better)).ok);
    });

    test("change their password with the current one, which ends their sessions", async () => {
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      const change = (
        old: string,
        password = better,
        confirmation = password,
      ): ReturnType<typeof users.updatePassword> => users.updatePassword(heidi, { old, password, confirmation });
      const keys = async (result: ReturnType<typeof change>): Promise<string> => {
        const outcome = await result;
        return outcome.ok ? "" : Object.keys(outcome.error).sort().join(" ");
      };
      assert.equal(await keys(change("wrong")), "old");
      assert.equal(await keys(change(good, "short")), "password");
      assert.equal(await keys(change("wrong", "short", "other")), "confirmation old password");
      assert.deepEqual(await users.findBySessionOpt(session), heidi);
      assert.ok((await change(good)).ok);
      assert.equal(await users.findBySessionOpt(session), undefined);
      assert.deepEqual(await users.login("heidi@example.com", good), { ok: false, error: refused });
      assert.ok((await users.login("heidi@example.com", better)).ok);
      for (let failure = 1; failure <= 5; failure++) assert.equal(await keys(change("wrong")), "old");
      assert.equal(await keys(change(better)), "old", "guesses count as failed logins");
    });

    test("get a password without the current one, which unlocks the account", async () => {
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      for (let failure = 1; failure <= 6; failure++) await users.login("heidi@example.com", "wrong");
      assert.equal((await users.login("heidi@example.com", good)).ok, false);
      const weak = await users.setPassword(heidi, { password: "password1", confirmation: "password" });
      assert.deepEqual(!weak.ok && Object.keys(weak.error), ["password", "confirmation"]);
      assert.ok((await users.setPassword(heidi, { password: better, confirmation: better })).ok);
      assert.equal(await users.findBySessionOpt(session), undefined);
      assert.ok((await users.login("heidi@example.com", better)).ok);
    });

    test("have sessions that end one by one, all together, by deactivation, and by time", async () => {
      using clock = fakeClock();
      const heidi = await register("heidi@example.com");
      const other = await register("other@example.com");
      const start = (): Promise<string[]> => Promise.all([1, 2, 3].map(() => users.startSession(heidi)));
      const alive = async (sessions: readonly string[]): Promise<string> =>
        (await Promise.all(sessions.map((session) => users.findBySessionOpt(session))))
          .map((user) => (user?.id === heidi.id ? "+" : "-"))
          .join("");
      const sessions = await start();
      const [first = "", second = ""] = sessions;
      const others = await users.startSession(other);
      assert.equal(new Set(sessions).size, 3);
      assert.equal(await alive([...sessions, "", "x", "\0", heidi.id, others, first.toUpperCase()]), "+++-----+");
      await users.endSession(first);
      await users.endSession(first);
      for (const invalid of ["no session", "\0"]) await users.endSession(invalid);
      assert.equal(await alive(sessions), "-++");
      await users.endSessions(heidi);
      assert.equal(await alive(sessions), "---");
      const restarted = await start();
      await users.deactivate(heidi);
      assert.equal(await alive(restarted), "---");
      await users.activate(heidi);
      assert.equal(await alive([...restarted, second]), "----", "ended sessions stay ended");
      const last = await start();
      await clock.advance(Time.days(30) - 1);
      assert.equal(await alive(last), "+++");
      await clock.advance(1);
      assert.equal(await alive(last), "---");
      await users.startSession(heidi);
      const remaining = await database.find(
        sql.value(Row.int)`select count(*) from user_sessions where user_id = ${heidi.id}`,
      );
      assert.equal(remaining, 1, "expired sessions are deleted");
      assert.equal((await users.findBySessionOpt(others))?.id, undefined);
    });

    test("list their sessions, and end one of them or all others", async () => {
      using clock = fakeClock(new Date("2030-05-01T12:00:00.123Z"));
      const [heidi, other] = [await register("heidi@example.com"), await register("other@example.com")];
      const start = new Date(clock.now());
      const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
      const first = await users.startSession(heidi, { userAgent });
      const elsewhere = await users.startSession(other);
      await clock.advance(Time.minutes(1));
      const second = await users.startSession(heidi);
      const secondStart = new Date(clock.now());
      const list = await users.listSessions(heidi, { current: first.toUpperCase() });
      const [secondId = "", firstId = ""] = list.map(({ id }) => id);
      assert.deepEqual(list, [
        { id: secondId, device: undefined, created_at: secondStart, last_seen_at: secondStart, isCurrent: false },
        { id: firstId, device: "Firefox on Windows", created_at: start, last_seen_at: start, isCurrent: true },
      ]);
      assert.equal(new Set([firstId, secondId, first, second]).size, 4, "listed ids are not session ids");
      assert.ok((await users.listSessions(heidi, {})).every(({ isCurrent }) => !isCurrent));
      assert.equal(await users.findBySessionOpt(firstId), undefined);
      await users.endSessionById(other, firstId);
      await users.endSessionById(heidi, first);
      assert.equal((await users.listSessions(heidi)).length, 2);
      await users.endSessionById(heidi, secondId);
      assert.equal(await users.findBySessionOpt(second), undefined);
      assert.deepEqual(await users.findBySessionOpt(first), heidi);
      await users.startSession(heidi);
      await users.endSessions(heidi, { except: first.toUpperCase() });
      assert.deepEqual(
        (await users.listSessions(heidi)).map(({ id }) => id),
        [firstId],
      );
      assert.equal((await users.findBySessionOpt(elsewhere))?.id, other.id);
      await users.endSessions(heidi, { except: "no session\0" });
      assert.deepEqual(await users.listSessions(heidi), []);
    });

    test("stay logged in if the time of the last request cannot be stored", async (t) => {
      using clock = fakeClock();
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      await clock.advance(Time.hours(2));
      t.mock.method(database, "exec", () => Promise.reject(new Error("read-only for now")));
      using log = capturedLog("warning");
      assert.deepEqual(await users.findBySessionOpt(session), heidi);
      assert.deepEqual(log.messages(), ["The time when a session was last seen could not be updated"]);
    });

    test("have their last request stored once for several concurrent requests, and at most hourly", async (t) => {
      using clock = fakeClock();
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      const exec = t.mock.method(database, "exec");
      const countWrites = async (requests: number): Promise<number> => {
        exec.mock.resetCalls();
        await Promise.all(Array.from({ length: requests }, () => users.findBySessionOpt(session)));
        let written = 0;
        for (const { result } of exec.mock.calls) written += (await result) ?? 0;
        return written;
      };
      await clock.advance(Time.hours(1) - 1);
      assert.deepEqual([await countWrites(3), exec.mock.callCount()], [0, 0]);
      await clock.advance(1);
      assert.equal(await countWrites(5), 1);
      assert.deepEqual([await countWrites(1), exec.mock.callCount()], [0, 0]);
    });

    test("have session lifetimes that databases can represent", async () => {
      const heidi = await register("heidi@example.com");
      const session = await users.startSession(heidi);
      for (const [life, isValid] of [
        ["36525d", true],
        ["36526d", false],
        ["9999999d", false],
        ["0s", false],
      ] as const) {
        using _ = configuration({ ...cheap, USER_SESSION_LIFETIME: life });
        if (isValid) assert.deepEqual(await users.findBySessionOpt(session), heidi);
        else await assert.rejects(users.findBySessionOpt(session), /USER_SESSION_LIFETIME/);
      }
    });

    test("have sessions with the time of the last request, to the hour", async () => {
      using clock = fakeClock(new Date("2030-05-01T12:00:00.123Z"));
      const heidi = await register("heidi@example.com");
      const start = clock.now();
      const session = await users.startSession(heidi);
      const seen = async (): Promise<number | undefined> =>
        (await users.listSessions(heidi))[0]?.last_seen_at.getTime();
      await clock.advance(Time.hours(1) - 1);
      await users.findBySessionOpt(session);
      assert.equal(await seen(), start, "no write within the hour");
      await clock.advance(1);
      assert.deepEqual(await users.findBySessionOpt(session), heidi);
      assert.equal(await seen(), start + Time.hours(1));
      // As in sessions from before the column was added.
      await database.exec(sql`update user_sessions set last_seen_at = null`);
      assert.equal(await seen(), start);
      assert.deepEqual(await users.findBySessionOpt(session), heidi);
      assert.equal(await seen(), start + Time.hours(1));
      await clock.advance(Time.days(30));
      assert.deepEqual(await users.listSessions(heidi), []);
    });

    test("are read from the pool that a call selects", async () => {
      await assert.rejects(users.search({}, { ctx: [["pool", "nowhere"]] }), isCode("E_DATABASE_POOL_UNKNOWN"));
      await assert.rejects(users.login("a@b", good, { ctx: [["pool", "nowhere"]] }), isCode("E_DATABASE_POOL_UNKNOWN"));
      const registration = { email: "a@b", password: good, confirmation: good };
      await assert.rejects(
        users.registerUser(registration, { ctx: [["pool", "nowhere"]] }),
        isCode("E_DATABASE_POOL_UNKNOWN"),
      );
      await register("heidi@example.com");
      await Cleaner.cleanAll();
      assert.equal((await users.search())[1], 0);
    });
  });
}
