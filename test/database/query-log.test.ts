// Lives outside src/database, whose stack frames the log skips.
import { TimeInternals } from "../../src/time/index.ts";
import { type RequestStatements, requestStatementsChannelName } from "../../src/core/index.ts";
import { LogInternals } from "../../src/log/index.ts";
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { after, afterEach, before, test } from "node:test";
import { Configuration, Log } from "limmat";
import { ConfigurationInternals } from "../../src/config/index.ts";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { capturedLog } from "limmat/testing";

const database = sqlite({ url: ":memory:" });
const selectOne = sql.value(Row.int)`select 1 as v`;

before(async () => database.start({ services: [database] }));
afterEach(() => ConfigurationInternals.reset());
after(async () => {
  await database.stop();
  LogInternals.reset();
});

test("logs statements at debug level with the call site and without values", async () => {
  using log = capturedLog();
  await database.find(sql.value(Row.text)`select ${"canary"} as v`);
  const entry = log.entries.find(({ message }) => message === "select ? as v");
  assert.equal(entry?.level, "debug");
  assert.equal(entry.fields["rows"], 1);
  assert.equal(typeof entry.fields["duration_ms"], "number");
  assert.match(String(entry.fields["at"]), /query-log\.test\.ts:\d+/);
  assert.doesNotMatch(JSON.stringify(log.entries), /canary/);
});
test("logs a slow statement as a warning, at any log level", async () => {
  using log = capturedLog("warning");
  await database.find(selectOne);
  assert.deepEqual(log.messages(), []);
  let nowMs = 0;
  const clock = TimeInternals.fakeClock();
  const restore = TimeInternals.useClock({ ...clock, monotonic: () => (nowMs += 1500) });
  await database.find(selectOne);
  restore();
  assert.deepEqual(log.messages(), ["Slow statement: select 1 as v"]);
  assert.equal(log.entries[0]?.fields["duration_ms"], 1500);
});
test("warns once in development about a statement that a request repeats", async () => {
  Configuration.store([["FRAMEWORK_ENV", "development"]]);
  using log = capturedLog("warning");
  const runStatement = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await database.find(selectOne);
  };
  await Promise.all([
    Log.withFields({ request_id: "a" }, () => runStatement(10)),
    Log.withFields({ request_id: "b" }, () => runStatement(5)),
  ]);
  await runStatement(20);
  assert.deepEqual(log.messages(), []);
  await Log.withFields({ request_id: "c" }, () => runStatement(30));
  assert.deepEqual(log.messages(), ["A request ran the same statement more than 10 times: select 1 as v"]);
  assert.match(String(log.entries[0]?.fields["at"]), /query-log\.test\.ts:\d+/);
});
test("names the statements of a request in development, with their lines, for the error page", async () => {
  Configuration.store([["FRAMEWORK_ENV", "development"]]);
  using _ = capturedLog("warning");
  await Log.withFields({ request_id: "d" }, async () => {
    await database.find(selectOne);
    await database.find(sql.value(Row.text)`select ${"canary"} as v`);
    await database.find(selectOne);
  });
  const question: RequestStatements = { requestId: "d", statements: [] };
  channel(requestStatementsChannelName).publish(question);
  assert.deepEqual(
    question.statements.map(({ text, count }) => [text, count]),
    [
      ["select 1 as v", 2],
      ["select ? as v", 1],
    ],
  );
  assert.match(question.statements[0]?.at ?? "", /query-log\.test\.ts:\d+/);
});
