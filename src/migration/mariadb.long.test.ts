import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as kind } from "../../test/servers/mariadb.ts";
import { startFaultyProxy } from "../../test/servers/proxy.ts";
import { withServer } from "../../test/servers/server.ts";
import { LimmatError } from "../core/index.ts";
import { rejectsWithCode } from "../testing/assert-error-code.ts";
import type { Database } from "../database/database.ts";
import * as Migration from "./migration.ts";
import { resolveStep } from "./runner.ts";
import * as Row from "../database/row/row.ts";
import { sql } from "../database/statement/sql.ts";
import { mariadb } from "../database/mariadb/mariadb.ts";

/** Number of rounds that lose their connection after a time. */
const timedRounds = 30;
/** Texts of statements at which the other rounds lose it: one round before the server executes the statement, one after. */
const lossTexts = ["get_lock", "_a1 (", "_a2 (", "_b1 (", "_c2 ("] as const;
const rounds = timedRounds + 2 * lossTexts.length;

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  const database: Database = mariadb({ url });
  before(() => database.start({ services: [database] }));
  after(() => database.stop());

  const tables = (prefix: string): Promise<readonly string[]> =>
    database.collect(sql.value(Row.text)`select table_name from information_schema.tables
      where table_schema = ${name} and left(table_name, ${prefix.length}) = ${prefix} order by table_name`);

  test("releases the lock and reports the half-done step when a migration loses its connection at any moment", async (t) => {
    const { hostname, port } = new URL(url);
    const proxy = await startFaultyProxy(hostname, Number(port || 3306));
    t.after(() => proxy.close());
    const through = new URL(url);
    through.host = `127.0.0.1:${proxy.port}`;
    const outcomes = { whole: 0, halfDone: 0 };

    for (let round = 0; round < rounds; round++) {
      const table = (step: string): string => `r${round}_${step}`;
      const migration = Migration.make(
        `r${round}`,
        ["a", "b", "c"].map((step) =>
          Migration.step(
            step,
            [1, 2].map((part) => `create table ${table(step)}${part} (id int)`),
          ),
        ),
      );
      const lost = mariadb({ url: through.href, name: "lost", drainTimeoutMs: 0, connectTimeoutMs: 120_000 });
      await lost.start({ services: [lost] });
      const text = lossTexts[Math.floor((round - timedRounds) / 2)];
      if (text !== undefined && round % 2 === 0) proxy.resetOnText(text);
      if (text !== undefined && round % 2 === 1) proxy.resetOnReplyTo(text);
      const running = Migration.service({ database: lost, migrations: [migration] }).runAll();
      const ended = running.catch((error: unknown) => assert.ok(error instanceof LimmatError, String(error)));
      if (text === undefined) {
        await new Promise((wake) => setTimeout(wake, round));
        proxy.resetConnections();
      }
      await ended;
      await lost.stop();

      const next = Migration.service({ database, migrations: [migration] });
      const step = await halfDone(next);
      if (text !== undefined) assert.equal(step === undefined, text === "get_lock", `lost at "${text}"`);
      if (step === undefined) outcomes.whole += 1;
      else {
        outcomes.halfDone += 1;
        await rejectsWithCode("E_MIGRATION_HALF_DONE", () => next.runAll());
        for (const left of await tables(table(step.name))) {
          await database.exec(sql`drop table ${sql.identifier(left, [left])}`);
        }
        await resolveStep(database, [], { namespace: step.namespace, step: step.name }, "retry");
      }
      await next.runAll();
      assert.equal((await tables(table(""))).length, 6);
      assert.deepEqual(await next.pending(), []);
    }
    assert.ok(outcomes.halfDone > 0 && outcomes.whole > 0, JSON.stringify(outcomes));
  });
});

/** Returns the half-done step. First waits until the server has noticed the lost connection. */
async function halfDone(service: Migration.MigrationService): Promise<Migration.StepStatus | undefined> {
  await service.runAll().catch(() => {});
  return (await service.status()).find(({ state }) => state === "half-done");
}
