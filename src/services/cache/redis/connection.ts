import { Log } from "../../../log/index.ts";
import { errors } from "../errors.ts";
import { loadLibrary, type RedisClient } from "./client.ts";

/** A connection that is made again when it is lost. */
export interface RedisConnection {
  readonly client: RedisClient;
  /** Ends it at once. What was not answered yet fails. */
  readonly end: () => void;
}

const log = Log.source("limmat.cache");

const connectTimeout = 5000;
/** How long an operation waits for its answer, in milliseconds. */
const commandTimeout = 2000;
const longestPause = 1000;

/**
 * Connects to a server, and proves that it answers.
 *
 * @throws E_CACHE_DRIVER_MISSING, E_CACHE_UNAVAILABLE
 */
export async function connect(url: string, where: string): Promise<RedisConnection> {
  const { Redis } = await loadLibrary();
  const client = new Redis(url, {
    lazyConnect: true,
    // What cannot be asked now fails now; and what was asked when a connection broke may have been done.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout,
    commandTimeout,
    // A server that says nothing for so long is given up, and connected anew.
    socketTimeout: 2 * commandTimeout,
    retryStrategy: (attempt) => Math.min(50 * attempt, longestPause),
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
    throw errors.E_CACHE_UNAVAILABLE(where, failure).causedBy(failure);
  }

  let isExpected = false;
  let isThere = true;
  client.on("close", () => {
    if (isThere && !isExpected) {
      log.warning(`The connection to ${where} was lost; it is made again`, { error: failure });
    }
    isThere = false;
  });
  client.on("ready", () => {
    isThere = true;
    log.info(`The connection to ${where} is there again`);
  });
  return {
    client,
    end: () => {
      isExpected = true;
      client.disconnect();
    },
  };
}
