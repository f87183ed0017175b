import { Service } from "../../../../core/index.ts";
import type { Database, Migration } from "../../../../database/index.ts";
import { tokenCommands } from "../../commands.ts";
import type { StoredTokenService } from "../../contract.ts";
import { type PurgeSchedule, purgeSchedule } from "../../engine/purge-schedule.ts";
import { tokenMigrations } from "../../migrations.ts";
import { lazyStoredTokenOperations, type StoredTokenOperations, type TokenBackend } from "../../operations.ts";

/** Options of `Token.sql`. */
export interface SqlOptions {
  readonly database: Database;
  /** Name of the service. Default `token`. */
  readonly name?: string;
}

/** Token service whose records are in a database. */
export interface SqlTokenService extends StoredTokenService, PurgeSchedule {
  /** Migrations of its table, for the command `migrate`. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * Creates a token service that stores hashed tokens in the table `tokens` of a database. Its operations join the
 * surrounding transaction and use the pool that `ctx` names.
 *
 * @example
 * export const token = Token.sql({ database });
 */
export function sql({ database, name = "token" }: SqlOptions): SqlTokenService {
  let backend: Promise<TokenBackend<StoredTokenOperations>> | undefined;
  const loadBackend = (): Promise<TokenBackend<StoredTokenOperations>> =>
    (backend ??= import("./sql-store.ts").then(({ sqlTokenBackend }) => sqlTokenBackend(database)));
  const service: SqlTokenService = {
    ...Service.make({ name, implementation: "sql", dependencies: () => [database] }),
    ...lazyStoredTokenOperations(loadBackend),
    commands: tokenCommands(() => service),
    migrations: [tokenMigrations],
    ...purgeSchedule(name, () => service),
  };
  return service;
}
