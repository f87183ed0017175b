import assert from "node:assert/strict";
import crypto from "node:crypto";
import { availableParallelism } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { beforeEach, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import * as fc from "fast-check";
import { App, Configuration, isError, Password, User } from "limmat";
import { sqlite } from "limmat/database/sqlite";
import { configuration } from "limmat/testing";
import { gate, hashesAtOnce } from "./argon2.ts";
import { Gate } from "./gate.ts";

beforeEach(() => {
  Configuration.reset();
  Configuration.store([
    ["PASSWORD_MEMORY", "8"],
    ["PASSWORD_PASSES", "1"],
  ]);
});

describe("a password's hash", () => {
  test("is a PHC string of argon2id with the parameters of OWASP, and another each time", async () => {
    Configuration.reset();
    const [first, second] = await Promise.all([Password.hash("correct horse"), Password.hash("correct horse")]);
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(first, second);
    assert.ok(await Password.verify("correct horse", first));
    assert.ok(!(await Password.verify("correct horsf", first)));
  });

  test("made elsewhere, by the reference implementation, is verified", async () => {
    const made = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    assert.ok(await Password.verify("password", made));
    assert.ok(!(await Password.verify("Password", made)));
    assert.ok(Password.needsRehash(made));
  });

  test("is of the password exactly as it was typed", async () => {
    const different = [
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
    const hashes = await Promise.all(different.map((password) => Password.hash(password)));
    for (const [row, password] of different.entries()) {
      for (const [column, hash] of hashes.entries()) {
        assert.equal(await Password.verify(password, hash), row === column, `${row} against ${column}`);
      }
    }
  });

  test("belongs to one text and no other", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.string({ minLength: 1 }),
        async (one, other) => {
          const hash = await Password.hash(one);
          assert.ok(await Password.verify(one, hash));
          assert.equal(await Password.verify(other, hash), one === other);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("is not made of what no one can type, and such a text is not looked at", async (t) => {
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

  test("that is none has no password, and costs nothing", async (t) => {
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

  test("wants to be made anew when the parameters are others", async () => {
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

  test("of nobody looks like any other, and no password has it", async () => {
    const hash = Password.nobodysHash();
    assert.match(hash, /^\$argon2id\$v=19\$m=8,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    assert.notEqual(Password.nobodysHash(), hash);
    assert.equal(await Password.verify("a password", hash), false);
  });

  test("that cannot be computed is an error", async (t) => {
    const failure = new Error("out of memory");
    const hash = await Password.hash("a password");
    t.mock.method(crypto, "argon2", (...args: Parameters<typeof crypto.argon2>) => args[2](failure, Buffer.alloc(32)));
    await assert.rejects(Password.hash("a password"), failure);
    await assert.rejects(Password.verify("a password", hash), failure);
  });

  test("cannot cost less than the default in production", async () => {
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

describe("many passwords at once", () => {
  test("are hashed a few at a time, and beyond a number refused at once; the event loop goes on", async () => {
    using _ = configuration({ PASSWORD_MEMORY: "1024" });
    const hash = await Password.hash("a password");
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let most = 0;
    const all = Array.from({ length: 1000 }, async () => {
      const verified = Password.verify("a password", hash);
      most = Math.max(most, gate.counts.running);
      return verified;
    });
    const ends = await Promise.allSettled(all);
    delay.disable();
    const served = ends.filter(({ status }) => status === "fulfilled").length;
    const refused = ends.filter((end) => end.status === "rejected" && isError(end.reason, "E_PASSWORD_BUSY"));
    assert.equal(most, hashesAtOnce(availableParallelism(), process.env));
    assert.equal(served, 129 * most);
    assert.equal(refused.length, 1000 - served);
    const [{ reason }] = refused as [PromiseRejectedResult];
    assert.ok(isError(reason, "E_PASSWORD_BUSY"));
    assert.deepEqual([reason.status, reason.message.split(" ")[0]], [503, String(128 * most)]);
    assert.ok(delay.percentile(50) / 1e6 < 50, `the event loop was held up for ${delay.percentile(50) / 1e6} ms`);
    assert.deepEqual(gate.counts, { running: 0, waiting: 0 });
    assert.ok(await Password.verify("a password", hash), "and then all is as before");
  });

  test("take as many cores as there are, and leave one of libuv's threads to files and name look-ups", () => {
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
      assert.equal(hashesAtOnce(cores, { UV_THREADPOOL_SIZE: threads }), expected, `${cores} ${threads}`);
    }
  });

  test("do not wait for somebody who went away", async () => {
    const hash = await Password.hash("a password");
    const controller = new AbortController();
    const first = Array.from({ length: 3 }, () => Password.verify("a password", hash));
    const gone = Array.from({ length: 20 }, () => Password.verify("a password", hash, { signal: controller.signal }));
    controller.abort(new Error("gone"));
    const ends = await Promise.allSettled(gone);
    assert.ok(ends.slice(-10).every((end) => end.status === "rejected" && (end.reason as Error).message === "gone"));
    assert.deepEqual(await Promise.all(first), [true, true, true]);
    assert.deepEqual(gate.counts, { running: 0, waiting: 0 });
  });
});

describe("a gate", () => {
  const open = (): { gate: Gate; ended: string[]; work: (name: string, signal?: AbortSignal) => Promise<void> } => {
    const narrow = new Gate({ running: 1, waiting: 3, full: (waiting) => new Error(`${waiting} wait`) });
    const ended: string[] = [];
    const work = (name: string, signal?: AbortSignal): Promise<void> =>
      narrow.run(async () => {
        await setImmediate();
        ended.push(name);
      }, signal);
    return { gate: narrow, ended, work };
  };

  test("lets in one after the other, and refuses who would wait behind too many", async () => {
    const { gate: narrow, ended, work } = open();
    const all = ["a", "b", "c", "d"].map((name) => work(name));
    await assert.rejects(work("e"), /^Error: 3 wait$/);
    assert.deepEqual(narrow.counts, { running: 1, waiting: 3 });
    await Promise.all(all);
    assert.deepEqual([ended, narrow.counts], [["a", "b", "c", "d"], { running: 0, waiting: 0 }]);
  });

  test("does not begin a work that nobody waits for any more", async () => {
    const { gate: narrow, ended, work } = open();
    await assert.rejects(work("a", AbortSignal.abort(new Error("gone"))), /^Error: gone$/);
    assert.deepEqual([ended, narrow.counts], [[], { running: 0, waiting: 0 }]);
  });

  test("takes nobody else's place away when somebody goes who has begun already", async () => {
    const { ended, work } = open();
    const controller = new AbortController();
    const all = [work("a"), work("b", controller.signal), work("c")];
    await all[0];
    controller.abort();
    await Promise.all(all);
    assert.deepEqual(ended, ["a", "b", "c"]);
  });
});

test("a runtime without argon2 is named", async (t) => {
  t.mock.property(crypto, "argon2", undefined);
  await assert.rejects(Password.hash("a password"), (error) => {
    assert.ok(isError(error, "E_PASSWORD_UNSUPPORTED"));
    assert.match(error.message, /Node \d+\.\d+.*Node 24\.7/s);
    return true;
  });
  t.mock.property(process, "versions", { ...process.versions, bun: "1.3.0" });
  await assert.rejects(Password.hash("a password"), /Bun 1\.3\.0/);
});
