import { Cleaner } from "../../../../cleaner/index.ts";
import { background, Service } from "../../../../core/index.ts";
import { startPeriodicTask } from "../../../../time/index.ts";
import { tokenCommands } from "../../commands.ts";
import type { StoredToken, StoredTokenService } from "../../contract.ts";
import { recordUserService } from "../../engine/owner.ts";
import { purgeTask } from "../../operations.ts";
import { memoryTokenOperations } from "./memory-store.ts";

/**
 * Creates a token service in the memory of this process, for tests. A restart loses the tokens.
 *
 * @example
 * export const token = Token.memory();
 */
export function memory({ name = "token" }: { readonly name?: string } = {}): StoredTokenService {
  const tokens = new Map<string, StoredToken>();
  const service: StoredTokenService = {
    ...Service.make({
      name,
      implementation: "memory",
      ...background((context) => {
        recordUserService(service, context);
        return [Cleaner.register(name, () => tokens.clear()), startPeriodicTask(purgeTask(service))];
      }),
    }),
    ...memoryTokenOperations(tokens),
    commands: tokenCommands(() => service),
  };
  return service;
}
