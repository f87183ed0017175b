import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { startFaultyProxy } from "../../../../../test/servers/proxy.ts";
import { redis as redisServer, startRedis } from "../../../../../test/servers/redis.ts";
import { withServer } from "../../../../../test/servers/server.ts";
import { isError, type LimmatError, Lifecycle } from "../../../../core/index.ts";
import { Random } from "../../../../random/index.ts";
import { Time } from "../../../../time/index.ts";
import { capturedLog, waitFor } from "../../../../testing/index.ts";
import type { Cache } from "../../contract.ts";
import { cacheContract } from "../contract-cases.test.ts";
import type { CacheStore } from "../contract.ts";
import { redis } from "./index.ts";
import { redisStore } from "./store.ts";

const running: Lifecycle.RunningServices[] = [];
async function start(options: Parameters<typeof redis>[0]): Promise<Cache> {
  const cache = redis(options);
  running.push(await Lifecycle.start([cache]));
  return cache;
}
async function stopAll(): Promise<void> {
  for (const services of running.splice(0)) await services.stop();
}

const unavailable = (error: unknown): boolean => isError(error, "E_CACHE_UNAVAILABLE") && error.status === 503;
const expiresInMs = Time.minutes(1);

/** Repeats an operation until it succeeds. */
const eventually = (operation: () => Promise<unknown>, context: TestContext): Promise<true> =>
  waitFor(() => operation().then(() => true as const), context);

await withServer(redisServer, ({ url }) => {
  // Contains the special characters of glob patterns.
  const prefix = `limmat-test-${Random.uuid()}*?[a]:`;
  let client: Redis;
  let store: CacheStore;
  before(async () => {
    client = new Redis(url, { lazyConnect: true });
    await client.connect();
    store = redisStore((command) => command(client), prefix);
  });
  after(() => client.disconnect());
  cacheContract("redis", { open: () => start({ url, prefix }), close: stopAll, store: () => store });

  test("keeps keys of another prefix, and sets the expiry of keys", async () => {
    const [own, other] = [`${prefix}a:`, `${prefix}b:`];
    const [first, second] = [await start({ url, prefix: own }), await start({ url, prefix: other })];
    await first.set("key", "first", { expiresInMs });
    await second.set("key", "second");
    const [, keys] = await client.scan("0", "MATCH", "*", "COUNT", 100_000);
    const found = keys.filter((key) => key.startsWith(own));
    assert.deepEqual(found, [`${own}:value:key`]);
    const left = Number(await client.eval("return redis.call('PTTL', KEYS[1])", 1, `${own}:value:key`));
    assert.ok(left > 0 && left <= expiresInMs);
    assert.equal(await first.clear(), 1);
    assert.equal(await second.findOpt("key"), "second");
    await second.clear();
    await stopAll();
  });
});

describe("a cache on Redis", () => {
  test("computes values while its server is down, refuses other operations, and reconnects", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    context.after(() => stopAll().then(server.stop));
    using log = capturedLog();
    const cache = await start({ url: server.url });
    await cache.set("key", "value");
    await server.kill();
    for (const operation of [
      () => cache.findOpt("key"),
      () => cache.set("key", "value"),
      () => cache.increment("count"),
      () => cache.consume("client", { limit: 1, periodMs: 1000 }),
      () => cache.lock("key", {}, () => assert.fail("not locked")),
      () => cache.clear(),
    ]) {
      await assert.rejects(operation, unavailable);
    }
    let calls = 0;
    const make = async (): Promise<string> => {
      calls += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return `made ${calls}`;
    };
    const made = await Promise.all([1, 2, 3].map(() => cache.getOrSet("key", { expiresInMs }, make)));
    assert.deepEqual(made, ["made 1", "made 1", "made 1"]);
    await server.restart();
    // The restart cleared its memory, scripts included.
    await eventually(() => cache.increment("count"), context);
    assert.equal(await cache.increment("count"), 2);
    assert.equal(await cache.getOrSet("key", { expiresInMs }, make), "made 2");
    assert.equal(await cache.findOpt("key"), "made 2");
    const messages = log.messages().filter((message) => /^(?:Lost the connection|Reconnected) to/.test(message));
    assert.deepEqual(
      messages.map((message) => /^(?:Lost|Reconnected)/.exec(message)?.[0]),
      ["Lost", "Reconnected"],
    );
  });

  test("fails after a timeout when its server does not respond", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    using _ = capturedLog();
    const proxy = await startFaultyProxy("127.0.0.1", Number(new URL(server.url).port));
    context.after(() => stopAll().then(proxy.close).then(server.stop));
    const cache = await start({ url: `redis://127.0.0.1:${proxy.port}` });
    await cache.set("key", "value");
    proxy.dropTraffic();
    await assert.rejects(cache.findOpt("key"), unavailable);
    proxy.forwardTraffic();
    proxy.resetConnections();
    await eventually(() => cache.findOpt("key"), context);
    assert.equal(await cache.findOpt("key"), "value");
  });

  test("reconnects after a failover, when its server has become a read-only replica", async (context) => {
    const [former, next] = [await startRedis(), await startRedis()];
    if (former === undefined || next === undefined) return context.skip("Redis is not installed");
    const [formerPort, nextPort] = [former, next].map(({ url }) => Number(new URL(url).port)) as [number, number];
    // The address of a managed server leads to the new primary, while open connections stay with the old one.
    const proxy = await startFaultyProxy("127.0.0.1", formerPort);
    const client = new Redis(former.url, { lazyConnect: true });
    context.after(async () => {
      client.disconnect();
      await stopAll();
      await proxy.close();
      await Promise.all([former.stop(), next.stop()]);
    });
    using log = capturedLog();
    const cache = await start({ url: `redis://127.0.0.1:${proxy.port}` });
    await cache.set("key", "value");
    await client.connect();
    await client.replicaof("127.0.0.1", nextPort);
    // Every writing operation notices it: plain commands and scripts.
    for (const write of [() => cache.set("key", "other"), () => cache.increment("count")]) {
      await assert.rejects(write, unavailable);
      proxy.forwardTo(nextPort);
      await eventually(write, context);
      proxy.forwardTo(formerPort);
      proxy.resetConnections();
      await eventually(() => cache.findOpt("key"), context);
    }
    assert.match(log.messages().find((message) => message.startsWith("Lost the connection")) ?? "", /reconnecting$/);
  });

  test("does not start without a server, and reveals no password in the error", async () => {
    for (const url of ["redis://user:canary@127.0.0.1:1", "http://user:canary@127.0.0.1", "canary"]) {
      const failure = await Lifecycle.start([redis({ url })]).then(
        () => assert.fail("started"),
        (error: unknown) => (error as LimmatError).cause as LimmatError,
      );
      assert.ok(isError(failure, url.endsWith(":1") ? "E_CACHE_UNAVAILABLE" : "E_CACHE_OPTION"));
      assert.doesNotMatch(failure.message, /canary/);
    }
    await assert.rejects(redis().findOpt("key"), (error) => isError(error, "E_CACHE_NOT_STARTED"));
  });

  test("warns if the server may evict entries without expiry", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    context.after(() => stopAll().then(server.stop));
    const cache = await start({ url: server.url });
    const check = async (): Promise<readonly string[] | undefined> =>
      (await cache.check?.({ environment: "production" }))?.map(({ level, message }) => `${level}: ${message}`);
    const client = new Redis(server.url, { lazyConnect: true });
    await client.connect();
    const set = async (memory: string, policy: string): Promise<void> => {
      await client.config("SET", "maxmemory", memory);
      await client.config("SET", "maxmemory-policy", policy);
    };
    assert.deepEqual(await check(), [`ok: ${server.url} (an option of the service "cache") responds`]);
    await set("100mb", "allkeys-lru");
    assert.match((await check())?.[0] ?? "", /^warning: redis:.* evicts entries that have no expiry .*allkeys-lru/);
    await set("100mb", "volatile-lru");
    assert.deepEqual(await check(), [`ok: ${server.url} (an option of the service "cache") responds`]);
    await set("0", "allkeys-lru");
    assert.deepEqual(await check(), [`ok: ${server.url} (an option of the service "cache") responds`]);
    client.disconnect();
  });

  test("warns of an unencrypted connection to another machine", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    context.after(() => stopAll().then(server.stop));
    // Another name of the loopback address.
    const url = server.url.replace("127.0.0.1", "[::ffff:127.0.0.1]");
    const findings = await (await start({ url })).check?.({ environment: "production" });
    assert.equal(findings?.length, 2);
    assert.match(findings?.[1]?.message ?? "", /^The connection to redis:.* is not encrypted$/);
  });

  test("names the package to install when it is missing", async () => {
    const code = `
      import { registerHooks } from "node:module";
      registerHooks({
        resolve: (specifier, context, next) => {
          if (specifier !== "ioredis") return next(specifier, context);
          throw Object.assign(new Error("Cannot find package 'ioredis'"), { code: "ERR_MODULE_NOT_FOUND" });
        },
      });
      const { redis } = await import("limmat/cache/redis");
      await redis({ url: "redis://localhost" }).start({ services: [] }).catch((error) => console.log(error.code, error.message));`;
    const args = ["--conditions=@limmat/source", "--input-type=module", "-e", code];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.match(stdout, /^E_CACHE_DRIVER_MISSING .* npm install ioredis@6$/m);
  });
});
