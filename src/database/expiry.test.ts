import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Configuration, ConfigurationInternals } from "../config/index.ts";
import type { CancellableOptions } from "../core/index.ts";
import { fakeClock } from "../testing/index.ts";
import { type PeriodicTask, Time, TimeInternals } from "../time/index.ts";
import { type Database, deleteExpired, Row, sql } from "./index.ts";
import { sqlite } from "./sqlite/index.ts";

let database: Database;
let errors: unknown[];
beforeEach(async () => {
  Configuration.store([["FRAMEWORK_ENV", "test"]]);
  errors = [];
  database = sqlite({ url: ":memory:" });
  await database.start({ services: [] });
  await database.exec(sql`create table items (id integer primary key, ended_at text not null)`);
});
afterEach(async () => {
  await database.stop();
  ConfigurationInternals.reset();
});

const taskOf = (run: PeriodicTask["run"], intervalMs = Time.minutes(5)): PeriodicTask => ({
  intervalMs,
  run,
  onError: (error) => errors.push(error),
});
const deleteItems = (options: CancellableOptions): Promise<number> =>
  deleteExpired(database, { table: "items", column: "ended_at", until: Time.now() }, options);
const insertItem = (endsInMs: number): Promise<number> =>
  database.exec(sql`insert into items (ended_at) values (${new Date(TimeInternals.timestamp() + endsInMs)})`);
const countItems = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from items`);

test("one timer deletes the expired rows of all tasks, until the last is unregistered", async () => {
  using clock = fakeClock();
  let runs = 0;
  const unregister = database.registerExpiry(taskOf(deleteItems));
  const unregisterOther = database.registerExpiry(taskOf(async () => (runs += 1)));
  assert.equal(clock.pending, 1);
  await insertItem(1000);
  await insertItem(Time.hours(1));
  await clock.advance(Time.minutes(5));
  assert.equal(await countItems(), 1);
  await unregister();
  await clock.advance(Time.minutes(5));
  assert.equal(runs, 2);
  await unregisterOther();
  assert.equal(clock.pending, 0);
  assert.deepEqual(errors, []);
});

test("a condition with `or` restricts the rows that are deleted", async () => {
  using clock = fakeClock();
  await insertItem(1000);
  await insertItem(2000);
  await clock.advance(1500);
  const rows = { table: "items", column: "ended_at", until: Time.now(), where: sql`1 = 1 or 1 = 0` };
  assert.equal(await deleteExpired(database, rows), 1);
  assert.equal(
    await deleteExpired(database, { ...rows, until: new Date(Date.now() * 2), where: sql.in(sql`1`, [1]) }),
    1,
  );
});

test("a task runs in the first round, and then at its interval", async () => {
  using clock = fakeClock();
  const runs: string[] = [];
  database.registerExpiry(taskOf(async () => runs.push("frequent")));
  database.registerExpiry(taskOf(async () => runs.push("rare"), Time.minutes(15)));
  database.registerExpiry({ ...taskOf(async () => runs.push("at once"), Time.days(1)), runsAtOnce: true });
  assert.deepEqual(runs.splice(0), ["at once"]);
  for (const expected of [["frequent", "rare"], ["frequent"], ["frequent"], ["frequent", "rare"]]) {
    for (let step = 0; runs.length === 0 && step < 1000; step++) await clock.advance(Time.minutes(0.1));
    assert.deepEqual(runs.splice(0), expected);
  }
});

test("a failure is reported and retried, and does not stop the other tasks", async () => {
  using clock = fakeClock();
  const failure = new Error("locked");
  let isLocked = true;
  database.registerExpiry(taskOf(async (options) => (isLocked ? Promise.reject(failure) : deleteItems(options))));
  let runs = 0;
  database.registerExpiry(taskOf(async () => (runs += 1)));
  await insertItem(0);
  await clock.advance(Time.minutes(5));
  assert.deepEqual([errors, runs, await countItems()], [[failure], 1, 1]);
  isLocked = false;
  await clock.advance(Time.minutes(5));
  assert.deepEqual([errors, runs, await countItems()], [[failure], 2, 0]);
});

test("a task that takes longer than a minute is cancelled, and the others run", async () => {
  using clock = fakeClock();
  const untilAborted = ({ signal }: CancellableOptions): Promise<never> =>
    new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason as Error)));
  let runs = 0;
  database.registerExpiry(taskOf(untilAborted));
  database.registerExpiry(taskOf(async () => (runs += 1)));
  await clock.advance(Time.minutes(6));
  assert.deepEqual([errors.map((error) => (error as { code?: string }).code), runs], [["E_DATABASE_TIMEOUT"], 1]);
});

test("a task that was registered in a transaction runs outside of it", async () => {
  using clock = fakeClock();
  await insertItem(0);
  await database.transaction(async () => void database.registerExpiry(taskOf(deleteItems)));
  await clock.advance(Time.minutes(5));
  assert.deepEqual([await countItems(), errors], [0, []]);
});

test("all tasks can run now, with the context of the caller", async () => {
  const seen: unknown[] = [];
  const failure = new Error("no such table");
  database.registerExpiry(taskOf(() => Promise.reject(failure)));
  database.registerExpiry(taskOf(async ({ ctx }) => seen.push(ctx)));
  const ctx = [["pool", "tenant"]] as const;
  await assert.rejects(database.deleteExpiredRows({ ctx }), (error: AggregateError) => {
    assert.deepEqual(error.errors, [failure]);
    return true;
  });
  assert.deepEqual(seen, [ctx]);
});

test("stopping the database stops its timer", async () => {
  using clock = fakeClock();
  database.registerExpiry(taskOf(async () => {}));
  await database.stop();
  assert.equal(clock.pending, 0);
  await database.start({ services: [] });
});
