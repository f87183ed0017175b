import { isPackageMissing } from "../../../core/index.ts";
import { errors } from "../errors.ts";

/** What is needed of a client of the package `ioredis`. */
export interface RedisClient {
  connect(): Promise<unknown>;
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<unknown>;
  set(key: string, value: string, unit: "PX", duration: number): Promise<unknown>;
  scan(
    cursor: string,
    match: "MATCH",
    pattern: string,
    count: "COUNT",
    size: number,
  ): Promise<readonly [string, string[]]>;
  unlink(...keys: readonly string[]): Promise<number>;
  evalsha(hash: string, keys: 1, key: string, ...values: readonly (string | number)[]): Promise<unknown>;
  eval(text: string, keys: 1, key: string, ...values: readonly (string | number)[]): Promise<unknown>;
  info(section: "memory"): Promise<string>;
  disconnect(): void;
  on(event: "ready" | "close" | "error", listener: (error?: Error) => void): unknown;
}

/** How a client is made. */
export interface RedisClientOptions {
  readonly lazyConnect: boolean;
  readonly enableOfflineQueue: boolean;
  readonly autoResendUnfulfilledCommands: boolean;
  readonly maxRetriesPerRequest: number;
  readonly connectTimeout: number;
  readonly commandTimeout: number;
  readonly socketTimeout: number;
  readonly retryStrategy: (attempt: number) => number;
}

/** The part of the package that is used. */
export interface Library {
  readonly Redis: new (url: string, options: RedisClientOptions) => RedisClient;
}

/**
 * Loads the package.
 *
 * @throws E_CACHE_DRIVER_MISSING
 */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import("ioredis");
  } catch (cause) {
    if (isPackageMissing(cause, "ioredis")) throw errors.E_CACHE_DRIVER_MISSING("ioredis", "6").causedBy(cause);
    throw cause;
  }
}
