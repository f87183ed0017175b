import { Service } from "../../core/index.ts";
import type { Database, Migration } from "../../database/index.ts";
import { commands } from "./command.ts";
import type { StoredTokenService } from "./contract.ts";
import { tokenMigrations } from "./migrations.ts";
import { type Purging, purging } from "./purging.ts";
import { type StoredOperations, storedOperationsOf, type Work } from "./operations.ts";

/** What `Token.sql` is given. */
export interface SqlOptions {
  readonly database: Database;
  /** Its name among the services. Default `token`. */
  readonly name?: string;
}

/** A token service whose tokens are in a database. */
export interface SqlTokenService extends StoredTokenService, Purging {
  /** Its table: run with the command `migrate`. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * A token service that keeps its tokens, hashed, in the table `tokens` of a database. Its operations join the
 * transaction around them, and take the pool that `ctx` names.
 *
 * @example
 * export const token = Token.sql({ database });
 */
export function sql({ database, name = "token" }: SqlOptions): SqlTokenService {
  let loaded: Promise<Work<StoredOperations>> | undefined;
  const work = (): Promise<Work<StoredOperations>> =>
    (loaded ??= import("./sql-tokens.ts").then(({ sqlTokens }) => sqlTokens(database)));
  const service: SqlTokenService = {
    ...Service.make({ name, implementation: "sql", dependencies: () => [database] }),
    ...storedOperationsOf(work),
    commands: commands(() => service),
    migrations: [tokenMigrations],
    ...purging(name, () => service),
  };
  return service;
}
