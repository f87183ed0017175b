import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { Cleaner, Log, type User } from "limmat";
import { Row, sql } from "limmat/database";
import { fakeClock } from "limmat/testing";
import { betterPassword, goodPassword, isCode, loginFailed, type UserFixture, userTexts } from "./fixture.ts";

/** Contract of the operations that add, find, update and delete users. */
export function accountCases({ database, users, register }: UserFixture): void {
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
      version: 0,
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
      const registered = await users.registerUser({ email, password: goodPassword, confirmation: goodPassword });
      assert.deepEqual(registered, { ok: false, error: { email: userTexts.emailInvalid } });
    }
    assert.equal((await users.findByEmail("MIKE@EXAMPLE.COM")).id, created[0]?.id);
    assert.deepEqual(await users.login("MıKE@example.com", betterPassword), { ok: false, error: loginFailed });
  });

  test("have one account per mailbox, for every notation of its domain", async () => {
    const ada = await register("Ada@Bücher.example");
    assert.equal(ada.email, "Ada@Bücher.example");
    for (const email of ["ada@bücher.example", "ADA@xn--bcher-kva.example", "ada@b\u00fccher\u3002example"]) {
      assert.equal((await users.findByEmail(email)).id, ada.id);
      assert.ok((await users.login(email, goodPassword)).ok);
      const duplicate = await users.registerUser({ email, password: goodPassword, confirmation: goodPassword });
      assert.deepEqual(duplicate, { ok: false, error: { email: userTexts.emailTaken } });
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
      const registered = await users.registerUser({ email, password: goodPassword, confirmation: goodPassword });
      assert.deepEqual(registered, { ok: false, error: { email: userTexts.emailInvalid } }, email);
      await assert.rejects(users.createUser({ email, password: goodPassword }), isCode("E_USER_EMAIL_INVALID"));
    }
  });

  test("never show their password hash", async () => {
    const entries: unknown[] = [];
    Log.configure({ level: "debug", reporters: [{ report: (entry) => void entries.push(entry) }] });
    const heidi = await register("heidi@example.com");
    await users.login("heidi@example.com", goodPassword);
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
      assert.ok(!text.includes(goodPassword));
    }
  });

  test("cannot be created by createUser with an invalid field", async () => {
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

  test("get a message for each invalid field at registration", async () => {
    await register("taken@example.com");
    const invalidFields = async (registration: Partial<User.Registration>): Promise<string> => {
      const result = await users.registerUser({
        email: "new@example.com",
        password: goodPassword,
        confirmation: goodPassword,
        ...registration,
      });
      assert.ok(!result.ok);
      return Object.keys(result.error).sort().join(" ");
    };
    assert.equal(await invalidFields({ email: "new" }), "email");
    assert.equal(await invalidFields({ email: "TAKEN@example.com" }), "email");
    assert.equal(await invalidFields({ password: "short", confirmation: "short" }), "password");
    assert.equal(await invalidFields({ confirmation: `${goodPassword} ` }), "confirmation");
    assert.equal(await invalidFields({ username: "x".repeat(256) }), "username");
    assert.equal(
      await invalidFields({ email: "", password: "password", confirmation: "" }),
      "confirmation email password",
    );
    assert.equal(await invalidFields({ password: "x".repeat(5000), confirmation: "x".repeat(5000) }), "password");
    assert.equal(await invalidFields({ password: "new@example.com", confirmation: "new@example.com" }), "password");
    assert.equal((await users.search())[1], 1);
  });

  test("with one address that register concurrently: one succeeds, the others get a message", async () => {
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        users.registerUser({
          email: index % 2 === 0 ? "RACE@example.com" : "race@example.com",
          password: goodPassword,
          confirmation: goodPassword,
        }),
      ),
    );
    assert.equal(results.filter(({ ok }) => ok).length, 1);
    for (const result of results) {
      if (!result.ok) assert.deepEqual(result.error, { email: userTexts.emailTaken });
    }
    assert.equal((await users.search())[1], 1);
  });

  test("whose registration is refused do not abort the surrounding transaction", async () => {
    const first = await register("first@example.com");
    const second = await register("second@example.com");
    await database.transaction(async () => {
      await assert.rejects(users.createUser({ email: "first@example.com" }), isCode("E_USER_EMAIL_TAKEN"));
      const changed = await users.update(second, { email: "FIRST@example.com" });
      assert.deepEqual(changed, { ok: false, error: { email: userTexts.emailTaken } });
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

  test("are not admins after registration, and get the messages of all fields together", async () => {
    const registration = {
      email: "heidi@example.com",
      password: goodPassword,
      confirmation: goodPassword,
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
    assert.equal(wrong.error["email"], userTexts.emailTaken);
  });

  test("have names of at most 255 characters of any kind", async () => {
    for (const long of ["x".repeat(255), "🔑".repeat(255)]) {
      const user = await users.createUser({ email: `${long.length}@example.com`, name: long });
      assert.equal(user.name, long);
      await assert.rejects(users.createUser({ email: "other@example.com", name: `${long}x` }), isCode("E_USER_FIELD"));
    }
  });

  test("cause a throw if the database fails", async (t) => {
    const heidi = await register("heidi@example.com");
    const failure = new Error("no connection");
    t.mock.method(database, "exec", () => Promise.reject(failure));
    await assert.rejects(users.createUser({ email: "other@example.com" }), failure);
    const registration = { email: "other@example.com", password: goodPassword, confirmation: goodPassword };
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
    await assert.rejects(users.confirm(heidi), isCode("E_USER_CHANGED"), "the previous address was verified");
    assert.equal((await users.find(heidi.id)).confirmed, false);
    const confirmed = await users.confirm(moved.value);
    assert.equal(confirmed.confirmed, true);
    await clock.advance(1000);
    assert.deepEqual(await users.confirm(moved.value), confirmed, "a second call changes nothing");
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

  test("get a verified address, unless they have changed since", async () => {
    using clock = fakeClock();
    const heidi = await register("heidi@example.com");
    const session = await users.startSession(heidi);
    const { emailInvalid, emailTaken, userChanged } = userTexts;
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

  test("are deactivated and deleted if the registered checks permit it", async () => {
    const heidi = await register("heidi@example.com");
    const session = await users.startSession(heidi);
    const asked: unknown[] = [];
    let refusal: string | undefined = "Name an heir first";
    const permit: User.RemovalCheck = async () => ({ ok: true, value: undefined });
    users.registerChecks(permit, async (user, { ctx }, action) => {
      asked.push([user.id, ctx, action, await users.findBySessionOpt(session)]);
      return refusal === undefined ? { ok: true, value: undefined } : { ok: false, error: refusal };
    });
    const options = { ctx: [["reason", "moved"]] } as const;
    const changes = [
      () => users.deactivate(heidi, options),
      () => users.delete({ id: heidi.id.toUpperCase() }, options),
    ];
    for (const change of changes) {
      await assert.rejects(change, { code: "E_USER_REMOVAL_REFUSED", message: "Name an heir first" });
    }
    const current = await users.findBySessionOpt(session);
    assert.deepEqual(
      asked,
      ["deactivate", "delete"].map((action) => [heidi.id, options.ctx, action, current]),
    );
    assert.equal((await users.deactivate(heidi, { force: true })).status, "inactive");
    refusal = undefined;
    for (const change of changes) await change();
    assert.equal(await users.findOpt(heidi.id), undefined);
  });

  test("are not found after they are deleted, and deleting them again does nothing", async () => {
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
      () => users.setPassword(heidi, { password: goodPassword, confirmation: goodPassword }),
      () => users.updatePassword(heidi, { old: goodPassword, password: goodPassword, confirmation: goodPassword }),
      () => users.startSession(heidi),
    ];
    for (const operation of operations) await assert.rejects(operation, isCode("E_USER_NOT_FOUND"));
    await users.endSessions(heidi);
    await register("heidi@example.com");
  });

  test("are found by an id in any notation, and not by a text that is no id", async () => {
    const heidi = await register("heidi@example.com");
    const upperCase = { id: heidi.id.toUpperCase() };
    const session = await users.startSession(upperCase);
    assert.equal((await users.findBySessionOpt(session))?.id, heidi.id);
    assert.equal((await users.confirm(upperCase)).confirmed, true);
    assert.equal((await users.setAdmin(upperCase, true)).admin, true);
    await users.requireUnchanged({ ...upperCase, version: heidi.version });
    for (const id of ["", "me", `${heidi.id}0`]) {
      const operations: (() => Promise<unknown>)[] = [
        () => users.find(id),
        () => users.startSession({ id }),
        () => users.requireUnchanged({ id }),
        () => users.confirm({ id }),
        () => users.update({ id }, { name: "x" }),
        () => users.setAdmin({ id }, true),
        () => users.deactivate({ id }),
        () => users.setPassword({ id }, { password: goodPassword, confirmation: goodPassword }),
      ];
      for (const operation of operations) await assert.rejects(operation, isCode("E_USER_NOT_FOUND"));
      await users.endSessions({ id });
      await users.delete({ id });
    }
    await users.endSessions(upperCase);
    assert.equal(await users.findBySessionOpt(session), undefined);
    await users.delete(upperCase);
    assert.equal(await users.findOpt(heidi.id), undefined);
  });

  test("are read from the pool that a call selects", async () => {
    await assert.rejects(users.search({}, { ctx: [["pool", "nowhere"]] }), isCode("E_DATABASE_POOL_UNKNOWN"));
    await assert.rejects(
      users.login("a@b", goodPassword, { ctx: [["pool", "nowhere"]] }),
      isCode("E_DATABASE_POOL_UNKNOWN"),
    );
    const registration = { email: "a@b", password: goodPassword, confirmation: goodPassword };
    await assert.rejects(
      users.registerUser(registration, { ctx: [["pool", "nowhere"]] }),
      isCode("E_DATABASE_POOL_UNKNOWN"),
    );
    await register("heidi@example.com");
    await Cleaner.cleanAll();
    assert.equal((await users.search())[1], 0);
  });
}
