import assert from "node:assert/strict";
import crypto from "node:crypto";
import { availableParallelism } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { App, Configuration, isError, Password, User } from "limmat";
import { ConfigurationInternals } from "../config/index.ts";
import { sqlite } from "limmat/database/sqlite";
import { configuration } from "limmat/testing";
import { dummyHash, hashLimiter, maxConcurrentHashes } from "./argon2.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

beforeEach(() => {
  ConfigurationInternals.reset();
  Configuration.store([
    ["PASSWORD_MEMORY", "8"],
    ["PASSWORD_PASSES", "1"],
  ]);
});

describe("a password hash", () => {
  test("is an argon2id PHC string with the parameters of OWASP and a new salt each time", async () => {
    ConfigurationInternals.reset();
    const [first, second] = await Promise.all([Password.hash("correct horse"), Password.hash("correct horse")]);
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(first, second);
    assert.ok(await Password.verify("correct horse", first));
    assert.ok(!(await Password.verify("correct horsf", first)));
  });

  test("of the reference implementation is verified", async () => {
    const reference = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    assert.ok(await Password.verify("password", reference));
    assert.ok(!(await Password.verify("Password", reference)));
    assert.ok(Password.needsRehash(reference));
  });

  test("matches only the exact password", async () => {
    const passwords = [
      "\u00e91234567", // one character
      "e\u03011234567", // two characters that look the same
      " secret words",
      "secret words",
      "secret words ",
      "Secret words",
      "secret\0words",
      "secret\0word",
      "secret",
      "🔑🔑🔑🔑🔑🔑🔑🔑",
      "🔑".repeat(4096),
      "x".repeat(72),
      `${"x".repeat(72)}y`,
      `${"x".repeat(72)}z`,
      "x".repeat(4096),
      `${"x".repeat(4095)}y`,
    ];
    const hashes = await Promise.all(passwords.map((password) => Password.hash(password)));
    for (const [row, password] of passwords.entries()) {
      for (const [column, hash] of hashes.entries()) {
        assert.equal(await Password.verify(password, hash), row === column, `${row} against ${column}`);
      }
    }
  });

  test("matches its own password and no other", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ minLength: 1 }),
        async (password, otherPassword) => {
          const hash = await Password.hash(password);
          assert.ok(await Password.verify(password, hash));
          assert.equal(await Password.verify(otherPassword, hash), password === otherPassword);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("is refused for an impossible password, without computing argon2", async (t) => {
    const hash = await Password.hash("a password");
    const argon2 = t.mock.method(crypto, "argon2");
    for (const password of ["", "x".repeat(4097), "🔑".repeat(4097), "x".repeat(1_000_000), "half \ud800"]) {
      await assert.rejects(Password.hash(password), (error) => {
        assert.ok(isError(error, "E_PASSWORD_INVALID"));
        assert.deepEqual([error.status, /1 to 4096 characters/.test(error.message)], [422, true]);
        return true;
      });
      assert.equal(await Password.verify(password, hash), false);
    }
    assert.equal(argon2.mock.callCount(), 0);
  });

  test("in an invalid format matches no password, without computing argon2", async (t) => {
    const good = await Password.hash("a password");
    t.mock.method(crypto, "argon2", () => assert.fail("a hash was computed"));
    const texts = [
      "",
      "a password",
      "$2b$10$abcdefghijklmnopqrstuvABCDEFGHIJKLMNOPQRSTUVABCDEFGHI",
      good.replace("argon2id", "argon2i"),
      good.replace("v=19", "v=16"),
      good.replace("m=8", "m=0"),
      good.replace("m=8", "m=9999999"),
      good.replace("m=8", "m=1048577"),
      good.replace("t=1", "t=0"),
      good.replace("p=1", "p=0"),
      good.replace("p=1", "p=2"),
      good.slice(0, -30),
      `${good}\n`,
      ` ${good}`,
      good.replace(/\$[^$]+$/, ""),
    ];
    for (const text of texts) assert.equal(await Password.verify("a password", text), false, text);
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => assert.equal(await Password.verify("a password", text), false)),
    );
  });

  test("needs a rehash if the parameters have changed", async () => {
    const hash = await Password.hash("a password");
    assert.ok(!Password.needsRehash(hash));
    using _ = configuration({ PASSWORD_MEMORY: "16" });
    assert.ok(Password.needsRehash(hash));
    assert.ok(await Password.verify("a password", hash));
    assert.ok(!Password.needsRehash(await Password.hash("a password")));
    assert.ok(Password.needsRehash("no hash"));
    assert.ok(Password.needsRehash(hash.replace("m=8", "m=16").replace("t=1", "t=2")));
    assert.ok(Password.needsRehash(hash.replace("m=8,t=1,p=1", "m=16,t=1,p=2")));
    using __ = configuration({ PASSWORD_MEMORY: "1048576", PASSWORD_PASSES: "100" });
    assert.ok(!Password.needsRehash(hash.replace("m=8,t=1", "m=1048576,t=100")));
    for (const wrong of [{ PASSWORD_MEMORY: "1048577" }, { PASSWORD_MEMORY: "7" }, { PASSWORD_PASSES: "101" }]) {
      using ___ = configuration(wrong);
      assert.throws(
        () => Password.needsRehash(hash),
        (error) => isError(error, "E_CONFIGURATION_INVALID"),
      );
    }
  });

  test("for an unknown user looks like any other and matches no password", async () => {
    const hash = dummyHash();
    assert.match(hash, /^\$argon2id\$v=19\$m=8,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(dummyHash(), hash);
    assert.equal(await Password.verify("a password", hash), false);
  });

  test("that cannot be computed rejects", async (t) => {
    const failure = new Error("out of memory");
    const hash = await Password.hash("a password");
    t.mock.method(crypto, "argon2", (...args: Parameters<typeof crypto.argon2>) => args[2](failure, Buffer.alloc(32)));
    await assert.rejects(Password.hash("a password"), failure);
    await assert.rejects(Password.verify("a password", hash), failure);
  });

  test("costs at least the default in production", async () => {
    using _ = configuration({ FRAMEWORK_ENV: "production" });
    await assert.rejects(Password.hash("a password"), (error) => isError(error, "E_CONFIGURATION_INVALID"));
    const users = User.service({ database: sqlite({ url: ":memory:" }) });
    await assert.rejects(App.create({ services: [users] }).start(), (error) => {
      assert.ok(isError(error, "E_CONFIGURATION"));
      assert.match(error.message, /PASSWORD_MEMORY +must be at least 19456 KiB in production/);
      assert.match(error.message, /PASSWORD_PASSES +must be at least 2 in production/);
      return true;
    });
    for (const [memory, passes] of [
      ["19455", "2"],
      ["19456", "1"],
      ["65536", "1"],
    ]) {
      using __ = configuration({ PASSWORD_MEMORY: memory ?? "", PASSWORD_PASSES: passes ?? "" });
      await assert.rejects(Password.hash("a password"), (error) => isError(error, "E_CONFIGURATION_INVALID"));
    }
    using ___ = configuration({ PASSWORD_MEMORY: "19456", PASSWORD_PASSES: "3" });
    assert.match(await Password.hash("a password"), /m=19456,t=3/);
  });
});

describe("many concurrent passwords", () => {
  test("are hashed a few at a time, are refused beyond the limit, and do not block the event loop", async () => {
    using _ = configuration({ PASSWORD_MEMORY: "1024" });
    const hash = await Password.hash("a password");
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let maxRunning = 0;
    const verifications = Array.from({ length: 1000 }, async () => {
      const verified = Password.verify("a password", hash);
      maxRunning = Math.max(maxRunning, hashLimiter.counts.running);
      return verified;
    });
    const outcomes = await Promise.allSettled(verifications);
    delay.disable();
    const served = outcomes.filter(({ status }) => status === "fulfilled").length;
    const refused = outcomes.filter(
      (outcome) => outcome.status === "rejected" && isError(outcome.reason, "E_PASSWORD_BUSY"),
    );
    assert.equal(maxRunning, maxConcurrentHashes(availableParallelism(), process.env));
    assert.equal(served, 129 * maxRunning);
    assert.equal(refused.length, 1000 - served);
    const [{ reason }] = refused as [PromiseRejectedResult];
    assert.ok(isError(reason, "E_PASSWORD_BUSY"));
    assert.equal(reason.status, 503);
    assert.ok(reason.message.includes(` ${128 * maxRunning} are waiting`), reason.message);
    assert.ok(delay.percentile(50) / 1e6 < 50, `the event loop was blocked for ${delay.percentile(50) / 1e6} ms`);
    assert.deepEqual(hashLimiter.counts, { running: 0, waiting: 0 });
    assert.ok(await Password.verify("a password", hash), "later passwords are verified again");
  });

  test("use all cores but leave one thread of the pool free", () => {
    for (const [cores, threads, expected] of [
      [1, undefined, 1],
      [2, undefined, 2],
      [8, undefined, 3],
      [8, "", 3],
      [8, "many", 3],
      [8, "16", 8],
      [32, "16", 15],
      [8, "2", 1],
      [8, "1", 1],
    ] as const) {
      assert.equal(maxConcurrentHashes(cores, { UV_THREADPOOL_SIZE: threads }), expected, `${cores} ${threads}`);
    }
  });

  test("are removed from the queue when their signal aborts", async () => {
    const hash = await Password.hash("a password");
    const controller = new AbortController();
    const waited = Array.from({ length: 3 }, () => Password.verify("a password", hash));
    const cancelled = Array.from({ length: 20 }, () =>
      Password.verify("a password", hash, { signal: controller.signal }),
    );
    controller.abort(new Error("gone"));
    const outcomes = await Promise.allSettled(cancelled);
    assert.ok(
      outcomes
        .slice(-10)
        .every((outcome) => outcome.status === "rejected" && (outcome.reason as Error).message === "gone"),
    );
    assert.deepEqual(await Promise.all(waited), [true, true, true]);
    assert.deepEqual(hashLimiter.counts, { running: 0, waiting: 0 });
  });
});

describe("a concurrency limit", () => {
  interface Fixture {
    readonly limit: ConcurrencyLimit;
    readonly ended: readonly string[];
    readonly run: (name: string, signal?: AbortSignal) => Promise<void>;
  }

  const makeLimit = (): Fixture => {
    const limit = new ConcurrencyLimit({
      maxRunning: 1,
      maxWaiting: 3,
      whenFull: (waiting) => new Error(`${waiting} wait`),
    });
    const ended: string[] = [];
    const run = (name: string, signal?: AbortSignal): Promise<void> =>
      limit.run(async () => {
        await setImmediate();
        ended.push(name);
      }, signal);
    return { limit, ended, run };
  };

  test("runs tasks in order and refuses further ones if too many wait", async () => {
    const { limit, ended, run } = makeLimit();
    const tasks = ["a", "b", "c", "d"].map((name) => run(name));
    await assert.rejects(run("e"), /^Error: 3 wait$/);
    assert.deepEqual(limit.counts, { running: 1, waiting: 3 });
    await Promise.all(tasks);
    assert.deepEqual([ended, limit.counts], [["a", "b", "c", "d"], { running: 0, waiting: 0 }]);
  });

  test("does not start a task whose signal has aborted", async () => {
    const { limit, ended, run } = makeLimit();
    await assert.rejects(run("a", AbortSignal.abort(new Error("gone"))), /^Error: gone$/);
    assert.deepEqual([ended, limit.counts], [[], { running: 0, waiting: 0 }]);
  });

  test("ignores the signal of a task that has started", async () => {
    const { ended, run } = makeLimit();
    const controller = new AbortController();
    const tasks = [run("a"), run("b", controller.signal), run("c")];
    await tasks[0];
    controller.abort();
    await Promise.all(tasks);
    assert.deepEqual(ended, ["a", "b", "c"]);
  });
});

test("hashing on a runtime without argon2 throws an error that names the runtime", async (t) => {
  t.mock.property(crypto, "argon2", undefined);
  await assert.rejects(Password.hash("a password"), (error) => {
    assert.ok(isError(error, "E_PASSWORD_UNSUPPORTED"));
    assert.match(error.message, /Node \d+\.\d+.*Node 24\.7/s);
    return true;
  });
  t.mock.property(process, "versions", { ...process.versions, bun: "1.3.0" });
  await assert.rejects(Password.hash("a password"), /Bun 1\.3\.0/);
});
