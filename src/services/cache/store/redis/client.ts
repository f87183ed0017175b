import { isPackageMissing } from "../../../../core/index.ts";
import { errors } from "../../errors.ts";

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
}

/** The used part of the package `ioredis`. */
export interface IoredisModule {
  readonly Redis: new (url: string, options: RedisClientOptions) => RedisClient;
}

/**
 * Imports the package `ioredis`.
 *
 * @throws E_CACHE_DRIVER_MISSING
 */
export async function loadIoredis(): Promise<IoredisModule> {
  try {
    return await import("ioredis");
  } catch (cause) {
    if (isPackageMissing(cause, "ioredis")) throw errors.E_CACHE_DRIVER_MISSING("ioredis", "6").causedBy(cause);
    throw cause;
  }
}
