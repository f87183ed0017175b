import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "../contract.ts";
import { ConnectionPool } from "./connection-pool.ts";

test("a standstill of the process is no timeout of a connection that opens", async () => {
  const connection = { state: "idle", setUse: () => {} } as unknown as Connection;
  const pool = new ConnectionPool({
    size: 1,
    maxWaiting: 1,
    // Opened by an event that the process sees after its timers.
    open: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve, connection))),
    onTimeout: () => assert.fail("the pool has waited too long"),
  });
  const acquired = pool.acquire({ timeoutMs: 1500, isOperationTimeout: false, signal: undefined });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  assert.equal(await acquired, connection);
});
