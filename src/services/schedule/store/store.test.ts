// Contract of schedule stores, on every store: leases, slots, pauses and run records.
import { TimeInternals } from "../../../time/index.ts";
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { Migration, Schedule, Time } from "limmat";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../test/servers/server.ts";
import type { RunLease, ScheduleStore } from "./contract.ts";
import { memoryStore } from "./memory.ts";
import { migrations, sqlStore } from "./sql.ts";

interface Subject {
  /** Returns the stores of three processes. */
  readonly stores: () => Promise<readonly ScheduleStore[]>;
  readonly end: () => Promise<void>;
}

function cases(name: string, slots: number, subject: Subject): void {
  describe(name, () => {
    let stores: readonly ScheduleStore[];
    let store: ScheduleStore;
    let clock: Time.FakeClock;
    let restore: () => void;
    let schedule: Schedule.Schedule;
    let count = 0;

    before(async () => {
      stores = await subject.stores();
      store = stores[0] as ScheduleStore;
    });
    after(() => subject.end());
    beforeEach(() => {
      clock = TimeInternals.fakeClock(new Date("2030-01-01T00:00:00Z"));
      restore = TimeInternals.useClock(clock);
      count += 1;
      schedule = Schedule.make({ name: `test.${count}`, intervalMs: Time.minutes(1), run: () => {} });
    });
    afterEach(() => restore());

    const at = (minutes: number): Date => new Date(Date.UTC(2030, 0, 1) + minutes * 60_000);
    const claim = (slot: Date | null, from = store): Promise<RunLease | undefined> => from.claim(schedule, slot, {});
    const finish = (lease: RunLease | undefined, error: string | null = null): Promise<void> => {
      assert.ok(lease !== undefined);
      return store.finish(lease, error, {});
    };

    test(`three processes run ${slots} slots once each`, async () => {
      await Promise.all(stores.map((processStore) => processStore.register(schedule, {})));
      for (let slot = 1; slot <= slots; slot++) {
        await clock.advance(Time.minutes(1));
        const leases = await Promise.all(stores.map((processStore) => claim(at(slot), processStore)));
        const acquired = leases.filter((lease) => lease !== undefined);
        assert.equal(acquired.length, 1);
        await finish(acquired[0]);
        assert.deepEqual(
          await Promise.all(stores.map((processStore) => claim(at(slot), processStore))),
          stores.map(() => undefined),
        );
      }
      const runs = await store.history(schedule.name, 1000, {});
      assert.equal(runs.length, Math.min(slots, 100));
      assert.deepEqual(runs[0]?.slot, at(slots));
      assert.ok(runs.every(({ outcome }) => outcome === "succeeded"));
    });

    test("slots are done up to the registration, then up to the last slot that ran", async () => {
      assert.deepEqual(await store.register(schedule, {}), at(0));
      await clock.advance(Time.minutes(2));
      assert.deepEqual(await store.register(schedule, {}), at(0));
      await finish(await claim(at(2)));
      await clock.advance(Time.minutes(5));
      assert.deepEqual(await store.register(schedule, {}), at(2));
    });

    test("a changed timing makes past slots not due", async () => {
      await store.register(schedule, {});
      await clock.advance(Time.minutes(5));
      const other = Schedule.make({ name: schedule.name, intervalMs: Time.seconds(30), run: () => {} });
      assert.deepEqual(await store.register(other, {}), at(5));
      await clock.advance(Time.minutes(1));
      assert.deepEqual(await store.register(other, {}), at(5));
    });

    test("scheduled and manual runs do not overlap, in any process", async () => {
      await store.register(schedule, {});
      const first = await claim(at(1));
      assert.ok(first !== undefined);
      for (const processStore of stores) {
        assert.equal(await claim(at(2), processStore), undefined);
        assert.equal(await claim(null, processStore), undefined);
      }
      await finish(first);
      const second = await claim(null);
      assert.deepEqual(await claim(at(3)), undefined);
      await finish(second);
      await finish(await claim(at(3)));
    });

    test("a lease that is not renewed expires, and cannot be renewed later", async () => {
      await store.register(schedule, {});
      const first = await claim(at(1));
      assert.ok(first !== undefined);
      await clock.advance(Time.seconds(29));
      assert.equal(await claim(at(2)), undefined);
      assert.equal(await store.renewLease(first, {}), true);
      await clock.advance(Time.seconds(29));
      assert.equal(await claim(at(3)), undefined);
      await clock.advance(Time.seconds(1));
      const second = await claim(at(4));
      assert.ok(second !== undefined);
      assert.equal(await store.renewLease(first, {}), false);
      await finish(first);
      assert.equal(await claim(at(5)), undefined);
      await finish(second, "Error: no paper");
      const runs = await store.history(schedule.name, 10, {});
      assert.deepEqual(
        runs.map(({ slot, outcome, error }) => [slot, outcome, error]),
        [
          [at(4), "failed", "Error: no paper"],
          [at(1), "lost", null],
        ],
      );
    });

    test("the run of a killed process delays a frequent schedule by few slots", async () => {
      for (const [intervalMs, leaseMs] of [
        [1000, 5000],
        [20_000, 20_000],
        [3_600_000, 30_000],
      ] as const) {
        const frequent = Schedule.make({ name: `${schedule.name}.${intervalMs}`, intervalMs, run: () => {} });
        await store.register(frequent, {});
        const claimFrequent = (): Promise<RunLease | undefined> =>
          store.claim(frequent, frequent.latest(Time.now()) ?? null, {});
        await clock.advance(intervalMs);
        const killed = await claimFrequent();
        assert.ok(killed !== undefined);
        await clock.advance(leaseMs / 2);
        assert.equal(await store.renewLease(killed, {}), true);
        await clock.advance(leaseMs - 1);
        assert.equal(await store.claim(frequent, null, {}), undefined);
        await clock.advance(1);
        await finish(await store.claim(frequent, null, {}));
      }
    });

    test("a slot does not run again when the clock is set back, by an hour or by a year", async () => {
      await store.register(schedule, {});
      for (let minute = 1; minute <= 130; minute++) {
        await clock.advance(Time.minutes(1));
        await finish(await claim(at(minute)));
      }
      clock.set(at(1));
      assert.equal(await claim(at(1)), undefined, "a slot without a record, which is within the sequence");
      clock.set(at(71));
      assert.equal(await claim(at(71)), undefined);
      assert.equal(await claim(at(130)), undefined);
      clock.set(at(-365 * 1440));
      await finish(await claim(at(-365 * 1440)));
      assert.equal(await claim(at(-365 * 1440)), undefined);
      clock.set(at(130));
      assert.equal(await claim(at(130)), undefined);
      await finish(await claim(at(131)));
    });

    for (const [duration, minutes] of [
      ["a quarter of an hour", 15],
      ["a day", 1440],
      ["a year", 365 * 1440],
    ] as const) {
      test(`a clock that was ahead by ${duration} silences no schedule`, async () => {
        await store.register(schedule, {});
        await clock.advance(Time.minutes(1));
        await finish(await claim(at(1)));
        clock.set(at(minutes));
        await finish(await claim(at(minutes)));
        // The process dies during this run.
        assert.ok((await claim(at(minutes + 1))) !== undefined);
        clock.set(at(2));
        assert.equal(await claim(at(1)), undefined);
        await finish(await claim(at(2)));
        await finish(await claim(at(3)));
        await finish(await claim(null));
      });
    }

    test("a pause applies to all processes, but not to manual runs, and skipped slots do not run after it", async () => {
      await store.register(schedule, {});
      await store.setPaused(schedule, true, {});
      await store.setPaused(schedule, true, {});
      for (const processStore of stores) {
        assert.ok((await processStore.pausedNames({})).has(schedule.name));
        assert.equal(await claim(at(1), processStore), undefined);
      }
      await finish(await claim(null));
      await clock.advance(Time.minutes(10));
      await store.setPaused(schedule, false, {});
      await store.setPaused(schedule, false, {});
      assert.equal((await store.pausedNames({})).has(schedule.name), false);
      assert.deepEqual(await store.register(schedule, {}), at(10));
      await finish(await claim(at(11)));
    });

    test("a run is recorded with its start, end and outcome", async () => {
      await store.register(schedule, {});
      await clock.advance(Time.minutes(1) + 250);
      const lease = await claim(at(1));
      const [running] = await store.history(schedule.name, 1, {});
      const started_at = new Date(at(1).getTime() + 250);
      const run = { id: lease?.id, schedule: schedule.name, slot: at(1), started_at };
      assert.deepEqual(running, { ...run, ended_at: null, outcome: "running", error: null });
      await clock.advance(1500);
      await finish(lease);
      const ended_at = new Date(at(1).getTime() + 1750);
      assert.deepEqual(await store.history(schedule.name, 10, {}), [
        { ...run, ended_at, outcome: "succeeded", error: null },
      ]);
    });
  });
}

function onDatabase(make: () => Database): Subject {
  const databases = [make(), make(), make()] as const;
  return {
    stores: async () => {
      for (const database of databases) await database.start({ services: [] });
      await Migration.service({ database: databases[0], migrations }).runAll();
      return databases.map(sqlStore);
    },
    end: async () => {
      for (const database of databases) await database.stop();
    },
  };
}

const memory = memoryStore();
cases("memory", 1000, { stores: async () => [memory, memory, memory], end: async () => {} });

const folder = mkdtempSync(join(tmpdir(), "limmat-schedule-"));
after(() => rmSync(folder, { recursive: true, force: true }));
cases(
  "SQLite",
  120,
  onDatabase(() => sqlite({ url: `sqlite:${join(folder, "test.db")}` })),
);
await withServer(postgresqlServer, ({ url }) =>
  cases(
    "PostgreSQL",
    120,
    onDatabase(() => postgresql({ url })),
  ),
);
await withServer(mariadbServer, ({ url }) =>
  cases(
    "MariaDB",
    120,
    onDatabase(() => mariadb({ url })),
  ),
);
