import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { isError } from "limmat";
import type { Database } from "limmat/database";
import { capturedLog, waitFor } from "limmat/testing";
import { rejectsWithCode } from "../../../src/testing/assert-error-code.ts";
import { type FaultyProxy, startFaultyProxy } from "../../servers/proxy.ts";
import { type FaultContext, ids, insert, selectOne, waitMs } from "./subject.ts";

/** Registers tests of a network that resets connections or drops their traffic. */
export function testFailingNetwork({ subject, url, start }: FaultContext): void {
  describe("a failing network", () => {
    let proxy: FaultyProxy;
    let distant: Database;
    before(async () => {
      const { hostname, port } = new URL(url);
      proxy = await startFaultyProxy(hostname, Number(port || subject.defaultPort));
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(proxy.port);
      distant = await start({
        url: through.href,
        // Short, because some tests wait for them, and long enough for a machine that stands still for seconds.
        statementTimeoutMs: 8000,
        connectTimeoutMs: 8000,
        acquireTimeoutMs: 8000,
      });
    });
    after(() => proxy.close());

    test("connection reset while idle: the next operations succeed", async () => {
      await distant.find(selectOne);
      proxy.resetConnections();
      assert.equal(await distant.find(selectOne), 1);
      assert.equal(await distant.exec(insert(1)).catch(() => distant.exec(insert(1))), 1);
    });
    test("connection reset at BEGIN: a typed error, and the pool stays usable", async () => {
      proxy.resetOnText(subject.begin);
      await rejectsWithCode("E_DATABASE_CONNECTION_LOST", () => distant.transaction(() => distant.exec(insert(1))));
      assert.deepEqual(await distant.transaction(() => distant.collect(ids)), []);
      assert.equal(distant.poolStats().used, 0);
    });
    test("connection reset at COMMIT: an error that reports an unknown outcome", async () => {
      proxy.resetOnText(subject.commit);
      await rejectsWithCode("E_DATABASE_COMMIT_UNKNOWN", () => distant.transaction(() => distant.exec(insert(1))));
      assert.equal(await distant.find(selectOne), 1);
    });
    test("a server that does not respond: timeout errors for all, then recovery", async () => {
      await openAllConnections(distant);
      const begun = Promise.withResolvers<undefined>();
      const dropping = Promise.withResolvers<undefined>();
      const outcomes = Promise.allSettled([
        distant.transaction(async () => {
          await distant.exec(insert(7));
          begun.resolve(undefined);
          await dropping.promise;
          await distant.exec(insert(8));
        }),
        dropping.promise.then(() => distant.find(selectOne)),
        dropping.promise.then(() => distant.exec(insert(9))),
        dropping.promise.then(() => distant.transaction(() => distant.exec(insert(9)))),
        dropping.promise.then(() => distant.find(selectOne, { timeoutMs: 200 })),
      ]);
      await begun.promise;
      proxy.dropTraffic();
      dropping.resolve(undefined);
      const codes = (await outcomes).map((outcome) =>
        outcome.status === "rejected" && isError(outcome.reason) ? outcome.reason.code : outcome.status,
      );
      assert.ok(
        codes.every((code) => subject.timeoutCodes.includes(code)),
        codes.join(", "),
      );

      // The first operations succeed: none waits for a dead connection.
      proxy.forwardTraffic();
      assert.equal(await distant.find(selectOne), 1);
      assert.equal(await distant.exec(insert(10)), 1);
      assert.equal(distant.poolStats().used, 0);
    });
    test("a silent database: operations fail at once after the first timeout, and recover by themselves", async () => {
      using log = capturedLog("error");
      await distant.find(selectOne);
      proxy.dropTraffic();
      await rejectsWithCode("E_DATABASE_TIMEOUT", () => distant.exec(insert(11)));
      const codeOf = async (): Promise<unknown> =>
        distant.find(selectOne, { timeoutMs: 500 }).then(
          () => "answered",
          (error: unknown) => isError(error) && error.code,
        );
      await waitFor(async () => (await codeOf()) === "E_DATABASE_UNAVAILABLE", { timeoutMs: waitMs });
      const operations = [
        () => distant.find(selectOne),
        () => distant.exec(insert(12)),
        () => distant.transaction(() => {}),
        async () => distant.health?.(),
      ];
      for (const operation of operations) {
        // At once: before the event loop gets to the network or to a timer.
        const refused = rejectsWithCode("E_DATABASE_UNAVAILABLE", operation).then(() => "refused");
        assert.equal(await Promise.race([refused, setImmediate("waiting")]), "refused");
      }
      assert.deepEqual(distant.poolStats().waiting, 0);
      assert.equal(log.entries.length, 1);

      proxy.forwardTraffic();
      await waitFor(async () => (await codeOf()) === "answered", { timeoutMs: waitMs });
      assert.equal(await distant.transaction(() => distant.find(selectOne)), 1);
    });
  });
}

/** Opens all connections of the pool, so that none is opened while a proxy drops traffic. */
async function openAllConnections(database: Database): Promise<void> {
  const { size } = database.poolStats();
  const allAcquired = Promise.withResolvers<undefined>();
  let acquired = 0;
  const queries = Array.from({ length: size }, () =>
    database.query(async (handle) => {
      await handle.find(selectOne);
      if (++acquired === size) allAcquired.resolve(undefined);
      await allAcquired.promise;
    }),
  );
  await Promise.all([database.find(selectOne), ...queries]);
}
