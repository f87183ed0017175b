import { Cleaner } from "../../../cleaner/index.ts";
import { Service } from "../../../core/index.ts";
import type { Database, Migration } from "../../../database/index.ts";
import { commands } from "../command.ts";
import type { TokenService } from "../contract.ts";
import { jwtMigrations } from "../migrations.ts";
import { operationsOf, type Work } from "../operations.ts";
import { type Purging, purging } from "../purging.ts";
import type { Revocation } from "./revocations.ts";

/** What `Token.jwt` can be given. */
export interface JwtOptions {
  /** Where it is remembered which tokens are over before their time. Default: the memory of this process. */
  readonly database?: Database;
  /** Its name among the services. Default `token`. */
  readonly name?: string;
}

/** A token service whose tokens are JSON Web Tokens. */
export interface JwtTokenService extends TokenService, Purging {
  /** The table of revocations: run with the command `migrate`. */
  readonly migrations: readonly Migration.Migration[];
}

/**
 * A token service whose tokens hold their content themselves, signed: JSON Web Tokens (RFC 7519), always HS256, with a
 * key of their own for each purpose, derived from `FRAMEWORK_SECRET`; what a former secret signed is valid as well.
 *
 * They are for other programs that expect JWT. Whoever holds one can read it. They cannot be listed, are valid for a
 * year at most, and reading one still asks whether it was revoked.
 *
 * @example
 * export const token = Token.jwt({ database });
 */
export function jwt({ database, name = "token" }: JwtOptions = {}): JwtTokenService {
  const kept = new Map<string, Revocation>();
  let unregister: (() => void) | undefined;
  let loaded: Promise<Work> | undefined;
  const work = (): Promise<Work> =>
    (loaded ??= import("./jwt-tokens.ts").then(({ jwtTokens }) => jwtTokens(database ?? kept)));
  const service: JwtTokenService = {
    ...Service.make({
      name,
      implementation: "jwt",
      dependencies: () => (database === undefined ? [] : [database]),
      start: () => {
        if (database === undefined) unregister = Cleaner.register(name, () => kept.clear());
      },
      stop: () => unregister?.(),
      check: ({ environment }) =>
        database === undefined && environment === "production" ? [forgetful] : [{ level: "ok", message: "JWT, HS256" }],
    }),
    ...operationsOf(work),
    commands: commands(() => service),
    migrations: database === undefined ? [] : [jwtMigrations],
    ...purging(name, () => service),
  };
  return service;
}

const forgetful: Service.Finding = {
  level: "problem",
  message: "Revoked tokens are remembered in memory: a restart, or another process, takes them as valid again",
  advice: "Give Token.jwt a database.",
};
