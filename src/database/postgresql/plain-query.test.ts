import assert from "node:assert/strict";
import * as runner from "node:test";
import pg, { Client, Query } from "pg";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { databaseContract } from "../../testing/database/contract.ts";
import type { DatabaseOptions } from "../database.ts";
import { sql } from "../sql.ts";
import { postgresql } from "./postgresql.ts";

/** Stands for a version of pg that has changed what it does not document. */
function change(to: unknown): void {
  Object.defineProperty(pg, "Query", { value: to, configurable: true });
}

/** As it is, but that every statement is sent with another value. */
class Changed extends Query {}
const { submit } = Query.prototype as unknown as { readonly submit: (this: Query, ...given: unknown[]) => unknown };
Object.defineProperty(Changed.prototype, "submit", {
  value(this: Query, ...given: unknown[]): unknown {
    Object.assign(this, { values: ["something else"] });
    return submit.apply(this, given);
  },
});

await withServer(kind, ({ url }) => {
  runner.test("Statements of a class that answers otherwise are not relied on", async () => {
    change(Changed);
    const database = postgresql({ url });
    await database.start({ services: [database] });
    try {
      assert.deepEqual(await database.find(sql`select ${"this"}::text as text`), { text: "this" });
    } finally {
      await database.stop();
      change(undefined);
    }
  });

  change(undefined);
  const { mock } = runner.mock.method(Client.prototype, "query");
  const make = (options?: DatabaseOptions): ReturnType<typeof postgresql> => postgresql({ url, ...options });
  databaseContract("postgresql in the documented form", { make, url: () => url }, runner);

  runner.test("The statements were sent in the documented form", () => {
    const isDocumented = (config: unknown): boolean =>
      typeof config === "object" && config !== null && "rowMode" in config && "types" in config;
    assert.ok(mock.calls.filter(({ arguments: [config] }) => isDocumented(config)).length > 500);
  });
});
