import crypto from "node:crypto";
import { availableParallelism } from "node:os";
import { errors } from "./errors.ts";
import { Gate, type GateOptions } from "./gate.ts";
import type { Cost } from "./phc.ts";

/**
 * How many hashes are computed at once: on each core one, by the threads of libuv. Files and name look-ups need these as
 * well: one is left to them.
 */
export function hashesAtOnce(
  cores: number,
  environment: { readonly [Key in "UV_THREADPOOL_SIZE"]?: string | undefined },
): number {
  const threads = Number(environment.UV_THREADPOOL_SIZE) || 4;
  return Math.max(1, Math.min(cores, threads - 1));
}

const running = hashesAtOnce(availableParallelism(), process.env);

/** Bounds memory and waiting: of 128 that wait for one place, with 30 ms each, the last waits about four seconds. */
export const gateOptions: GateOptions = { running, waiting: 128 * running, full: errors.E_PASSWORD_BUSY };

/** Where all hashes of the process pass. */
export const gate: Gate = new Gate(gateOptions);

/** What is computed. */
export interface Derivation extends Cost {
  readonly salt: Buffer;
  /** Bytes of the result. */
  readonly length: number;
}

/** Whether this runtime can hash passwords. @throws E_PASSWORD_UNSUPPORTED */
export function demandArgon2(): typeof crypto.argon2 {
  const { argon2 } = crypto as Partial<typeof crypto>;
  if (argon2 !== undefined) return argon2;
  const { bun, node } = process.versions as { readonly bun?: string; readonly node: string };
  throw errors.E_PASSWORD_UNSUPPORTED(bun === undefined ? `Node ${node}` : `Bun ${bun}`);
}

/**
 * Computes argon2id (RFC 9106) beside the event loop, when it is its turn.
 *
 * @throws E_PASSWORD_UNSUPPORTED, E_PASSWORD_BUSY, the reason of the signal when it is aborted before
 */
export async function argon2id(
  password: string,
  { salt, length, memory, passes, parallelism }: Derivation,
  signal?: AbortSignal,
): Promise<Buffer> {
  const argon2 = demandArgon2();
  const parameters = { message: Buffer.from(password), nonce: salt, tagLength: length, memory, passes, parallelism };
  return gate.run(
    () =>
      new Promise((resolve, reject) => {
        argon2("argon2id", parameters, (error, hash) => (error === null ? resolve(hash) : reject(error)));
      }),
    signal,
  );
}
