import { background, Service } from "../../../../core/index.ts";
import type { Database } from "../../../../database/index.ts";
import type { MigratedService } from "../../../../migration/index.ts";
import { tokenCommands } from "../../commands.ts";
import type { StoredTokenService } from "../../contract.ts";
import { recordUserService } from "../../engine/owner.ts";
import { purgeTask } from "../../operations.ts";
import { tokenMigrations } from "../../migrations.ts";
import { sqlTokenOperations } from "./sql-store.ts";

/**
 * Creates a token service that stores hashed tokens in the table `tokens` of a database. Its operations join the
 * surrounding transaction and use the pool that `ctx` names. `name`, by default `token`, is the name of the service.
 *
 * @example
 * export const token = Token.sql({ database });
 */
export function sql({
  database,
  name = "token",
}: {
  readonly database: Database;
  readonly name?: string;
}): StoredTokenService & MigratedService {
  const service: StoredTokenService & MigratedService = {
    ...Service.make({
      name,
      implementation: "sql",
      dependencies: () => [database],
      ...background((context) => {
        recordUserService(service, context);
        return [database.registerExpiry(purgeTask(service))];
      }),
    }),
    ...sqlTokenOperations(database),
    commands: tokenCommands(() => service),
    migrations: [tokenMigrations],
  };
  return service;
}
