// Behaviour of a cache while its database is unavailable.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { App, Cache, Configuration, isError, Migration, Time, Web } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { capturedLog } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { startFaultyProxy } from "../../../../test/servers/proxy.ts";
import { withServer } from "../../../../test/servers/server.ts";

Configuration.store([["FRAMEWORK_ENV", "test"]]);
after(ConfigurationInternals.reset);

async function testOutage(make: (url: string) => Database, url: string, standardPort: number): Promise<void> {
  using log = capturedLog();
  const target = new URL(url);
  const proxy = await startFaultyProxy(target.hostname, Number(target.port) || standardPort);
  target.hostname = "127.0.0.1";
  target.port = String(proxy.port);
  const database = make(target.href);
  const cache = Cache.sql({ database });
  const limit = { limit: 2, periodMs: Time.hours(1), store: cache };
  const page = (): Web.Response => Web.Response.text("page");
  const router = Web.choose(
    (["before", "local", "refuse"] as const).map((name) => {
      const onFailure = name === "refuse" ? name : "local";
      const middlewares = [Web.Middleware.requestLimit({ ...limit, name, onFailure })];
      return Web.choose([Web.get(`/${name}`, page)], { middlewares });
    }),
  );
  const services = [cache, Migration.service({ database, onPending: "run" }), Web.Http.service({ router })];
  const app = App.create({ services });
  const statuses = async (path: string, count: number): Promise<readonly number[]> => {
    const found: number[] = [];
    for (let round = 0; round < count; round++) found.push((await app.request(path)).status);
    return found;
  };
  await app.start({ server: false });
  try {
    await cache.set("key", "value");
    assert.deepEqual(await statuses("/before", 3), [200, 200, 429]);

    await proxy.close();
    assert.deepEqual(await statuses("/before", 1), [429]);
    assert.deepEqual(await statuses("/local", 3), [200, 200, 429]);
    assert.deepEqual(await statuses("/refuse", 2), [503, 503]);
    assert.equal(await cache.getOrSet("key", { expiresInMs: 1000 }, () => "made"), "made");
    const is503 = (error: unknown): boolean => isError(error) && error.status === 503;
    await assert.rejects(cache.findOpt("key"), is503);
    await assert.rejects(cache.increment("count"), is503);
    await assert.rejects(
      cache.lock("key", {}, () => assert.fail("not locked")),
      is503,
    );
    assert.ok(log.messages().some((message) => message.includes("store of the request limit failed")));
  } finally {
    await app.stop();
  }
}

for (const [kind, make, port] of [
  [postgresqlServer, (url: string) => postgresql({ url, acquireTimeoutMs: 60_000 }), 5432],
  [mariadbServer, (url: string) => mariadb({ url, acquireTimeoutMs: 60_000 }), 3306],
] as const) {
  await withServer(kind, ({ url }) => {
    test(`while ${kind.name} is unavailable, getOrSet computes, clients are still limited, and other operations fail`, () =>
      testOutage(make, url, port));
  });
}
