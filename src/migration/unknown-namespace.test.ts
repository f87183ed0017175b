import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlite } from "../database/sqlite/index.ts";
import * as Migration from "./migration.ts";

const database = sqlite({ url: ":memory:" });

async function messageFor(namespace: string): Promise<string> {
  const dependent = Migration.make("add_colour", [Migration.step("a", "select 1")], { after: [namespace] });
  const products = Migration.make("products", [Migration.step("a", "select 1")]);
  const error = await Migration.service({ database, migrations: [products, dependent] })
    .runAll()
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Error && "code" in error);
  assert.equal(error.code, "E_MIGRATION_NAMESPACE_UNKNOWN");
  return error.message;
}

test("an unknown namespace: suggests a similar one, and names the ways to add it", async () => {
  assert.equal(
    await messageFor("prodcts"),
    'The migrations "add_colour" must run after "prodcts", which does not exist. Did you mean "products"? Correct the ' +
      'name in that migration, or add what creates "prodcts": its migration to the list of the application, or its ' +
      "service to the service list.",
  );
});

test("an unknown namespace that resembles no other has no suggestion", async () => {
  for (const namespace of ["users", "add_color"]) assert.doesNotMatch(await messageFor(namespace), /Did you mean/);
});
