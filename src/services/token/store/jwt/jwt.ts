import { Cleaner } from "../../../../cleaner/index.ts";
import { background, Service } from "../../../../core/index.ts";
import type { Database } from "../../../../database/index.ts";
import type { MigratedService } from "../../../../migration/index.ts";
import { tokenCommands } from "../../commands.ts";
import type { TokenService } from "../../contract.ts";
import { recordUserService } from "../../engine/owner.ts";
import { startPeriodicTask } from "../../../../time/index.ts";
import { purgeTask } from "../../operations.ts";
import { jwtMigrations } from "../../migrations.ts";
import type { Revocation } from "./revocations.ts";
import { jwtTokenOperations } from "./jwt-tokens.ts";

/** Options of `Token.jwt`. */
export interface JwtOptions {
  /** Database of the revocations. Default: the memory of this process. */
  readonly database?: Database;
  /** Name of the service. Default `token`. */
  readonly name?: string;
}

/**
 * Creates a token service whose tokens contain their signed content: JSON Web Tokens (RFC 7519), always HS256. The key is
 * derived from `FRAMEWORK_SECRET` for each purpose. Tokens signed with a former secret stay valid.
 *
 * Use it for clients that require JWT. Everyone who has a token can read its content. Tokens cannot be listed and are
 * valid for at most 366 days. Each read still checks for a revocation.
 *
 * @example
 * export const token = Token.jwt({ database });
 */
export function jwt({ database, name = "token" }: JwtOptions = {}): TokenService & MigratedService {
  const revocations = new Map<string, Revocation>();
  const service: TokenService & MigratedService = {
    ...Service.make({
      name,
      implementation: "jwt",
      dependencies: () => (database === undefined ? [] : [database]),
      ...background((context) => {
        recordUserService(service, context);
        if (database !== undefined) return [database.registerExpiry(purgeTask(service))];
        return [Cleaner.register(name, () => revocations.clear()), startPeriodicTask(purgeTask(service))];
      }),
      check: ({ environment }) =>
        database === undefined && environment === "production"
          ? [memoryFinding]
          : [{ level: "ok", message: "JWT, HS256" }],
    }),
    ...jwtTokenOperations(database ?? revocations),
    commands: tokenCommands(() => service),
    migrations: database === undefined ? [] : [jwtMigrations],
  };
  return service;
}

const memoryFinding: Service.Finding = {
  level: "problem",
  message: "Revocations are stored in memory: revoked tokens are valid again after a restart, or in another process",
  advice: "Give Token.jwt a database.",
};
