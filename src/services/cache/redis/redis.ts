import { Configuration } from "../../../config/index.ts";
import type { Cache } from "../contract.ts";
import { errors } from "../errors.ts";
import { makeCache } from "../make-cache.ts";
import { findingsOf } from "./check.ts";
import { connect, type RedisConnection } from "./connection.ts";
import { type Ask, redisStore } from "./store.ts";

/** What a cache on Redis can be given. */
export interface RedisOptions {
  /** Its name among the services. Default `cache`. */
  readonly name?: string;
  /** Where the server is: `redis://user:password@host:6379/0`, with TLS `rediss://`. Default: the key `REDIS_URL`. */
  readonly url?: string;
  /** What its keys begin with; applications that share a server take different ones. Default: its name and a colon. */
  readonly prefix?: string;
}

/**
 * Keeps entries on a Redis server (6.0 or later, or Valkey): shared by all processes, and as durable as the server is
 * set up to be. Operations are no part of transactions of a database. Needs the package `ioredis`.
 *
 * The start fails when the server does not answer. A connection that is lost later is made again by itself; until then
 * operations fail at once with E_CACHE_UNAVAILABLE, but for `getOrSet`, which makes its value.
 *
 * @example
 * export const cache = redis();
 */
export function redis({ name = "cache", url, prefix = `${name}:` }: RedisOptions = {}): Cache {
  const field = Configuration.secret("REDIS_URL", {
    description: "where the Redis server is, such as redis://user:password@localhost:6379/0",
    required: ["production"],
    default: "redis://127.0.0.1:6379",
    validate: (text) =>
      whereOf(text) === undefined ? "must look like redis://user:password@localhost:6379/0" : undefined,
  });
  let connection: RedisConnection | undefined;
  let where = "";

  const ask: Ask = async (command) => {
    if (connection === undefined) throw errors.E_CACHE_NOT_STARTED(name);
    try {
      return await command(connection.client);
    } catch (cause) {
      throw errors.E_CACHE_UNAVAILABLE(where, cause).causedBy(cause);
    }
  };

  return makeCache({
    name,
    implementation: "redis",
    configuration: url === undefined ? [field] : [],
    store: redisStore(ask, prefix),
    start: async () => {
      const target = url ?? Configuration.read(field);
      where = whereOf(target) ?? "";
      if (where === "") throw errors.E_CACHE_OPTION("url", "another text", "redis://host:port or rediss://host:port");
      connection = await connect(target, where);
    },
    check: async () => findingsOf(where, await ask((client) => client.info("memory"))),
    stop: () => {
      connection?.end();
      connection = undefined;
    },
  });
}

/** What messages call the server: never user or password. */
function whereOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "") return undefined;
  return `redis://${parsed.host}${parsed.pathname}`;
}
