// Contract tests of an idempotency service, run on every backend.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Cleaner, Configuration, Migration, Time } from "limmat";
import { type Database, Row, sql } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import * as Idempotency from "limmat/idempotency";
import { fakeClock } from "limmat/testing";
import { ConfigurationInternals } from "../../config/index.ts";
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { hasAllRounds } from "../../../test/rounds.ts";

/** Options of tests that start and kill a process: only `npm run test:long` runs them. */
const killsProcesses = { skip: hasAllRounds ? false : "npm run test:long kills processes" };

const folder = mkdtempSync(join(tmpdir(), "limmat-idempotency-"));
Configuration.store([["FRAMEWORK_ENV", "test"]]);
after(() => {
  ConfigurationInternals.reset();
  rmSync(folder, { recursive: true, force: true });
});

const request: Idempotency.KeyedRequest = { key: "a", scope: ["ada", "POST /orders"], content: "body" };
const response: Idempotency.StoredResponse = {
  status: 201,
  headers: [
    ["x-order", "é"],
    ["x-order", "2"],
  ],
  body: Uint8Array.from([0, 255, 13, 10, 39]),
};
const outcome = <T>(value: T): Idempotency.WorkOutcome<T> => ({ value, stored: response });
const repeated = { kind: "repeated", response };

function idempotencyContract(
  name: string,
  service: Idempotency.Idempotency,
  prepare: () => Promise<() => Promise<void>>,
): void {
  describe(name, () => {
    let stop: () => Promise<void>;
    before(async () => {
      stop = await prepare();
    });
    after(() => stop());
    beforeEach(() => Cleaner.cleanAll());

    /** Runs a request and counts the runs of its work. */
    let runs = 0;
    const run = (changes: Partial<Idempotency.KeyedRequest> = {}): Promise<Idempotency.RunResult<number>> =>
      service.run({ ...request, ...changes }, async () => outcome(++runs));

    test("runs the work of a request once, and repeats its response", async () => {
      const { kind } = await run();
      assert.equal(kind, "completed");
      const runsBefore = runs;
      for (const _ of [1, 2]) assert.deepEqual(await run(), repeated);
      assert.equal(runs, runsBefore);
    });

    test("stores responses without a body, and only the status of those that are too large", async () => {
      for (const [key, stored] of [
        ["empty", { status: 204, headers: [], body: undefined }],
        ["lost", { status: 200, headers: undefined, body: undefined }],
      ] as const) {
        await service.run({ ...request, key }, async () => ({ value: 1, stored }));
        assert.deepEqual(await run({ key }), { kind: "repeated", response: stored });
      }
    });

    test("keeps keys, owners and operations apart", async () => {
      await run();
      for (const changes of [
        { key: "b" },
        { key: "A" },
        { key: "a " },
        { scope: ["eve", "POST /orders"] },
        { scope: ["ada", "POST /payments"] },
        { scope: ["ada", "POST /orders", "a"], key: "" },
        { scope: ["adaPOST /orders"] },
      ]) {
        assert.equal((await run(changes)).kind, "completed", JSON.stringify(changes));
      }
    });

    test("refuses the key of another request", async () => {
      await run();
      assert.deepEqual(await run({ content: "other" }), { kind: "reused" });
      assert.deepEqual(await run(), repeated);
    });

    test("runs concurrent repetitions once", async () => {
      const results = await Promise.all(Array.from({ length: 20 }, () => run({ key: "concurrent" })));
      const kinds = results.map(({ kind }) => kind);
      assert.equal(kinds.filter((kind) => kind === "completed").length, 1, String(kinds));
      assert.ok(
        kinds.every((kind) => ["completed", "running", "repeated"].includes(kind)),
        String(kinds),
      );
      assert.deepEqual(await run({ key: "concurrent" }), repeated);
    });

    test("reports at once that the work is running", async () => {
      const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const first = service.run(request, async () => {
        started.resolve();
        await end.promise;
        return outcome("first");
      });
      await started.promise;
      assert.deepEqual(await run(), { kind: "running" });
      assert.deepEqual(await run({ content: "other" }), { kind: "reused" });
      end.resolve();
      assert.deepEqual(await first, { kind: "completed", value: "first" });
      assert.deepEqual(await run(), repeated);
    });

    test("frees the key of work that throws, fails, or has no response to store", async () => {
      await assert.rejects(
        service.run(request, async () => Promise.reject(new Error("broken"))),
        /broken/,
      );
      await assert.rejects(
        service.run(request, async () => outcome("unreachable"), {
          beforeWork: () => Promise.reject(new Error("refused")),
        }),
        /refused/,
      );
      for (const changes of [{ isFailed: true }, { stored: undefined }, { stored: undefined, isFailed: true }]) {
        const result = await service.run(request, async () => ({ ...outcome("failed"), ...changes }));
        assert.deepEqual(result, { kind: "completed", value: "failed" });
      }
      assert.equal((await run({ content: "other" })).kind, "completed");
    });

    test("forgets a response after 24 hours, and deletes it", async () => {
      using clock = fakeClock();
      await run();
      await run({ key: "b" });
      await clock.advance(Time.days(1) - 1);
      assert.deepEqual(await run(), repeated);
      assert.equal(await service.purge(), 0);
      await clock.advance(1);
      assert.equal((await run({ content: "other" })).kind, "completed");
      assert.equal(await service.purge(), 1);
      assert.equal((await run({ content: "other" })).kind, "repeated");
    });

    test("lets another call take over after the lease, and undoes the late one", async () => {
      using clock = fakeClock();
      const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const late = service.run(request, async () => {
        started.resolve();
        await end.promise;
        // Not even an answer that has changed nothing is given twice.
        return { value: "late", stored: { ...response, status: 422 } };
      });
      await started.promise;
      await clock.advance(Time.seconds(60) - 1);
      assert.deepEqual(await run(), { kind: "running" });
      await clock.advance(1);
      assert.deepEqual(await run({ content: "other" }), { kind: "reused" });
      // SQLite has one writer: the second call waits for the first.
      const second = run();
      if (name === "SQLite") end.resolve();
      else await second;
      end.resolve();
      const [lateResult, secondResult] = await Promise.allSettled([late, second]);
      const completed = [lateResult, secondResult].filter(({ status }) => status === "fulfilled");
      assert.ok(completed.length >= 1);
      if (name !== "SQLite") {
        assert.equal(lateResult.status === "rejected" && lateResult.reason.code, "E_IDEMPOTENCY_LEASE_LOST");
      }
      assert.equal((await run()).kind, "repeated");
    });

    test("keeps late work that has no transaction, and its result", async () => {
      using clock = fakeClock();
      const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const work = async (): Promise<Idempotency.WorkOutcome<string>> => {
        started.resolve();
        await end.promise;
        return outcome("late");
      };
      const late = service.run(request, work, { hasTransaction: false });
      await started.promise;
      await clock.advance(Time.seconds(60));
      assert.equal((await run()).kind, "completed");
      end.resolve();
      assert.deepEqual(await late, { kind: "completed", value: "late" });
      assert.deepEqual(await run(), repeated);
    });

    test("frees the key of work without a transaction that throws, fails, or has no response to store", async () => {
      const options = { hasTransaction: false };
      const throwing = service.run(request, async () => Promise.reject(new Error("broken")), options);
      await assert.rejects(throwing, /broken/);
      for (const changes of [{ isFailed: true }, { stored: undefined }]) {
        const result = await service.run(request, async () => ({ ...outcome("failed"), ...changes }), options);
        assert.deepEqual(result, { kind: "completed", value: "failed" });
      }
      assert.equal((await run()).kind, "completed");
    });

    test("refuses options without sense", () => {
      for (const options of [{ leaseMs: 0 }, { expiresInMs: -1 }, { leaseMs: NaN }, { leaseMs: 2, expiresInMs: 1 }])
        assert.throws(() => Idempotency.memory(options), { code: "E_IDEMPOTENCY_OPTION" });
    });
  });
}

test("the memory keeps at most maxKeys responses, and every running key", async () => {
  const service = Idempotency.memory({ maxKeys: 2 });
  const run = async (key: string): Promise<string> =>
    (await service.run({ key, scope: ["ada"], content: "" }, async () => outcome(key))).kind;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const slow = { key: "slow", scope: ["ada"], content: "" };
  const slowRun = service.run(slow, async () => outcome(await promise));
  for (const key of ["a", "b", "c"]) assert.equal(await run(key), "completed");
  assert.equal((await service.run(slow, async () => outcome("again"))).kind, "running");
  assert.equal(await run("c"), "repeated");
  assert.equal(await run("a"), "completed");
  resolve(undefined);
  assert.equal((await slowRun).kind, "completed");
  assert.equal((await service.run(slow, async () => outcome("again"))).kind, "repeated");
  for (const maxKeys of [0, 1.5, NaN]) {
    assert.throws(() => Idempotency.memory({ maxKeys }), { code: "E_IDEMPOTENCY_OPTION" });
  }
});

{
  const memory = Idempotency.memory();
  idempotencyContract("memory", memory, async () => {
    await memory.start({ services: [] });
    return async () => {
      await memory.stop();
    };
  });
}

const orders = Migration.make("orders", [
  Migration.step(
    "create table",
    ({ string }) => `create table idempotent_orders (name ${string(50)} not null, constraint one unique (name))`,
  ),
]);
const fixture = fileURLToPath(new URL("../../../test/fixtures/idempotent.ts", import.meta.url));

function testDatabase(name: string, database: Database, url: string): void {
  const service = Idempotency.sql({ database });
  const countOrders = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from idempotent_orders`);
  const insertOrder = (order: string): Promise<number> =>
    database.exec(sql`insert into idempotent_orders (name) values (${order})`);

  suite(name, () => {
    before(async () => {
      await database.start({ services: [] });
      await Migration.service({ database, migrations: [...service.migrations, orders] }).runAll();
    });
    after(() => database.stop());

    idempotencyContract(name, service, async () => {
      await service.start({ services: [] });
      return async () => {
        await service.stop();
      };
    });

    describe("the transaction", () => {
      before(() => service.start({ services: [] }));
      after(() => service.stop());
      beforeEach(() => Cleaner.cleanAll());

      test("contains the work and its response", async () => {
        await service.run(request, async () => outcome(await insertOrder("a")));
        assert.equal(await countOrders(), 1);
        for (const fail of [
          async () => {
            await insertOrder("b");
            throw new Error("broken");
          },
          async () => ({ ...outcome(await insertOrder("c")), isFailed: true }),
        ]) {
          await service.run({ ...request, key: "b" }, fail).catch(() => {});
          assert.equal(await countOrders(), 1);
        }
        // A status that is not stored does not undo the work.
        await service.run({ ...request, key: "b" }, async () => ({ value: await insertOrder("d"), stored: undefined }));
        assert.equal(await countOrders(), 2);
      });

      test("keeps the result of work whose key cannot be released", async () => {
        let mayFail = false;
        const failing = {
          ...database,
          exec: (...args: Parameters<Database["exec"]>) =>
            mayFail ? Promise.reject(new Error("lost")) : database.exec(...args),
        };
        const result = await Idempotency.sql({ database: failing }).run({ ...request, key: "r" }, async () => {
          const value = await insertOrder("kept");
          mayFail = true;
          return { value, stored: undefined };
        });
        assert.deepEqual([result.kind, await countOrders()], ["completed", 1]);
      });

      test("can be left out: the changes stay, also those before a failed statement", async () => {
        const options = { hasTransaction: false };
        const fails = async (): Promise<Idempotency.WorkOutcome<string>> => {
          await insertOrder("kept");
          await insertOrder("kept").catch(() => {});
          return { value: "refused", stored: undefined };
        };
        assert.deepEqual(await service.run(request, fails, options), { kind: "completed", value: "refused" });
        const throws = async (): Promise<never> => {
          await insertOrder("thrown");
          throw new Error("broken");
        };
        await assert.rejects(service.run(request, throws, options), /broken/);
        assert.equal(await countOrders(), 2);
      });

      test("is undone if its statement fails and the work answers with an error", async () => {
        await insertOrder("taken");
        const result = await service.run(request, async () => {
          const stored = { ...response, status: 409 };
          await insertOrder("taken").catch(() => {});
          return { value: "taken", stored };
        });
        assert.deepEqual(result, { kind: "completed", value: "taken" });
        assert.equal(await countOrders(), 1);
      });

      test("runs the work of concurrent repetitions once", async () => {
        const results = await Promise.allSettled(
          Array.from({ length: 10 }, (_, index) =>
            service.run(request, async () => outcome(await insertOrder(`order ${index}`))),
          ),
        );
        assert.deepEqual(
          results.filter(({ status }) => status === "rejected"),
          [],
        );
        assert.equal(await countOrders(), 1);
      });
    });

    for (const moment of ["during", "after"] as const) {
      test(`a process that is killed ${moment} the work leaves it done once`, killsProcesses, async () => {
        await Cleaner.cleanAll();
        const module = new URL(`../../database/${name.toLowerCase()}/index.ts`, import.meta.url).href;
        const child = spawn(
          process.execPath,
          ["--conditions=@limmat/source", fixture, module, name.toLowerCase(), url, moment],
          { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, FRAMEWORK_ENV: "test" } },
        );
        await once(child.stdout, "data");
        const exited = once(child, "exit");
        child.kill("SIGKILL");
        await exited;
        const killed = { ...request, key: "killed" };
        const again = (): Promise<Idempotency.RunResult<number>> =>
          service.run(killed, async () => outcome(await insertOrder("again")));
        if (moment === "after") {
          const body = new TextEncoder().encode("first");
          const first = { status: 201, headers: [["x-order", "1"]], body };
          assert.deepEqual(await again(), { kind: "repeated", response: first });
        } else {
          assert.deepEqual(await again(), { kind: "running" });
          using clock = fakeClock(new Date());
          await clock.advance(Time.seconds(61));
          assert.equal((await again()).kind, "completed");
        }
        assert.equal(await countOrders(), 1);
      });
    }
  });
}

const file = `sqlite:${join(folder, "test.db")}`;
testDatabase("SQLite", sqlite({ url: file }), file);
await withServer(postgresqlServer, ({ url }) => testDatabase("PostgreSQL", postgresql({ url }), url));
await withServer(mariadbServer, ({ url }) => testDatabase("MariaDB", mariadb({ url }), url));
