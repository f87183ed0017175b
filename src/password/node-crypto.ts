import crypto from "node:crypto";
import type { Argon2Backend } from "./contract.ts";
import { errors } from "./errors.ts";

/** Backend over `node:crypto`, which is OpenSSL. Default. */
export const nodeCrypto: Argon2Backend = {
  check: () => void requireArgon2(),
  argon2id: (message, { salt, outputBytes, memoryKiB, passes, parallelism }) => {
    const parameters = { message, nonce: salt, tagLength: outputBytes, memory: memoryKiB, passes, parallelism };
    return new Promise((resolve, reject) => {
      requireArgon2()("argon2id", parameters, (error, hash) => (error === null ? resolve(hash) : reject(error)));
    });
  },
};

/** @throws E_PASSWORD_UNSUPPORTED if the runtime lacks argon2 */
function requireArgon2(): typeof crypto.argon2 {
  const { argon2 } = crypto as Partial<typeof crypto>;
  if (argon2 !== undefined) return argon2;
  const { bun, node } = process.versions as { readonly bun?: string; readonly node: string };
  throw errors.E_PASSWORD_UNSUPPORTED(bun === undefined ? `Node ${node}` : `Bun ${bun}`);
}
