import { Cleaner } from "../../cleaner/index.ts";
import { Service } from "../../core/index.ts";
import { commands } from "./command.ts";
import type { StoredToken, StoredTokenService } from "./contract.ts";
import { type StoredOperations, storedOperationsOf, type Work } from "./operations.ts";

/** What `Token.memory` can be given. */
export interface MemoryOptions {
  /** Its name among the services. Default `token`. */
  readonly name?: string;
}

/**
 * A token service that keeps its tokens in the memory of this process, and forgets them with it. For tests.
 *
 * @example
 * export const token = Token.memory();
 */
export function memory({ name = "token" }: MemoryOptions = {}): StoredTokenService {
  const tokens = new Map<string, StoredToken>();
  let unregister: (() => void) | undefined;
  let loaded: Promise<Work<StoredOperations>> | undefined;
  const work = (): Promise<Work<StoredOperations>> =>
    (loaded ??= import("./memory-tokens.ts").then(({ memoryTokens }) => memoryTokens(tokens)));
  const service: StoredTokenService = {
    ...Service.make({
      name,
      implementation: "memory",
      start: () => {
        unregister = Cleaner.register(name, () => tokens.clear());
      },
      stop: () => unregister?.(),
    }),
    ...storedOperationsOf(work),
    commands: commands(() => service),
  };
  return service;
}
