import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { startProxy } from "../../../../test/servers/proxy.ts";
import { redis as redisServer, startRedis } from "../../../../test/servers/redis.ts";
import { withServer } from "../../../../test/servers/server.ts";
import { isError, type LimmatError, Lifecycle } from "../../../core/index.ts";
import { Random } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import { capturedLog } from "../../../testing/index.ts";
import { cacheContract } from "../contract-cases.test.ts";
import type { Cache, CacheStore } from "../contract.ts";
import { redis } from "./index.ts";
import { redisStore } from "./store.ts";

const running: Lifecycle.Running[] = [];
async function start(options: Parameters<typeof redis>[0]): Promise<Cache> {
  const cache = redis(options);
  running.push(await Lifecycle.start([cache]));
  return cache;
}
async function stopAll(): Promise<void> {
  for (const each of running.splice(0)) await each.stop();
}

const unavailable = (error: unknown): boolean => isError(error, "E_CACHE_UNAVAILABLE") && error.status === 503;
const expiresIn = Time.minutes(1);

async function eventually(works: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await works();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

await withServer(redisServer, ({ url }) => {
  // Signs that patterns give a meaning stand in it.
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

  test("keys of another prefix are left alone, and entries go when their time is over", async () => {
    const [own, other] = [`${prefix}a:`, `${prefix}b:`];
    const [first, second] = [await start({ url, prefix: own }), await start({ url, prefix: other })];
    await first.set("key", "first", { expiresIn });
    await second.set("key", "second");
    const [, keys] = await client.scan("0", "MATCH", "*", "COUNT", 100_000);
    const found = keys.filter((key) => key.startsWith(own));
    assert.deepEqual(found, [`${own}:value:key`]);
    const left = Number(await client.eval("return redis.call('PTTL', KEYS[1])", 1, `${own}:value:key`));
    assert.ok(left > 0 && left <= expiresIn);
    assert.equal(await first.clear(), 1);
    assert.equal(await second.find("key"), "second");
    await second.clear();
    await stopAll();
  });
});

describe("a cache on Redis", () => {
  test("whose server goes away makes what can be made, refuses the rest, and is there again with it", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    context.after(() => stopAll().then(server.stop));
    using log = capturedLog();
    const cache = await start({ url: server.url });
    await cache.set("key", "value");
    await server.kill();
    for (const operation of [
      () => cache.find("key"),
      () => cache.set("key", "value"),
      () => cache.increment("count"),
      () => cache.take("client", { limit: 1, period: 1000 }),
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
    const made = await Promise.all([1, 2, 3].map(() => cache.getOrSet("key", { expiresIn }, make)));
    assert.deepEqual(made, ["made 1", "made 1", "made 1"]);
    await server.restart();
    // Its memory, scripts included, is gone.
    await eventually(() => cache.increment("count"));
    assert.equal(await cache.increment("count"), 2);
    assert.equal(await cache.getOrSet("key", { expiresIn }, make), "made 2");
    assert.equal(await cache.find("key"), "made 2");
    const said = log.messages().filter((message) => message.startsWith("The connection to"));
    assert.deepEqual(
      said.map((message) => /was lost|is there again/.exec(message)?.[0]),
      ["was lost", "is there again"],
    );
  });

  test("whose server does not answer is given up", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    using _ = capturedLog();
    const proxy = await startProxy("127.0.0.1", Number(new URL(server.url).port));
    context.after(() => stopAll().then(proxy.close).then(server.stop));
    const cache = await start({ url: `redis://127.0.0.1:${proxy.port}` });
    await cache.set("key", "value");
    proxy.swallow();
    const asked = performance.now();
    await assert.rejects(cache.find("key"), unavailable);
    // It waits a few seconds for an answer, and not for ever.
    assert.ok(performance.now() - asked < 60_000);
    proxy.restore();
    proxy.cut();
    await eventually(() => cache.find("key"));
    assert.equal(await cache.find("key"), "value");
  });

  test("does not start where no server answers, and tells nobody the password", async () => {
    for (const url of ["redis://user:canary@127.0.0.1:1", "http://user:canary@127.0.0.1", "canary"]) {
      const failure = await Lifecycle.start([redis({ url })]).then(
        () => assert.fail("started"),
        (error: unknown) => (error as LimmatError).cause as LimmatError,
      );
      assert.ok(isError(failure, url.endsWith(":1") ? "E_CACHE_UNAVAILABLE" : "E_CACHE_OPTION"));
      assert.doesNotMatch(failure.message, /canary/);
    }
    await assert.rejects(redis().find("key"), (error) => isError(error, "E_CACHE_NOT_STARTED"));
  });

  test("looks at itself: whether the server drops what must stay", async (context) => {
    const server = await startRedis();
    if (server === undefined) return context.skip("Redis is not installed");
    context.after(() => stopAll().then(server.stop));
    const cache = await start({ url: server.url });
    const look = async (): Promise<readonly string[] | undefined> =>
      (await cache.check?.({ environment: "production" }))?.map(({ level, message }) => `${level}: ${message}`);
    const client = new Redis(server.url, { lazyConnect: true });
    await client.connect();
    const set = async (memory: string, policy: string): Promise<void> => {
      await client.config("SET", "maxmemory", memory);
      await client.config("SET", "maxmemory-policy", policy);
    };
    assert.deepEqual(await look(), [`ok: ${server.url} answers`]);
    await set("100mb", "allkeys-lru");
    assert.match((await look())?.[0] ?? "", /^warning: redis:.* drops entries that have no expiry .*allkeys-lru/);
    await set("100mb", "volatile-lru");
    assert.deepEqual(await look(), [`ok: ${server.url} answers`]);
    await set("0", "allkeys-lru");
    assert.deepEqual(await look(), [`ok: ${server.url} answers`]);
    client.disconnect();
  });

  test("says how to install its package when that is missing", async () => {
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
