import crypto from "node:crypto";
import { availableParallelism } from "node:os";
import { ConcurrencyLimit, type ConcurrencyLimitOptions } from "./concurrency-limit.ts";
import { errors } from "./errors.ts";

/** Cost parameters of argon2id. */
export interface Argon2Cost {
  /** Memory, in KiB. */
  readonly memoryKiB: number;
  readonly passes: number;
  /** Number of lanes. */
  readonly parallelism: number;
}

/** Hash with the salt and the parameters that computed it. */
export interface PasswordHash extends Argon2Cost {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const phcPattern = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([\w+/-]{11,86})\$([\w+/-]{22,86})$/;
const maxMemoryKiB = 1_048_576;

/** Encodes a hash as a PHC string, `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`, in base64 without padding. */
export function encodePhc({ memoryKiB, passes, parallelism, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/** Decodes a PHC string. Returns `undefined` unless it is argon2id of version 19 with valid parameters. */
export function decodePhc(text: string): PasswordHash | undefined {
  const match = phcPattern.exec(text);
  if (match === null) return undefined;
  const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);
  const [salt, hash] = match.slice(4).map((part) => Buffer.from(part, "base64"));
  if (salt === undefined || hash === undefined || memoryKiB > maxMemoryKiB) return undefined;
  // RFC 9106 §3.1: at least eight blocks per lane.
  if (passes < 1 || parallelism < 1 || memoryKiB < 8 * parallelism) return undefined;
  return { memoryKiB, passes, parallelism, salt, hash };
}

const base64 = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");

/**
 * Returns how many hashes may be computed at the same time: one per core, on the thread pool of libuv. One thread stays
 * free for file access and name resolution.
 */
export function maxConcurrentHashes(
  cores: number,
  environment: { readonly [Key in "UV_THREADPOOL_SIZE"]?: string | undefined },
): number {
  const threads = Number(environment.UV_THREADPOOL_SIZE) || 4;
  return Math.max(1, Math.min(cores, threads - 1));
}

const maxRunning = maxConcurrentHashes(availableParallelism(), process.env);

/**
 * Limits that bound memory and waiting time. With 128 waiting tasks per slot and 30 ms per hash, the last one waits about
 * four seconds.
 */
export const hashLimits: ConcurrencyLimitOptions = {
  maxRunning,
  maxWaiting: 128 * maxRunning,
  whenFull: errors.E_PASSWORD_BUSY,
};

/** Limiter that all hashes of the process share. */
export const hashLimiter: ConcurrencyLimit = new ConcurrencyLimit(hashLimits);

/** Parameters of one argon2id computation. */
export interface Argon2Parameters extends Argon2Cost {
  readonly salt: Buffer;
  /** Length of the hash, in bytes. */
  readonly outputBytes: number;
}

/**
 * Returns `argon2` of `node:crypto`.
 *
 * @throws E_PASSWORD_UNSUPPORTED if the runtime lacks it
 */
export function requireArgon2(): typeof crypto.argon2 {
  const { argon2 } = crypto as Partial<typeof crypto>;
  if (argon2 !== undefined) return argon2;
  const { bun, node } = process.versions as { readonly bun?: string; readonly node: string };
  throw errors.E_PASSWORD_UNSUPPORTED(bun === undefined ? `Node ${node}` : `Bun ${bun}`);
}

/**
 * Computes argon2id (RFC 9106) on the thread pool, within `hashLimits`.
 *
 * @throws E_PASSWORD_UNSUPPORTED, E_PASSWORD_BUSY, the reason of the signal if it aborts before the computation starts
 */
export async function argon2id(
  password: string,
  { salt, outputBytes, memoryKiB, passes, parallelism }: Argon2Parameters,
  signal?: AbortSignal,
): Promise<Buffer> {
  const argon2 = requireArgon2();
  const message = Buffer.from(password);
  const parameters = { message, nonce: salt, tagLength: outputBytes, memory: memoryKiB, passes, parallelism };
  return hashLimiter.run(
    () =>
      new Promise((resolve, reject) => {
        argon2("argon2id", parameters, (error, hash) => (error === null ? resolve(hash) : reject(error)));
      }),
    signal,
  );
}
