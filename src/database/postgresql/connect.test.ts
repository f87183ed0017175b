import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { postgresql as kind } from "../../../test/servers/postgresql.ts";
import { withServer } from "../../../test/servers/server.ts";
import { LimmatError } from "../../core/index.ts";
import { postgresql } from "./postgresql.ts";

async function refusal(url: string): Promise<string> {
  const made = postgresql({ url });
  try {
    await made.start({ services: [made] });
  } catch (error) {
    assert.ok(error instanceof LimmatError && error.code === "E_DATABASE_CONNECT");
    return error.message;
  }
  await made.stop();
  throw new Error("It could be reached");
}

test("a server that does not run is said, with what to look at", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  const message = await refusal(`postgresql://me:canary@127.0.0.1:${port}/shop`);
  assert.match(message, /ECONNREFUSED.*Does the server run, and does the URL \(DATABASE_URL\) lead to it\?$/);
  assert.doesNotMatch(message, /canary/);
});

await withServer(kind, ({ url }) => {
  test("a database that does not exist is said, with what to do", async () => {
    const other = new URL(url);
    other.pathname = "/nobody_made_this";
    assert.match(await refusal(other.href), /"nobody_made_this" does not exist\. Create it first/);
  });
});
