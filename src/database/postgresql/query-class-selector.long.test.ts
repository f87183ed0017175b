import assert from "node:assert/strict";
import * as runner from "node:test";
import pg, { Client, Query } from "pg";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "limmat-contracts";
import type { DatabaseOptions } from "../settings.ts";
import { sql } from "../statement/sql.ts";
import { postgresql } from "./postgresql.ts";

/** Replaces the query class of `pg`, to simulate a version with other undocumented internals. */
function replaceQueryClass(queryClass: unknown): void {
  Object.defineProperty(pg, "Query", { value: queryClass, configurable: true });
}

/** Query that sends every statement with another value. */
class ChangedQuery extends Query {}
const { submit } = Query.prototype as unknown as { readonly submit: (this: Query, ...args: unknown[]) => unknown };
Object.defineProperty(ChangedQuery.prototype, "submit", {
  value(this: Query, ...args: unknown[]): unknown {
    Object.assign(this, { values: ["something else"] });
    return submit.apply(this, args);
  },
});

await withServer(kind, ({ url }) => {
  runner.test("falls back to the documented interface if the fast query class returns wrong results", async () => {
    replaceQueryClass(ChangedQuery);
    const database = postgresql({ url });
    await database.start({ services: [database] });
    try {
      assert.deepEqual(await database.find(sql`select ${"this"}::text as text`), { text: "this" });
    } finally {
      await database.stop();
      replaceQueryClass(undefined);
    }
  });

  replaceQueryClass(undefined);
  const { mock } = runner.mock.method(Client.prototype, "query");
  const make = (options?: DatabaseOptions): ReturnType<typeof postgresql> => postgresql({ url, ...options });
  databaseContract("postgresql with the documented interface of pg", { make, url: () => url }, runner);

  runner.test("sends the statements through the documented interface", () => {
    const isDocumented = (config: unknown): boolean =>
      typeof config === "object" && config !== null && "rowMode" in config && "types" in config;
    assert.ok(mock.calls.filter(({ arguments: [config] }) => isDocumented(config)).length > 500);
  });
});
