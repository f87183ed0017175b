import assert from "node:assert/strict";
import crypto from "node:crypto";
import { test } from "node:test";
import { Log, Time, User } from "limmat";
import { Row, sql } from "limmat/database";
import { configuration, fakeClock, waitFor } from "limmat/testing";
import { errors } from "../../src/password/errors.ts";
import { hashLimits } from "../../src/password/index.ts";
import { addDevice } from "../../src/services/user/engine/device-cookie.ts";
import { betterPassword, goodPassword, loginFailed, type UserFixture, userTexts } from "./fixture.ts";

/** Contract of the login. */
export function loginCases({ database, users, register }: UserFixture): void {
  test("log in with address and password", async () => {
    const heidi = await register("heidi@example.com");
    assert.deepEqual(await users.login(" HEIDI@example.com ", goodPassword), { ok: true, value: heidi });
    for (const email of ["", "heidi", "heidi@", "heidi@example.com\0", "x".repeat(1_000_000)]) {
      assert.deepEqual(await users.login(email, goodPassword), { ok: false, error: loginFailed });
    }
    for (const password of ["", "wrong", `${goodPassword} `, goodPassword.toUpperCase(), "x".repeat(1_000_000)]) {
      assert.deepEqual(await users.login("heidi@example.com", password), { ok: false, error: loginFailed });
    }
  });

  test("get the same message after the same work for every failed login", async (t) => {
    await register("known@example.com");
    await users.deactivate(await register("inactive@example.com"));
    await users.createUser({ email: "none@example.com" });
    const argon2 = t.mock.method(crypto, "argon2");
    const exec = t.mock.method(database, "exec");
    const findOpt = t.mock.method(database, "findOpt");
    const collect = t.mock.method(database, "collect");
    const measure = async (email: string, password: string): Promise<unknown> => {
      const counters = [argon2, exec, findOpt, collect];
      for (const counter of counters) counter.mock.resetCalls();
      const result = await users.login(email, password);
      const costs = argon2.mock.calls.map(({ arguments: [, { memory, passes }] }) => [memory, passes]);
      return [result, costs, ...counters.map((counter) => counter.mock.callCount())];
    };
    const reasons: unknown[] = [];
    Log.configure({ level: "info", reporters: [{ report: ({ fields }) => void reasons.push(fields["reason"]) }] });
    const expected = [{ ok: false, error: loginFailed }, [[8, 1]], 1, 1, 1, 1];
    assert.deepEqual(await measure("known@example.com", "wrong"), expected);
    assert.deepEqual(await measure("unknown@example.com", "wrong"), expected);
    assert.deepEqual(await measure("inactive@example.com", goodPassword), expected);
    assert.deepEqual(await measure("inactive@example.com", "wrong"), expected);
    assert.deepEqual(await measure("none@example.com", "wrong"), expected);
    assert.deepEqual(reasons, ["wrong password", "unknown address", "inactive", "wrong password", "wrong password"]);
    Log.configure({ reporters: [] });
  });

  test("cost one hash and no write if the first attempt succeeds, and are logged", async (t) => {
    const heidi = await register("heidi@example.com");
    const argon2 = t.mock.method(crypto, "argon2");
    const exec = t.mock.method(database, "exec");
    const logged: unknown[] = [];
    Log.configure({
      level: "info",
      reporters: [{ report: ({ message, fields }) => void logged.push([message, fields]) }],
    });
    assert.ok((await users.login("heidi@example.com", goodPassword)).ok);
    assert.deepEqual([argon2.mock.callCount(), exec.mock.callCount()], [1, 0]);
    const client = { network: "192.0.2.1" };
    assert.ok((await users.login("heidi@example.com", goodPassword, { client })).ok);
    assert.ok(!(await users.login("heidi@example.com", "wrong", { client })).ok);
    assert.deepEqual(logged, [
      ["A user logged in", { user: heidi.id }],
      ["A user logged in", { user: heidi.id, network: "192.0.2.1" }],
      ["A password was refused", { reason: "wrong password", user: heidi.id, network: "192.0.2.1" }],
    ]);
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
        assert.ok((await users.setPassword(heidi, { password: betterPassword, confirmation: betterPassword })).ok);
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
          ? await users.login("heidi@example.com", goodPassword)
          : await users.updatePassword(heidi, { old: goodPassword, password: third, confirmation: third });
      const oldPasswordWrong = { old: userTexts.oldPasswordWrong };
      assert.deepEqual(result, { ok: false, error: change === "log in" ? loginFailed : oldPasswordWrong });
      assert.ok((await users.login("heidi@example.com", betterPassword)).ok);
    });
  }

  test("log in although a concurrent login rehashed their password", async (t) => {
    const heidi = await register("heidi@example.com");
    using _ = configuration({ PASSWORD_MEMORY: "16" });
    const { argon2 } = crypto;
    const mocked = t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
      mocked.mock.restore();
      void users.login("heidi@example.com", goodPassword).then(() => argon2(...args));
    });
    assert.deepEqual(await users.login("heidi@example.com", goodPassword), { ok: true, value: heidi });
  });

  test("are refused if they are deleted during the login", async (t) => {
    const heidi = await register("heidi@example.com");
    const logged: unknown[] = [];
    Log.configure({ level: "info", reporters: [{ report: ({ fields }) => void logged.push(fields) }] });
    const { argon2 } = crypto;
    t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
      void users.delete(heidi).then(() => argon2(...args));
    });
    assert.deepEqual(await users.login("heidi@example.com", goodPassword), { ok: false, error: loginFailed });
    assert.deepEqual(logged, [{ reason: "deleted during the login" }]);
    Log.configure({ reporters: [] });
  });

  test("log in if the rehash is refused by the hash limit, but not if hashing fails", async (t) => {
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
      const login = users.login("heidi@example.com", goodPassword);
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
      for (let failure = 1; failure <= 5; failure++) assert.equal(await attempt(), loginFailed);
      for (const minutes of [1, 2, 4, 8, 15, 15, 15]) {
        assert.equal(await attempt(goodPassword), userTexts.loginThrottled(minutes));
        await clock.advance(Time.minutes(minutes) - 1);
        assert.equal(await attempt(goodPassword), userTexts.loginThrottled(1));
        await clock.advance(1);
        assert.equal(await attempt(), loginFailed);
      }
      await clock.advance(Time.minutes(15));
    }
    assert.ok((await users.login("known@example.com", goodPassword)).ok, "the owner can log in");
    for (let failure = 1; failure <= 4; failure++) await users.login("known@example.com", "wrong");
    assert.ok((await users.login("known@example.com", goodPassword)).ok, "the count starts again at zero");
  });

  test("are not locked by somebody who fails for ever in another network", async () => {
    using clock = fakeClock();
    await register("known@example.com");
    const attacker = { client: { network: "192.0.2.1" } };
    const owner = { client: { network: "198.51.100.7" } };
    for (let round = 0; round < 180; round++) {
      await users.login("known@example.com", "wrong", attacker);
      if (round % 20 === 19) assert.ok((await users.login("known@example.com", goodPassword, owner)).ok, `${round}`);
      await clock.advance(Time.seconds(20));
    }
    const refused = await users.login("known@example.com", goodPassword, attacker);
    assert.ok(!refused.ok && refused.error !== loginFailed, "the attacker is locked");
  });

  test("are locked for all networks after a hundred failures, and then checked every fifteen minutes", async (t) => {
    using clock = fakeClock();
    const heidi = await register("known@example.com");
    const deviceCookie = addDevice(undefined, "known@example.com");
    const argon2 = t.mock.method(crypto, "argon2");
    // A distributed attack: each guess comes from another site, first 120 at once, then one in five minutes.
    for (let guess = 0; guess < 120 + 24 * 12; guess++) {
      const client = { network: `2001:db8:${guess.toString(16)}:0::/64` };
      await users.login("known@example.com", "wrong", { client });
      if (guess >= 120) await clock.advance(Time.minutes(5));
    }
    assert.equal(argon2.mock.callCount(), 100 + 24 * 4 - 1);
    await users.login("known@example.com", "wrong", { client: { network: "192.0.2.1" } });
    const newBrowser = { client: { network: "198.51.100.7" } };
    const logIn = (options: User.LoginOptions): ReturnType<typeof users.login> =>
      users.login("known@example.com", goodPassword, options);
    const locked = await logIn(newBrowser);
    assert.ok(!locked.ok && locked.error !== loginFailed);
    assert.ok((await logIn({ client: { network: "192.0.2.1", deviceCookie } })).ok, "a known browser is exempt");
    assert.equal((await logIn(newBrowser)).ok, false, "its success unlocks nothing");
    assert.ok((await users.checkPassword(heidi, goodPassword)).ok, "a session is exempt");
    const newPassword = { password: betterPassword, confirmation: betterPassword };
    assert.ok((await users.setPassword(heidi, newPassword)).ok);
    assert.ok((await users.login("known@example.com", betterPassword, newBrowser)).ok, "a new password unlocks");
  });

  test("are locked for a site of IPv6 after twenty failures, which lock no other network", async (t) => {
    using clock = fakeClock();
    await register("known@example.com");
    const argon2 = t.mock.method(crypto, "argon2");
    const logIn = (network: string, password: string): ReturnType<typeof users.login> =>
      users.login("known@example.com", password, { client: { network } });
    // Twelve hours of guesses of one customer, each from another /64 of a /48.
    for (let guess = 0; guess < 12 * 60; guess++) {
      await logIn(`2001:db8:0:${guess.toString(16)}::/64`, "wrong");
      await clock.advance(Time.minutes(1));
    }
    assert.ok(argon2.mock.callCount() < 20 + 12 * 4 + 5, String(argon2.mock.callCount()));
    assert.equal((await logIn("2001:db8:0:ffff::/64", goodPassword)).ok, false, "a new network of the site is locked");
    for (const network of ["192.0.2.1", "2001:db8:1:0::/64"])
      assert.ok((await logIn(network, goodPassword)).ok, network);
  });

  test("have concurrent attempts from many networks counted together", async (t) => {
    await register("known@example.com");
    const argon2 = t.mock.method(crypto, "argon2");
    const guess = (number: number): ReturnType<typeof users.login> =>
      users.login("known@example.com", "wrong", { client: { network: `2001:db8:${number}:0::/64` } });
    for (let number = 0; number < 98; number++) await guess(number);
    await Promise.all(Array.from({ length: 40 }, (_, number) => guess(100 + number)));
    // Two more attempts may have been running when the hundredth failed.
    const count = argon2.mock.callCount();
    assert.ok(count >= 100 && count <= 102, `${count} guesses were checked`);
  });

  test("have a count of their own for each browser that they logged in with", async () => {
    using clock = fakeClock();
    await register("known@example.com");
    await register("other@example.com");
    const cookie = addDevice(undefined, "known@example.com");
    const logIn = async (deviceCookie: string | undefined, password = goodPassword): Promise<boolean> =>
      (await users.login("known@example.com", password, { client: { network: "192.0.2.1", deviceCookie } })).ok;
    const lockNetwork = async (): Promise<void> => {
      for (let failure = 1; failure <= 5; failure++) await logIn(undefined, "wrong");
    };
    await lockNetwork();
    assert.deepEqual([await logIn(undefined), await logIn(cookie)], [false, true]);
    const known = addDevice(cookie, "known@example.com");
    const shared = ["a@b", "c@d", "e@f"].reduce(addDevice, known);
    assert.ok(await logIn(shared), "a browser is known to four accounts");
    for (const invalid of [
      "",
      ":",
      "x".repeat(1_000_000),
      ":".repeat(10_000) + cookie,
      addDevice(undefined, "other@example.com"),
      addDevice(shared, "g@h"),
      cookie.replace(/.$/, (last) => (last === "A" ? "E" : "A")),
      cookie.replace(/^./, (first) => (first === "a" ? "b" : "a")),
    ]) {
      assert.equal(await logIn(invalid), false, invalid.slice(0, 200));
    }
    for (let round = 0; round < 2; round++) {
      for (let failure = 1; failure <= 4; failure++) await logIn(known, "wrong");
      assert.ok(await logIn(known), "a success resets the count");
    }
    // The failures of the browser lock itself, and its cookies before and after another login, but no other browser.
    const otherBrowser = addDevice(undefined, "known@example.com");
    for (let failure = 1; failure <= 5; failure++) assert.equal(await logIn(cookie, "wrong"), false);
    assert.deepEqual([await logIn(cookie), await logIn(known), await logIn(otherBrowser)], [false, false, true]);
    await clock.advance(Time.minutes(1));
    assert.ok(await logIn(cookie));
    await clock.advance(Time.days(365) - Time.minutes(1));
    await lockNetwork();
    assert.equal(await logIn(cookie), false, "after a year, the browser is unknown");
  });

  test("do not wait for attempts of others if their browser is known", async (t) => {
    await register("known@example.com");
    const release = Promise.withResolvers<void>();
    const mocked = t.mock.method(database, "collect", async () => {
      await release.promise;
      return [];
    });
    const others = Array.from({ length: 30 }, () => users.login("known@example.com", "wrong"));
    // As many as may run have begun; the others wait for them.
    await waitFor(() => mocked.mock.callCount() >= hashLimits.maxRunning, t);
    mocked.mock.restore();
    const client = { network: "192.0.2.1", deviceCookie: addDevice(undefined, "known@example.com") };
    assert.ok((await users.login("known@example.com", goodPassword, { client })).ok);
    release.resolve();
    await Promise.all(others);
  });

  test("are not locked by failures that have a time in the future", async () => {
    using clock = fakeClock();
    await register("known@example.com");
    const now = Time.now();
    clock.set(new Date(now.getTime() + Time.days(365)));
    for (let failure = 1; failure <= 5; failure++) await users.login("known@example.com", "wrong");
    clock.set(now);
    assert.ok((await users.login("known@example.com", goodPassword)).ok);
  });

  test("are not locked by failures of more than a day ago", async () => {
    using clock = fakeClock();
    await register("known@example.com");
    for (let failure = 1; failure <= 5; failure++) await users.login("known@example.com", "wrong");
    await clock.advance(Time.days(1) + 1);
    await users.login("known@example.com", "wrong");
    assert.ok((await users.login("known@example.com", goodPassword)).ok);
  });

  test("have their old failures deleted from time to time", async () => {
    using clock = fakeClock();
    const accounts = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from user_failures`);
    await users.login("first@example.com", "wrong");
    await clock.advance(Time.days(1));
    await users.login("second@example.com", "wrong");
    await database.deleteExpiredRows();
    assert.equal(await accounts(), 4, "after exactly a day, the first failure still counts");
    await clock.advance(1);
    await users.login("third@example.com", "wrong");
    assert.equal(await accounts(), 6);
    await database.deleteExpiredRows();
    assert.equal(await accounts(), 4);
  });

  test("have concurrent attempts counted together", async (t) => {
    await register("known@example.com");
    const argon2 = t.mock.method(crypto, "argon2");
    const guesses = Array.from({ length: 40 }, (_, guess) => `guess ${guess}`);
    const results = await Promise.all(
      [...guesses, goodPassword].map((guess) => users.login("known@example.com", guess)),
    );
    assert.ok(results.every(({ ok }) => !ok));
    // Two more attempts may have been running when the fifth failed.
    const count = argon2.mock.callCount();
    assert.ok(count >= 5 && count <= 7, `${count} guesses were checked`);
    // Other processes and services share the count.
    const result = await User.service({ database }).login("known@example.com", goodPassword);
    assert.equal(result.ok, false);
    assert.equal(argon2.mock.callCount(), count);
  });

  test("are refused with the right password if another process locked the account meanwhile", async (t) => {
    await register("known@example.com");
    const account = crypto.createHash("sha256").update("known@example.com").digest("base64url");
    const { argon2 } = crypto;
    t.mock.method(crypto, "argon2", (...args: Parameters<typeof argon2>) => {
      const network = `network ${crypto.createHash("sha256").update("").digest("base64url")}`;
      const failed = sql`insert into user_failures (account, scope, failures, failed_at)
        values (${account}, ${network}, 5, ${Time.now()})`;
      void database.exec(failed).then(() => argon2(...args));
    });
    const reasons: unknown[] = [];
    Log.configure({ level: "info", reporters: [{ report: ({ fields }) => void reasons.push(fields["reason"]) }] });
    const result = await users.login("known@example.com", goodPassword);
    assert.deepEqual(result, { ok: false, error: userTexts.loginThrottled(1) });
    assert.deepEqual(await users.login("known@example.com", goodPassword), result);
    assert.deepEqual(reasons, ["locked", "locked"]);
    Log.configure({ reporters: [] });
  });

  test("with the right password all log in concurrently", async () => {
    await register("known@example.com");
    const results = await Promise.all(Array.from({ length: 30 }, () => users.login("known@example.com", goodPassword)));
    assert.ok(results.every(({ ok }) => ok));
  });
}
