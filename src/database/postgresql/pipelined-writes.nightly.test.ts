// Nightly, because a statement that stands still for longer than the timeout of the server fails as well.
import assert from "node:assert/strict";
import { test } from "node:test";
import { share, stopStatementTime } from "../../../test/database/shared-statements.ts";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { rejectsWithCode } from "../../testing/assert-error-code.ts";
import * as Row from "../row/row.ts";
import { sql } from "../statement/sql.ts";
import { postgresql } from "./postgresql.ts";

await withServer(kind, ({ url }) => {
  test("a timeout of the server ends its statement alone", async (t) => {
    stopStatementTime(t);
    const limited = new URL(url);
    limited.searchParams.set("options", "-c statement_timeout=300ms");
    const database = postgresql({ url: limited.href });
    await database.start({ services: [database] });
    t.after(() => database.stop());
    await database.exec(sql`create table entries (id integer not null)`);
    const sleep = (id: number, seconds: number) =>
      database.exec(sql`insert into entries (id) select ${id}::integer from pg_sleep(${seconds})`);
    await share(database, () => sleep(0, 0));
    const ids = Array.from({ length: 40 }, (_, index) => index + 1);
    const writes = ids.map((id) => sleep(id, id === 1 ? 20 : 0));
    assert.equal(database.poolStats().waiting, 0);
    await rejectsWithCode("E_DATABASE_STATEMENT", () => writes[0]);
    await Promise.all(writes.slice(1));
    const stored = await database.collect(sql.value(Row.int)`select id from entries where id > 0 order by id`);
    assert.deepEqual(stored, ids.slice(1));
  });
});
