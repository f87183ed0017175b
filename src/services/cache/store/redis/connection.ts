import { Log } from "../../../../log/index.ts";
import { errors } from "../../errors.ts";
import { loadIoredis, type RedisClient } from "./client.ts";

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

/**
 * Connects to a server and waits until it responds.
 *
 * @throws E_CACHE_DRIVER_MISSING, E_CACHE_UNAVAILABLE
 */
export async function connectRedis(url: string, server: string): Promise<RedisConnection> {
  const { Redis } = await loadIoredis();
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
  });
  let failure: unknown;
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
