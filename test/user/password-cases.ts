import assert from "node:assert/strict";
import { test } from "node:test";
import type { User } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { configuration } from "limmat/testing";
import {
  betterPassword,
  goodPassword,
  isCode,
  loginFailed,
  untilBlocked,
  type UserFixture,
  userTexts,
} from "./fixture.ts";

/** Contract of the operations that verify or change a password. */
export function passwordCases({ database, users, register }: UserFixture): void {
  const newPassword = { password: betterPassword, confirmation: betterPassword };

  test("confirm their password again, with a limit apart from that of logins", async () => {
    const heidi = await register("heidi@example.com");
    const other = await register("other@example.com", betterPassword);
    const { oldPasswordWrong, loginThrottled } = userTexts;
    assert.deepEqual(await users.checkPassword(heidi, goodPassword), { ok: true, value: heidi });
    assert.deepEqual(await users.checkPassword(other, goodPassword), { ok: false, error: oldPasswordWrong });
    const nobody = { id: "b3d6d4a5-7f5b-4a53-9a39-1d9e1b3a1f00" };
    await assert.rejects(users.checkPassword(nobody, goodPassword), isCode("E_USER_NOT_FOUND"));
    for (let attempt = 0; attempt < 5; attempt++)
      assert.deepEqual(await users.checkPassword(heidi, "wrong"), { ok: false, error: oldPasswordWrong });
    assert.deepEqual(await users.checkPassword(heidi, goodPassword), { ok: false, error: loginThrottled(1) });
    assert.ok((await users.login("heidi@example.com", goodPassword)).ok);
    assert.equal((await users.checkPassword(heidi, goodPassword)).ok, false, "a login does not unlock it");
    const clara = await register("clara@example.com");
    for (let attempt = 0; attempt < 5; attempt++) await users.login("clara@example.com", "wrong");
    assert.equal((await users.login("clara@example.com", goodPassword)).ok, false);
    assert.deepEqual(await users.checkPassword(clara, goodPassword), { ok: true, value: clara });
    await users.deactivate(other);
    assert.deepEqual(await users.checkPassword(other, betterPassword), { ok: false, error: oldPasswordWrong });
  });

  test("are not confused with the current owner of their former address", async (t) => {
    const heidi = await register("heidi@example.com");
    const clara = await register("clara@example.com", betterPassword);
    const mocked = t.mock.method(database, "findOpt", async (...args: Parameters<Database["findOpt"]>) => {
      mocked.mock.restore();
      const row = await database.findOpt(...args);
      assert.ok((await users.update(heidi, { email: "peter@example.com" })).ok);
      assert.ok((await users.update(clara, { email: "heidi@example.com" })).ok);
      return row;
    });
    const refused = { ok: false, error: userTexts.oldPasswordWrong };
    assert.deepEqual(await users.checkPassword(heidi, betterPassword), refused);
    assert.equal(mocked.mock.callCount(), 1);
  });

  test("check a new address, with the password only", async () => {
    const heidi = await register("heidi@example.com");
    await register("taken@example.com");
    const { emailInvalid, emailUnchanged, emailTaken, oldPasswordWrong } = userTexts;
    const check = (email: string, password = goodPassword): ReturnType<typeof users.checkEmailChange> =>
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

  test("get a new hash at login if the configured cost has changed", async () => {
    const heidi = await register("heidi@example.com");
    const hash = (): Promise<string> =>
      database.find(sql.value(Row.text)`select password from user_users where id = ${heidi.id}`);
    const original = await hash();
    await users.login("heidi@example.com", goodPassword);
    assert.equal(await hash(), original);
    using _ = configuration({ PASSWORD_MEMORY: "16" });
    assert.equal((await users.login("heidi@example.com", "wrong")).ok, false);
    assert.equal(await hash(), original);
    assert.ok((await users.login("heidi@example.com", goodPassword)).ok);
    assert.match(await hash(), /m=16,t=1/);
    assert.ok((await users.login("heidi@example.com", goodPassword)).ok);
  });

  test("change a password that is rehashed during the verification", async () => {
    const heidi = await register("heidi@example.com");
    using _ = configuration({ PASSWORD_MEMORY: "16" });
    assert.ok(
      (await users.updatePassword(heidi, { old: goodPassword, password: betterPassword, confirmation: betterPassword }))
        .ok,
    );
    assert.ok((await users.login("heidi@example.com", betterPassword)).ok);
  });

  test("get a new password only if it is valid", async () => {
    const heidi = await register("heidi@example.com");
    for (const [password, confirmation, field] of [
      ["short", "short", "password"],
      [betterPassword, goodPassword, "confirmation"],
    ] as const) {
      const result = await users.setPassword(heidi, { password, confirmation });
      assert.deepEqual(result.ok ? [] : Object.keys(result.error), [field]);
      assert.ok((await users.login("heidi@example.com", goodPassword)).ok);
    }
    const set = await users.setPassword(heidi, { password: betterPassword, confirmation: betterPassword });
    assert.equal(set.ok && set.value.id, heidi.id);
    assert.ok((await users.login("heidi@example.com", betterPassword)).ok);
  });

  test("change their password with the current one, which ends their sessions", async () => {
    const heidi = await register("heidi@example.com");
    const session = await users.startSession(heidi);
    const change = (
      old: string,
      password = betterPassword,
      confirmation = password,
    ): ReturnType<typeof users.updatePassword> => users.updatePassword(heidi, { old, password, confirmation });
    const keys = async (result: ReturnType<typeof change>): Promise<string> => {
      const outcome = await result;
      return outcome.ok ? "" : Object.keys(outcome.error).sort().join(" ");
    };
    assert.equal(await keys(change("wrong")), "old");
    assert.equal(await keys(change(goodPassword, "short")), "password");
    assert.equal(await keys(change("wrong", "short", "other")), "confirmation old password");
    assert.deepEqual(await users.findBySessionOpt(session), heidi);
    assert.ok((await change(goodPassword)).ok);
    assert.equal(await users.findBySessionOpt(session), undefined);
    assert.deepEqual(await users.login("heidi@example.com", goodPassword), { ok: false, error: loginFailed });
    assert.ok((await users.login("heidi@example.com", betterPassword)).ok);
    for (let failure = 1; failure <= 5; failure++) assert.equal(await keys(change("wrong")), "old");
    assert.equal(await keys(change(betterPassword)), "old", "guesses are counted");
  });

  test("get a password without the current one, which unlocks the account", async () => {
    const heidi = await register("heidi@example.com");
    const session = await users.startSession(heidi);
    for (let failure = 1; failure <= 6; failure++) await users.login("heidi@example.com", "wrong");
    assert.equal((await users.login("heidi@example.com", goodPassword)).ok, false);
    const weak = await users.setPassword(heidi, { password: "password1", confirmation: "password" });
    assert.deepEqual(!weak.ok && Object.keys(weak.error), ["password", "confirmation"]);
    assert.ok((await users.setPassword(heidi, { password: betterPassword, confirmation: betterPassword })).ok);
    assert.equal(await users.findBySessionOpt(session), undefined);
    assert.ok((await users.login("heidi@example.com", betterPassword)).ok);
  });

  test("get no password by a verification of before another change", async () => {
    const heidi = await register("heidi@example.com");
    await users.deactivate({ id: heidi.id });
    await users.activate({ id: heidi.id });
    const changed = { ok: false, error: { user: userTexts.userChanged } };
    assert.deepEqual(await users.setPassword(heidi, newPassword), changed);
    assert.ok((await users.login("heidi@example.com", goodPassword)).ok);
    assert.ok((await users.setPassword(await users.find(heidi.id), newPassword)).ok);
    await assert.rejects(users.requireUnchanged(heidi), isCode("E_USER_CHANGED"));
  });

  const stalePassword = { password: "a third long password", confirmation: "a third long password" };
  /** Changes that follow a verification of the user. */
  const verifiedChanges: Readonly<Record<string, (user: User.User) => Promise<unknown>>> = {
    "set a password": (user) => users.setPassword(user, stalePassword),
    "change the password": (user) => users.updatePassword(user, { old: goodPassword, ...stalePassword }),
    "set an address": (user) => users.setEmail(user, "peter@example.com"),
    "confirm the address": (user) => users.confirm(user).catch(() => ({ ok: false })),
    "require the user unchanged": (user) => users.requireUnchanged(user).catch(() => ({ ok: false })),
  };
  for (const [name, change] of Object.entries(verifiedChanges)) {
    test(`cannot ${name} after a verification while a new password is not yet committed`, async (t) => {
      const heidi = await register("heidi@example.com");
      const [isStored, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const committed = database.transaction(async () => {
        assert.ok((await users.setPassword(heidi, newPassword)).ok);
        isStored.resolve();
        await isHeld.promise;
      });
      await isStored.promise;
      const changed = change(heidi) as Promise<{ readonly ok: boolean }>;
      await untilBlocked(database, changed, t);
      isHeld.resolve();
      await committed;
      assert.equal((await changed).ok, false);
      assert.ok((await users.login("heidi@example.com", betterPassword)).ok);
      assert.equal((await users.find(heidi.id)).confirmed, false);
    });
  }

  test("cannot be changed during a transaction that requires them unchanged", async (t) => {
    const heidi = await register("heidi@example.com");
    const [isLocked, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const events: string[] = [];
    const committed = database.transaction(async () => {
      await users.requireUnchanged(heidi);
      isLocked.resolve();
      await isHeld.promise;
      events.push("committed");
    });
    await isLocked.promise;
    const changed = users.deactivate(heidi).then(() => events.push("deactivated"));
    await untilBlocked(database, changed, t);
    isHeld.resolve();
    await Promise.all([committed, changed]);
    assert.deepEqual(events, ["committed", "deactivated"]);
  });
}
