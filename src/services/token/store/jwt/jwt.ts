import { type ContextOptions, isError, type Service } from "../../../../core/index.ts";
import type { Database } from "../../../../database/index.ts";
import type { MigratedService } from "../../../../migration/index.ts";
import type { Audit } from "../../../audit/contract.ts";
import { Time, TimeInternals } from "../../../../time/index.ts";
import type {
  CreateOptions,
  OwnerOptions,
  PurposeOptions,
  TokenContent,
  TokenData,
  TokenOptions,
  TokenService,
} from "../../contract.ts";
import { type ConsumeOnce, consumeOperation, type ConsumeWith } from "../../engine/consume.ts";
import { newTokenContent } from "../../engine/new-token.ts";
import { recordedOperations } from "../../engine/recorded-tokens.ts";
import { errors } from "../../errors.ts";
import { jwtMigrations } from "../../migrations.ts";
import { tokenService } from "../../service.ts";
import { isWithinValidity, type JwtClaims, noGenerations, signJwt, verifyJwt } from "./jwt-text.ts";
import { memoryRevocations, type Revocation, revocationKey, type Revocations, sqlRevocations } from "./revocations.ts";

/** Options of `Token.jwt`. */
export interface JwtOptions extends TokenOptions {
  /** Database of the revocations. Default: the memory of this process. */
  readonly database?: Database;
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
export function jwt({ database, name = "token", audit }: JwtOptions = {}): TokenService & MigratedService {
  const records = database ?? new Map<string, Revocation>();
  const revocations = records instanceof Map ? memoryRevocations(records) : sqlRevocations(records);
  const check: Service.Service["check"] = ({ environment }) =>
    database === undefined && environment === "production" ? [memoryFinding] : [{ level: "ok", message: "JWT, HS256" }];
  const migrations = database === undefined ? [] : [jwtMigrations];
  const operations = { ...jwtOperations(revocations, audit), migrations };
  return tokenService({ name, implementation: "jwt", check }, records, operations, audit);
}

const memoryFinding: Service.Finding = {
  level: "problem",
  message: "Revocations are stored in memory: revoked tokens are valid again after a restart, or in another process",
  advice: "Give Token.jwt a database.",
};

/** Maximum validity of a token. Revocations of an owner are stored this long. */
const maxLifetimeMs = Time.days(366);

/** Time for which a revocation outlives its token: for clocks that differ, and times that are whole seconds. */
const retentionMarginMs = Time.minutes(1);

/** Maximum number of attempts to consume a token while other calls consume it too. */
const maxConsumeAttempts = 20;

function jwtOperations(revocations: Revocations, audit: Audit | undefined): Omit<TokenService, keyof Service.Service> {
  const isRevoked = async ({ content, generations }: JwtClaims, options: ContextOptions): Promise<boolean> => {
    const hashes = ownerHashes(content);
    const matches = await revocations.find([revocationKey("token", content.id), ...hashes], options);
    return matches.some(({ hash, status, generation }) =>
      status === "owner" ? generation > (generations[hashes.indexOf(hash)] ?? 0) : true,
    );
  };

  const readValid = async (token: string, options: PurposeOptions): Promise<JwtClaims | undefined> => {
    const claims = verifyJwt(token, options.purpose);
    if (claims === undefined || !isWithinValidity(claims.content)) return undefined;
    return (await isRevoked(claims, options)) ? undefined : claims;
  };

  const currentGenerations = async (
    content: TokenContent,
    options: ContextOptions,
  ): Promise<JwtClaims["generations"]> => {
    const hashes = ownerHashes(content);
    if (hashes.length === 0) return noGenerations;
    const matches = await revocations.find(hashes, options);
    const generationOf = (key: string | undefined): number => matches.find(({ hash }) => hash === key)?.generation ?? 0;
    return [generationOf(hashes[0]), generationOf(hashes[1])];
  };

  /** Ends the owner's tokens of this purpose. Each of several concurrent calls gets a generation of its own. */
  const nextGenerations: typeof currentGenerations = async (content, options) => {
    const ofPurpose = await revocations.advanceGeneration(ownerRevocation(content), options);
    const [, ofAll] = await currentGenerations(content, options);
    return [ofPurpose, ofAll];
  };

  const revoke = (
    content: TokenContent,
    status: "inactive" | "consumed",
    options: ContextOptions,
  ): Promise<boolean> => {
    const expires_at = new Date(content.expires_at.getTime() + retentionMarginMs);
    return revocations.add({ hash: revocationKey("token", content.id), status, generation: 0, expires_at }, options);
  };

  const create = async (data: TokenData, options: CreateOptions): Promise<string> => {
    const content = newTokenContent(data, options);
    if (content.expires_at.getTime() - content.created_at.getTime() > maxLifetimeMs) {
      throw errors.E_TOKEN_INVALID("a JWT is valid for at most 366 days, the time for which revocations are stored");
    }
    const generations = await (options.replacesOthers === true ? nextGenerations : currentGenerations)(
      content,
      options,
    );
    const text = signJwt({ content, generations });
    if (verifyJwt(text, options.purpose) === undefined)
      throw errors.E_TOKEN_INVALID("its data is too long for a header");
    return text;
  };

  const consumeOnce: ConsumeOnce = async (token, options) => {
    const content = (await readValid(token, options))?.content;
    return content !== undefined && (await revoke(content, "consumed", options)) ? content : undefined;
  };

  const consumeWith: ConsumeWith = async (token, options, apply) => {
    for (let attempt = 1; ; attempt++) {
      let consumed: TokenContent | undefined;
      try {
        return await revocations.transaction(
          async () => {
            consumed = await consumeOnce(token, options);
            return consumed === undefined ? undefined : apply(consumed);
          },
          async () => consumed && revocations.delete(revocationKey("token", consumed.id), options),
          options,
        );
      } catch (error) {
        // On MariaDB, calls that wait for a row whose insert is rolled back can deadlock. Nothing was consumed then, so it
        // retries. A deadlock also aborts a surrounding transaction, whose caller needs the cause.
        if (attempt > 1 && isError(error, "E_DATABASE_TRANSACTION_ABORTED")) throw error.cause;
        if (consumed !== undefined || attempt === maxConsumeAttempts || !isError(error, "E_DATABASE_DEADLOCK")) {
          throw error;
        }
      }
    }
  };

  /** Returns `undefined`: the number of ended tokens is not known. */
  const revokeAll = async ({ owner, purpose, ...options }: OwnerOptions): Promise<undefined> => {
    await revocations.advanceGeneration(ownerRevocation({ owner, purpose }), options);
    return undefined;
  };

  const checkClaims = async (
    token: string,
    options: PurposeOptions,
    check: (claims: JwtClaims) => boolean | Promise<boolean>,
  ): Promise<boolean> => {
    const claims = verifyJwt(token, options.purpose);
    return claims !== undefined && (await check(claims));
  };

  const operations: Omit<TokenService, keyof Service.Service> = {
    create,
    read: async (token, options) => (await readValid(token, options))?.content,
    consume: consumeOperation(consumeOnce, consumeWith),
    deactivate: (token, options) =>
      checkClaims(
        token,
        options,
        async (claims) => !(await isRevoked(claims, options)) && (await revoke(claims.content, "inactive", options)),
      ),
    activate: (token, options) =>
      checkClaims(token, options, ({ content }) => revocations.remove(revocationKey("token", content.id), options)),
    deactivateAll: revokeAll,
    deleteAll: revokeAll,
    isValid: async (token, options) => (await readValid(token, options)) !== undefined,
    isActive: (token, options) => checkClaims(token, options, async (claims) => !(await isRevoked(claims, options))),
    isExpired: (token, options) =>
      checkClaims(token, options, ({ content }) => content.expires_at.getTime() <= TimeInternals.timestamp()),
    purge: (options = {}) => revocations.purge(Time.now(), options),
  };
  const find = async (token: string, { purpose }: PurposeOptions): Promise<TokenContent | undefined> =>
    verifyJwt(token, purpose)?.content;
  const store = { transaction: revocations.transaction, find, consumeAll: revokeAll, deleteAll: revokeAll };
  return recordedOperations(operations, store, audit);
}

/** Returns a revocation of the owner's tokens, for one purpose or (without one) for all. */
function ownerRevocation({
  owner = "",
  purpose = "",
}: Pick<TokenContent, "owner"> & { readonly purpose?: string | undefined }): Revocation {
  const now = TimeInternals.timestamp();
  const expires_at = new Date(now + maxLifetimeMs + retentionMarginMs);
  return { hash: revocationKey("owner", owner, purpose), status: "owner", generation: now, expires_at };
}

/** Returns the keys of the owner's generations, in the order of `JwtClaims.generations`. */
function ownerHashes({ owner, purpose }: TokenContent): readonly string[] {
  return owner === undefined ? [] : [revocationKey("owner", owner, purpose), revocationKey("owner", owner, "")];
}
