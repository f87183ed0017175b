// Beside the sources it could not be seen that places in the framework are passed over.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { Configuration, Log, Time } from "limmat";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog } from "limmat/testing";

const database = sqlite({ url: ":memory:" });
const one = sql.value(Row.int)`select 1 as v`;

before(async () => database.start({ services: [database] }));
afterEach(() => Configuration.reset());
after(async () => {
  await database.stop();
  Log.reset();
});

test("statements are logged at debug level, with the place that asked and without their values", async () => {
  using log = capturedLog();
  await database.find(sql.value(Row.text)`select ${"canary"} as v`);
  const entry = log.entries.find(({ message }) => message === "select ? as v");
  assert.equal(entry?.level, "debug");
  assert.equal(entry.fields["rows"], 1);
  assert.equal(typeof entry.fields["duration_ms"], "number");
  assert.match(String(entry.fields["at"]), /query-log\.test\.ts:\d+/);
  assert.doesNotMatch(JSON.stringify(log.entries), /canary/);
});
test("a slow statement is a warning, at any level of the log", async () => {
  using log = capturedLog("warning");
  await database.find(one);
  assert.deepEqual(log.messages(), []);
  let now = 0;
  const clock = Time.fakeClock();
  const restore = Time.useClock({ ...clock, monotonic: () => (now += 1500) });
  await database.find(one);
  restore();
  assert.deepEqual(log.messages(), ["Slow statement: select 1 as v"]);
  assert.equal(log.entries[0]?.fields["duration_ms"], 1500);
});
test("in development, a statement that a request repeats is a warning, once", async () => {
  Configuration.store([["FRAMEWORK_ENV", "development"]]);
  using log = capturedLog("warning");
  const ask = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await database.find(one);
  };
  await Promise.all([
    Log.withFields({ request_id: "a" }, () => ask(10)),
    Log.withFields({ request_id: "b" }, () => ask(5)),
  ]);
  await ask(20);
  assert.deepEqual(log.messages(), []);
  await Log.withFields({ request_id: "c" }, () => ask(30));
  assert.deepEqual(log.messages(), ["A request ran one statement more than 10 times: select 1 as v"]);
  assert.match(String(log.entries[0]?.fields["at"]), /query-log\.test\.ts:\d+/);
});
