import { isPackageMissing } from "../../../../core/index.ts";
import { Log } from "../../../../log/index.ts";
import { errors } from "../../errors.ts";

/** A connection that reconnects automatically. */
export interface RedisConnection {
  readonly client: RedisClient;
  /** Closes the connection immediately. Pending commands fail. */
  readonly close: () => void;
}

const log = Log.source("limmat.cache");

const connectTimeoutMs = 5000;
const commandTimeoutMs = 2000;
const maxReconnectDelayMs = 1000;

/** Connects to a server and waits until it responds. @throws E_CACHE_DRIVER_MISSING, E_CACHE_UNAVAILABLE */
export async function connectRedis(url: string, server: string): Promise<RedisConnection> {
  const { Redis } = await loadIoredis();
  let failure: unknown;
  let lastFailoverAtMs = -Infinity;
  const client = new Redis(url, {
    lazyConnect: true,
    // Commands fail immediately while disconnected. A command sent before the connection broke may have been executed, so it
    // is not sent again.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    // Reconnects after a server sends nothing for this long.
    socketTimeout: 2 * commandTimeoutMs,
    retryStrategy: (attempt) => Math.min(50 * attempt, maxReconnectDelayMs),
    // After a failover the address leads to the new primary, and open connections stay with the old one, now a replica. Limited,
    // so that reads go on if the address keeps leading to a replica.
    reconnectOnError: (error) => {
      const nowMs = performance.now();
      if (!error.message.includes("READONLY") || nowMs - lastFailoverAtMs < maxReconnectDelayMs) return false;
      lastFailoverAtMs = nowMs;
      failure = error;
      return true;
    },
  });
  client.on("error", (error) => {
    failure = error;
  });
  try {
    await client.connect();
  } catch (cause) {
    client.disconnect();
    failure ??= cause;
    throw errors.E_CACHE_UNAVAILABLE(server, failure).causedBy(failure);
  }

  let isClosing = false;
  let isConnected = true;
  client.on("close", () => {
    if (isConnected && !isClosing) {
      log.warning(`Lost the connection to ${server}; reconnecting`, { error: failure });
    }
    isConnected = false;
  });
  client.on("ready", () => {
    isConnected = true;
    log.info(`Reconnected to ${server}`);
  });
  return {
    client,
    close: () => {
      isClosing = true;
      client.disconnect();
    },
  };
}

/** The used part of a client of the package `ioredis`. */
export interface RedisClient {
  connect(): Promise<unknown>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  set(key: string, value: string, unit: "PX", ttlMs: number): Promise<unknown>;
  scan(
    cursor: string,
    match: "MATCH",
    pattern: string,
    count: "COUNT",
    size: number,
  ): Promise<readonly [cursor: string, keys: string[]]>;
  unlink(...keys: readonly string[]): Promise<number>;
  evalsha(hash: string, keyCount: 1, key: string, ...values: readonly (string | number)[]): Promise<unknown>;
  eval(script: string, keyCount: 1, key: string, ...values: readonly (string | number)[]): Promise<unknown>;
  info(section: "memory"): Promise<string>;
  disconnect(): void;
  on(event: "ready" | "close" | "error", listener: (error?: Error) => void): unknown;
}

/** The used options of a client. Times are milliseconds. */
export interface RedisClientOptions {
  readonly lazyConnect: boolean;
  readonly enableOfflineQueue: boolean;
  readonly autoResendUnfulfilledCommands: boolean;
  readonly maxRetriesPerRequest: number;
  readonly connectTimeout: number;
  readonly commandTimeout: number;
  readonly socketTimeout: number;
  readonly retryStrategy: (attempt: number) => number;
  /** Returns true to reconnect after an error that the server replied. The command fails. */
  readonly reconnectOnError: (error: Error) => boolean;
}

/** The used part of the package `ioredis`. */
export interface IoredisModule {
  readonly Redis: new (url: string, options: RedisClientOptions) => RedisClient;
}

/** Imports the package `ioredis`. @throws E_CACHE_DRIVER_MISSING */
async function loadIoredis(): Promise<IoredisModule> {
  try {
    return await import("ioredis");
  } catch (cause) {
    if (isPackageMissing(cause, "ioredis")) throw errors.E_CACHE_DRIVER_MISSING("ioredis", "6").causedBy(cause);
    throw cause;
  }
}
