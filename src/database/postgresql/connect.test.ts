import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { LimmatError } from "../../core/index.ts";
import { postgresql } from "./postgresql.ts";

/** Returns the message of the failed start. */
async function startError(url: string): Promise<string> {
  const database = postgresql({ url });
  try {
    await database.start({ services: [database] });
  } catch (error) {
    assert.ok(error instanceof LimmatError && error.code === "E_DATABASE_CONNECT");
    return error.message;
  }
  await database.stop();
  throw new Error("The start succeeded");
}

test("reports a server that does not run, with advice", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const message = await startError(`postgresql://me:canary@127.0.0.1:${port}/shop`);
  assert.match(
    message,
    /ECONNREFUSED.*Check that the server runs, and its address in the URL \(an option of the service "database"\)\.$/,
  );
  assert.doesNotMatch(message, /canary/);
});

await withServer(kind, ({ url }) => {
  test("reports a missing database, with advice", async () => {
    const other = new URL(url);
    other.pathname = "/no_such_database";
    assert.match(await startError(other.href), /"no_such_database" does not exist\. Create the database first/);
  });
});
