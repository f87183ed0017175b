import assert from "node:assert/strict";
import { test } from "node:test";
import { Time, type User } from "limmat";
import { Row, sql } from "limmat/database";
import { capturedLog, configuration, fakeClock } from "limmat/testing";
import { betterPassword, cheap, goodPassword, isCode, untilBlocked, type UserFixture } from "./fixture.ts";

/** Contract of the sessions. */
export function sessionCases({ database, users, register }: UserFixture): void {
  test("have sessions that end one by one, all together, by deactivation, and by time", async () => {
    using clock = fakeClock();
    const heidi = await register("heidi@example.com");
    const other = await register("other@example.com");
    const start = (): Promise<string[]> => Promise.all([1, 2, 3].map(() => users.startSession({ id: heidi.id })));
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
    await users.startSession({ id: heidi.id });
    await database.deleteExpiredRows();
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
    const seen = async (): Promise<number | undefined> => (await users.listSessions(heidi))[0]?.last_seen_at.getTime();
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

  const newPassword = { password: betterPassword, confirmation: betterPassword };
  /** Changes that end all sessions. A login that was verified before them must not start a session after them. */
  const changes: Readonly<Record<string, (user: User.User) => Promise<unknown>>> = {
    "a new password": (user) => users.setPassword({ id: user.id }, newPassword),
    "a change of the password": (user) => users.updatePassword(user, { old: goodPassword, ...newPassword }),
    "a new address": (user) => users.setEmail(user, "peter@example.com"),
    "a deactivation": (user) => users.deactivate(user),
    "a deactivation and activation": async (user) => users.activate(await users.deactivate(user)),
  };

  for (const [change, apply] of Object.entries(changes)) {
    test(`get no session after ${change} since the login`, async () => {
      const heidi = await register("heidi@example.com");
      const login = await users.login("heidi@example.com", goodPassword);
      assert.ok(login.ok);
      await apply(heidi);
      await assert.rejects(users.startSession(login.value), isCode("E_USER_CHANGED"));
      assert.deepEqual(await users.listSessions(heidi), []);
    });

    test(`get no session while ${change} is not yet committed`, async (t) => {
      const heidi = await register("heidi@example.com");
      const login = await users.login("heidi@example.com", goodPassword);
      assert.ok(login.ok);
      const [isApplied, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const committed = database.transaction(async () => {
        await apply(heidi);
        isApplied.resolve();
        await isHeld.promise;
      });
      await isApplied.promise;
      const started = users.startSession(login.value);
      await untilBlocked(database, started, t);
      isHeld.resolve();
      await committed;
      await assert.rejects(started, isCode("E_USER_CHANGED"));
      assert.deepEqual(await users.listSessions(heidi), []);
    });

    test(`lose a session that is not yet committed when ${change} begins`, async (t) => {
      const heidi = await register("heidi@example.com");
      const [isInserted, isHeld] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
      const committed = database.transaction(async () => {
        isInserted.resolve(await users.startSession(heidi));
        await isHeld.promise;
      });
      const session = await isInserted.promise;
      const changed = apply(heidi);
      await untilBlocked(database, changed, t);
      isHeld.resolve();
      await Promise.all([committed, changed]);
      assert.equal(await users.findBySessionOpt(session), undefined);
      // Also for a deactivated user, whose sessions would be valid again after the activation.
      assert.equal(await database.find(sql.value(Row.int)`select count(*) from user_sessions`), 0);
    });
  }

  test("lose a session that began after the snapshot of a change that ends it", async () => {
    const heidi = await register("heidi@example.com");
    // SQLite runs one write transaction at a time.
    if (database.dialect().name === "sqlite") return;
    const [hasSnapshot, isStarted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const changed = database.transaction(
      async () => {
        await users.find(heidi.id);
        hasSnapshot.resolve();
        await isStarted.promise;
        assert.ok((await users.setPassword({ id: heidi.id }, newPassword)).ok);
      },
      { isolation: "repeatable read" },
    );
    await hasSnapshot.promise;
    const session = await users.startSession(heidi);
    isStarted.resolve();
    const isChanged = await changed.then(
      () => true,
      (error: unknown) => !isCode("E_DATABASE_SERIALIZATION")(error) && Promise.reject(error),
    );
    assert.equal((await users.findBySessionOpt(session)) === undefined, isChanged);
  });

  test("get no session after their deletion", async () => {
    const heidi = await register("heidi@example.com");
    await users.delete(heidi);
    await assert.rejects(users.startSession(heidi), isCode("E_USER_NOT_FOUND"));
  });

  test("get a session by their id alone, if they are active", async () => {
    const { id } = await register("heidi@example.com");
    assert.equal((await users.findBySessionOpt(await users.startSession({ id })))?.id, id);
    await users.deactivate({ id });
    await assert.rejects(users.startSession({ id }), isCode("E_USER_CHANGED"));
  });
}
