import { Cleaner } from "../../../../cleaner/index.ts";
import { Service } from "../../../../core/index.ts";
import { startPeriodicTask } from "../../../../time/index.ts";
import { tokenCommands } from "../../commands.ts";
import type { StoredToken, StoredTokenService } from "../../contract.ts";
import { recordUserService } from "../../engine/owner.ts";
import { purgeTask } from "../../operations.ts";
import { memoryTokenOperations } from "./memory-store.ts";

/** Options of `Token.memory`. */
export interface MemoryOptions {
  /** Name of the service. Default `token`. */
  readonly name?: string;
}

/**
 * Creates a token service in the memory of this process, for tests. A restart loses the tokens.
 *
 * @example
 * export const token = Token.memory();
 */
export function memory({ name = "token" }: MemoryOptions = {}): StoredTokenService {
  const tokens = new Map<string, StoredToken>();
  let unregister: (() => void) | undefined;
  let stopPurging: (() => Promise<void>) | undefined;
  const service: StoredTokenService = {
    ...Service.make({
      name,
      implementation: "memory",
      start: (context) => {
        recordUserService(service, context);
        unregister = Cleaner.register(name, () => tokens.clear());
        stopPurging = startPeriodicTask(purgeTask(service));
      },
      stop: async () => {
        unregister?.();
        await stopPurging?.();
      },
    }),
    ...memoryTokenOperations(tokens),
    commands: tokenCommands(() => service),
  };
  return service;
}
