import { availableParallelism } from "node:os";
import { ConcurrencyLimit, type ConcurrencyLimitOptions } from "./concurrency-limit.ts";
import type { Argon2Backend, Argon2Cost, Argon2Parameters } from "./contract.ts";
import { errors } from "./errors.ts";
import { nodeCrypto } from "./node-crypto.ts";
import { Random } from "../random/index.ts";
import { currentCost } from "./settings.ts";

export const saltBytes = 16;
export const hashBytes = 32;

/** Hash with the salt and the parameters that computed it. */
export interface PasswordHash extends Argon2Cost {
  readonly salt: Buffer;
  readonly hash: Uint8Array;
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

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64").replace(/=+$/, "");

/** Returns how many hashes run at a time: one per core, but one thread of libuv stays free for files and names. */
export function maxConcurrentHashes(
  cores: number,
  environment: { readonly UV_THREADPOOL_SIZE?: string | undefined },
): number {
  const threads = Number(environment.UV_THREADPOOL_SIZE) || 4;
  return Math.max(1, Math.min(cores, threads - 1));
}

const maxRunning = maxConcurrentHashes(availableParallelism(), process.env);

/** Limits of memory and waiting time: with 30 ms per hash, the last of 128 per slot waits about four seconds. */
export const hashLimits: ConcurrencyLimitOptions = {
  maxRunning,
  maxWaiting: 128 * maxRunning,
  whenFull: errors.E_PASSWORD_BUSY,
};

/** Limiter that all hashes of the process share. */
export const hashLimiter: ConcurrencyLimit = new ConcurrencyLimit(hashLimits);

const selected: { backend: Argon2Backend } = { backend: nodeCrypto };

/**
 * Selects the implementation of argon2id for the whole process, by default that of `node:crypto`. Call it before the application starts.
 * Hashes of all backends are the same, and the limits of concurrent hashes stay.
 *
 * @returns a function that restores the former backend
 * @example
 * Password.useBackend(nodeRsArgon2());
 */
export function useBackend(backend: Argon2Backend): () => void {
  const former = selected.backend;
  selected.backend = backend;
  return () => {
    selected.backend = former;
  };
}

/** Checks that argon2id works. @throws E_PASSWORD_UNSUPPORTED, E_PASSWORD_LIBRARY_MISSING (both may reject) */
export function requireArgon2(): void | Promise<void> {
  return selected.backend.check();
}

/**
 * Computes argon2id (RFC 9106) on the thread pool, within `hashLimits`.
 *
 * @throws E_PASSWORD_UNSUPPORTED, E_PASSWORD_LIBRARY_MISSING, E_PASSWORD_BUSY, the reason of the signal if it aborts before the
 *   computation starts (all reject)
 */
export async function argon2id(
  password: string,
  parameters: Argon2Parameters,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const { backend } = selected;
  const message = Buffer.from(password);
  return await hashLimiter.run(() => backend.argon2id(message, parameters), signal);
}

/** Returns a random hash that no password matches. Verifying against it takes as long as for a known user. */
export function dummyHash(): string {
  const [salt, hash] = [Random.bytes(saltBytes), Random.bytes(hashBytes)];
  return encodePhc({ ...currentCost(), salt, hash });
}
