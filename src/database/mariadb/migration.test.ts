import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { mariadb as kind } from "../../../test/servers/mariadb.ts";
import { startProxy } from "../../../test/servers/proxy.ts";
import { withServer } from "../../../test/servers/server.ts";
import { LimmatError } from "../../core/index.ts";
import { refuses } from "../../testing/database/assert-code.ts";
import type { Database } from "../database.ts";
import * as Migration from "../migration/migration.ts";
import { resolve } from "../migration/runner.ts";
import * as Row from "../row.ts";
import { sql } from "../sql.ts";
import { mariadb } from "./mariadb.ts";

const rounds = 30;

await withServer(kind, ({ url }) => {
  const name = new URL(url).pathname.slice(1);
  const database: Database = mariadb({ url });
  before(() => database.start({ services: [database] }));
  after(() => database.stop());

  const tables = (prefix: string): Promise<readonly string[]> =>
    database.collect(sql.value(Row.text)`select table_name from information_schema.tables
      where table_schema = ${name} and left(table_name, ${prefix.length}) = ${prefix} order by table_name`);

  test("a migrator that is lost at any moment leaves its lock free, and what is half-done named", async (t) => {
    const { hostname, port } = new URL(url);
    const proxy = await startProxy(hostname, Number(port || 3306));
    t.after(() => proxy.close());
    const through = new URL(url);
    through.host = `127.0.0.1:${proxy.port}`;
    const outcomes = { whole: 0, halfDone: 0 };

    // A machine that has little time begins a step later: then later moments are tried, too.
    for (let round = 0; round < rounds || (outcomes.halfDone === 0 && round < 3 * rounds); round++) {
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
      const lost = mariadb({ url: through.href, name: "lost", drainTimeout: 0 });
      await lost.start({ services: [lost] });
      const running = Migration.service({ database: lost, migrations: [migration] }).runAll();
      const ended = running.catch((error: unknown) => assert.ok(error instanceof LimmatError, String(error)));
      const moment = round < rounds ? round : (round - rounds) * 10;
      await new Promise((wake) => setTimeout(wake, moment));
      proxy.cut();
      await ended;
      await lost.stop();

      const next = Migration.service({ database, migrations: [migration] });
      const step = await halfDone(next);
      if (step === undefined) outcomes.whole += 1;
      else {
        outcomes.halfDone += 1;
        await refuses("E_MIGRATION_HALF_DONE", () => next.runAll());
        for (const left of await tables(table(step.name))) {
          await database.exec(sql`drop table ${sql.identifier(left, [left])}`);
        }
        await resolve(database, step.namespace, step.number, false);
      }
      await next.runAll();
      assert.equal((await tables(table(""))).length, 6);
      assert.deepEqual(await next.pending(), []);
    }
    assert.ok(outcomes.halfDone > 0 && outcomes.whole > 0, JSON.stringify(outcomes));
  });
});

/** The step that was begun and not finished. Waits until the server has noticed that the migrator is gone. */
async function halfDone(service: Migration.MigrationService): Promise<Migration.StepStatus | undefined> {
  await service.runAll().catch(() => {});
  return (await service.status()).find(({ state }) => state === "half-done");
}
