// Shared by the tests of the faults of PostgreSQL and MariaDB. It contains no tests.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { type ServerKind, withServer } from "../../test/servers/server.ts";
import type { Database } from "./database.ts";
import type { DatabaseOptions } from "./settings.ts";
import * as Row from "./row/row.ts";
import { sql } from "./statement/sql.ts";

const connectTimeoutMs = 4000;

/** Options of `testConnectStandstill`. */
interface ConnectStandstillOptions {
  readonly kind: ServerKind;
  readonly defaultPort: number;
  readonly make: (options: DatabaseOptions & { readonly connectTimeoutMs: number }) => Database;
}

/** Registers the test of a process that stands still while it connects, for longer than the time limit. */
export async function testConnectStandstill({ kind, defaultPort, make }: ConnectStandstillOptions): Promise<void> {
  await withServer(kind, ({ url }) => {
    test("a standstill while a connection opens is no timeout", async (t) => {
      const { hostname, port } = new URL(url);
      let connections = 0;
      const relay = createServer((client) => {
        const server = connect(Number(port || defaultPort), hostname);
        client.pipe(server).pipe(client);
        for (const socket of [client, server]) socket.on("error", () => [client, server].map((one) => one.destroy()));
        connections += 1;
        if (connections === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, connectTimeoutMs + 1500);
      }).listen(0, "127.0.0.1");
      await once(relay, "listening");
      t.after(() => relay.close());
      const through = new URL(url);
      through.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`;
      const database = make({ url: through.href, connectTimeoutMs, acquireTimeoutMs: 600_000 });
      await database.start({ services: [database] });
      t.after(() => database.stop());
      assert.equal(await database.find(sql.value(Row.int)`select 1`), 1);
      assert.equal(connections, 1);
    });
  });
}
