// Who runs a slot: the same on every store.
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
import { mariadb as mariadbServer } from "../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import type { Claim, ScheduleStore } from "./contract.ts";
import { memoryStore } from "./memory-store.ts";
import { migrations } from "./migrations.ts";
import { sqlStore } from "./sql-store.ts";

interface Subject {
  /** Stores as three processes have them. */
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
      clock = Time.fakeClock(new Date("2030-01-01T00:00:00Z"));
      restore = Time.useClock(clock);
      count += 1;
      schedule = Schedule.make({ name: `test.${count}`, every: Time.minutes(1), run: () => {} });
    });
    afterEach(() => restore());

    const at = (minutes: number): Date => new Date(Date.UTC(2030, 0, 1) + minutes * 60_000);
    const claim = (slot: Date | null, from = store): Promise<Claim | undefined> => from.claim(schedule, slot, {});
    const finish = (claimed: Claim | undefined, error: string | null = null): Promise<void> => {
      assert.ok(claimed !== undefined);
      return store.finish(claimed, error, {});
    };

    test(`three processes run ${slots} slots once each`, async () => {
      await Promise.all(stores.map((each) => each.open(schedule, {})));
      for (let slot = 1; slot <= slots; slot++) {
        await clock.advance(Time.minutes(1));
        const claims = await Promise.all(stores.map((each) => claim(at(slot), each)));
        const won = claims.filter((each) => each !== undefined);
        assert.equal(won.length, 1);
        await finish(won[0]);
        assert.deepEqual(
          await Promise.all(stores.map((each) => claim(at(slot), each))),
          stores.map(() => undefined),
        );
      }
      const runs = await store.history(schedule.name, 1000, {});
      assert.equal(runs.length, Math.min(slots, 100));
      assert.deepEqual(runs[0]?.slot, at(slots));
      assert.ok(runs.every(({ outcome }) => outcome === "succeeded"));
    });

    test("a schedule is done up to when it became known, then up to the last slot that ran", async () => {
      assert.deepEqual(await store.open(schedule, {}), at(0));
      await clock.advance(Time.minutes(2));
      assert.deepEqual(await store.open(schedule, {}), at(0));
      await finish(await claim(at(2)));
      await clock.advance(Time.minutes(5));
      assert.deepEqual(await store.open(schedule, {}), at(2));
    });

    test("another timing makes a schedule new: slots of the past are not due under it", async () => {
      await store.open(schedule, {});
      await clock.advance(Time.minutes(5));
      const other = Schedule.make({ name: schedule.name, every: Time.seconds(30), run: () => {} });
      assert.deepEqual(await store.open(other, {}), at(5));
      await clock.advance(Time.minutes(1));
      assert.deepEqual(await store.open(other, {}), at(5));
    });

    test("runs do not overlap, by hand or by slot, in any process", async () => {
      await store.open(schedule, {});
      const first = await claim(at(1));
      assert.ok(first !== undefined);
      for (const each of stores) {
        assert.equal(await claim(at(2), each), undefined);
        assert.equal(await claim(null, each), undefined);
      }
      await finish(first);
      const second = await claim(null);
      assert.deepEqual(await claim(at(3)), undefined);
      await finish(second);
      await finish(await claim(at(3)));
    });

    test("a claim that is not renewed ends, and cannot be taken up again", async () => {
      await store.open(schedule, {});
      const first = await claim(at(1));
      assert.ok(first !== undefined);
      await clock.advance(Time.seconds(29));
      assert.equal(await claim(at(2)), undefined);
      assert.equal(await store.renew(first, {}), true);
      await clock.advance(Time.seconds(29));
      assert.equal(await claim(at(3)), undefined);
      await clock.advance(Time.seconds(1));
      const second = await claim(at(4));
      assert.ok(second !== undefined);
      assert.equal(await store.renew(first, {}), false);
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

    test("a slot that ran is not run again when the clock is set back, by an hour or by a year", async () => {
      await store.open(schedule, {});
      await clock.advance(Time.days(365));
      await finish(await claim(at(365 * 1440)));
      clock.set(at(365 * 1440 - 60));
      assert.equal(await claim(at(365 * 1440 - 60)), undefined);
      assert.equal(await claim(at(365 * 1440)), undefined);
      clock.set(at(10));
      const early = await claim(at(10));
      await finish(early);
      assert.equal(await claim(at(10)), undefined);
      clock.set(at(365 * 1440));
      assert.equal(await claim(at(365 * 1440)), undefined);
      await finish(await claim(at(365 * 1440 + 1)));
    });

    test("a process that died while its clock was a year ahead holds up nobody for longer than a day", async () => {
      await store.open(schedule, {});
      clock.set(at(365 * 1440));
      assert.ok((await claim(at(365 * 1440))) !== undefined);
      clock.set(at(1));
      await finish(await claim(at(1)));
      await finish(await claim(null));
    });

    test("a pause is for all processes; a run by hand is not hindered; resuming forgets what passed", async () => {
      await store.open(schedule, {});
      await store.setPaused(schedule, true, {});
      await store.setPaused(schedule, true, {});
      for (const each of stores) {
        assert.ok((await each.paused({})).has(schedule.name));
        assert.equal(await claim(at(1), each), undefined);
      }
      await finish(await claim(null));
      await clock.advance(Time.minutes(10));
      await store.setPaused(schedule, false, {});
      await store.setPaused(schedule, false, {});
      assert.equal((await store.paused({})).has(schedule.name), false);
      assert.deepEqual(await store.open(schedule, {}), at(10));
      await finish(await claim(at(11)));
    });

    test("a run is remembered with its start, end and outcome", async () => {
      await store.open(schedule, {});
      await clock.advance(Time.minutes(1) + 250);
      const claimed = await claim(at(1));
      const [running] = await store.history(schedule.name, 1, {});
      const started_at = new Date(at(1).getTime() + 250);
      const run = { id: claimed?.id, schedule: schedule.name, slot: at(1), started_at };
      assert.deepEqual(running, { ...run, ended_at: null, outcome: "running", error: null });
      await clock.advance(1500);
      await finish(claimed);
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
