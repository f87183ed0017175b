import { isPackageMissing } from "../../core/index.ts";
import type { Argon2Backend } from "../contract.ts";
import { errors } from "../errors.ts";

/** The used part of the package `@node-rs/argon2`. */
interface NodeRsModule {
  hashRaw(password: Uint8Array, options: NodeRsOptions): Promise<Buffer>;
}

interface NodeRsOptions {
  readonly algorithm: number;
  readonly version: number;
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
  readonly outputLen: number;
  readonly salt: Uint8Array;
}

// Values of `Algorithm.Argon2id` and `Version.V0x13`, which are constant enums.
const [argon2id, version19] = [2, 1];

/**
 * Returns a password backend over the package `@node-rs/argon2`, whose binary uses the vector unit of the processor: a hash
 * takes 0.35 of the time of `node:crypto`. The hashes are the same, so the backend can be changed at any time.
 *
 * @example
 * import { Password } from "limmat";
 * import { nodeRsArgon2 } from "limmat/password/node-rs";
 *
 * Password.useBackend(nodeRsArgon2());
 */
export function nodeRsArgon2(): Argon2Backend {
  let library: Promise<NodeRsModule> | undefined;
  const load = (): Promise<NodeRsModule> => (library ??= loadNodeRs());
  return {
    check: async () => void (await load()),
    argon2id: async (password, { salt, outputBytes, memoryKiB, passes, parallelism }) => {
      const nodeRs = await load();
      return await nodeRs.hashRaw(password, {
        algorithm: argon2id,
        version: version19,
        memoryCost: memoryKiB,
        timeCost: passes,
        parallelism,
        outputLen: outputBytes,
        salt,
      });
    },
  };
}

/** @throws E_PASSWORD_LIBRARY_MISSING */
async function loadNodeRs(): Promise<NodeRsModule> {
  try {
    const module: { readonly default: unknown } = await import("@node-rs/argon2");
    return module.default as NodeRsModule;
  } catch (cause) {
    if (isPackageMissing(cause, "@node-rs/argon2"))
      throw errors.E_PASSWORD_LIBRARY_MISSING("@node-rs/argon2", "2").causedBy(cause);
    throw cause;
  }
}
