import { Configuration, ConfigurationInternals } from "../../../../config/index.ts";
import type { Service } from "../../../../core/index.ts";
import type { Cache } from "../../contract.ts";
import { errors } from "../../errors.ts";
import { makeCache } from "../../make-cache.ts";
import { connectRedis, type RedisConnection } from "./connection.ts";
import { redisStore, type RunCommand } from "./store.ts";

/** Options of `redis`. */
export interface RedisCacheOptions {
  /** Name of the service. Default `cache`. */
  readonly name?: string;
  /** URL of the server: `redis://user:password@host:6379/0`, with TLS `rediss://`. Default: the configuration key `REDIS_URL`. */
  readonly url?: string;
  /** Prefix of all keys. Applications that share a server need different ones. Default: the name and a colon. */
  readonly prefix?: string;
}

/**
 * Makes a cache on a Redis server (6.0 or later, or Valkey): shared by all processes, and as durable as the server is
 * configured to be. Operations are not part of database transactions. Requires the package `ioredis`.
 *
 * The start fails if the server does not respond. A connection lost later is re-established automatically. Until then
 * operations fail immediately with E_CACHE_UNAVAILABLE, except `getOrSet`, which computes its value.
 *
 * @example
 * export const cache = redis();
 */
export function redis({ name = "cache", url, prefix = `${name}:` }: RedisCacheOptions = {}): Cache {
  const urlField = Configuration.secret("REDIS_URL", {
    description: "URL of the Redis server, such as redis://user:password@localhost:6379/0",
    required: ["production"],
    default: "redis://127.0.0.1:6379",
    validate: (text) =>
      describeServer(text) === undefined ? "must look like redis://user:password@localhost:6379/0" : undefined,
  });
  let connection: RedisConnection | undefined;
  let server = "";
  let isUnencrypted = false;

  const runCommand: RunCommand = async (command) => {
    if (connection === undefined) throw errors.E_CACHE_NOT_STARTED(cache);
    try {
      return await command(connection.client);
    } catch (cause) {
      throw errors.E_CACHE_UNAVAILABLE(server, cause).causedBy(cause);
    }
  };

  const cache: Cache = makeCache({
    name,
    implementation: "redis",
    configuration: url === undefined ? [urlField] : [],
    store: redisStore(runCommand, prefix),
    start: async () => {
      const serverUrl = url ?? Configuration.read(urlField).reveal();
      server = describeServer(serverUrl) ?? "";
      if (server === "") throw errors.E_CACHE_OPTION("url", "another text", "redis://host:port or rediss://host:port");
      const { protocol, hostname } = new URL(serverUrl);
      isUnencrypted = protocol === "redis:" && !ConfigurationInternals.isLoopback(hostname);
      server += ` (${ConfigurationInternals.settingName(urlField.key, url, cache)})`;
      connection = await connectRedis(serverUrl, server);
    },
    check: async () => [
      ...checkMemoryPolicy(server, await runCommand((client) => client.info("memory"))),
      ...(isUnencrypted ? [unencryptedFinding(server)] : []),
    ],
    stop: () => {
      connection?.close();
      connection = undefined;
    },
  });
  return cache;
}

/** Formats the address of a server for messages, without user and password. Returns `undefined` for an invalid URL. */
function describeServer(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "") return undefined;
  return `redis://${parsed.host}${parsed.pathname}`;
}

const unencryptedFinding = (server: string): Service.Finding => ({
  level: "warning",
  message: `The connection to ${server} is not encrypted`,
  advice: "Use a URL with rediss://, unless nobody else can reach the network in between.",
});

/** Reports whether the server may evict entries without expiry, according to `INFO memory`. */
function checkMemoryPolicy(server: string, info: string): readonly Service.Finding[] {
  const readField = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const policy = readField("maxmemory_policy") ?? "";
  if (readField("maxmemory") !== "0" && policy.startsWith("allkeys-")) {
    return [
      {
        level: "warning",
        message: `${server} evicts entries that have no expiry when its memory is full (maxmemory-policy ${policy})`,
        advice: "Set maxmemory-policy to noeviction or volatile-lru, or store only values that can be computed again",
      },
    ];
  }
  return [{ level: "ok", message: `${server} responds` }];
}
