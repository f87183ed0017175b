import { type ContextOptions, isError, type Result } from "../../../core/index.ts";
import type { Database } from "../../../database/index.ts";
import { Time } from "../../../time/index.ts";
import type { CreateOptions, OwnerOptions, PurposeOptions, TokenContent, TokenData } from "../contract.ts";
import { errors } from "../errors.ts";
import { newContent } from "../new-token.ts";
import type { Work } from "../operations.ts";
import { type Claims, isInTime, noGenerations, readSigned, write } from "./jwt-text.ts";
import { memoryRevocations } from "./memory-revocations.ts";
import { type Revocation, revocationKey } from "./revocations.ts";
import { sqlRevocations } from "./sql-revocations.ts";

/** So long owners' revocations are remembered, and so long a token may be valid at most. */
const longest = Time.days(366);

/**
 * So much longer than needed: one machine may purge by its clock what another, whose clock is behind, still asks for, and the
 * times of a token are rounded to seconds.
 */
const margin = Time.minutes(1);

/** How often a token is tried to be consumed while others do. */
const attempts = 20;

/** Tokens that are JSON Web Tokens. What is over before its time is remembered in the database, or in the map. */
export function jwtTokens(memory: Database | Map<string, Revocation>): Work {
  const revocations = memory instanceof Map ? memoryRevocations(memory) : sqlRevocations(memory);

  /** Whether it was ended before its time. */
  const isOver = async ({ content, generations }: Claims, options: ContextOptions): Promise<boolean> => {
    const keys = ownerKeys(content);
    const found = await revocations.find([revocationKey("token", content.id), ...keys], options);
    return found.some(({ hash, status, generation }) =>
      status === "owner" ? generation > (generations[keys.indexOf(hash)] ?? 0) : true,
    );
  };

  const readValid = async (token: string, options: PurposeOptions): Promise<Claims | undefined> => {
    const claims = readSigned(token, options.purpose);
    if (claims === undefined || !isInTime(claims.content)) return undefined;
    return (await isOver(claims, options)) ? undefined : claims;
  };

  const generationsOf = async (content: TokenContent, options: ContextOptions): Promise<Claims["generations"]> => {
    const keys = ownerKeys(content);
    if (keys.length === 0) return noGenerations;
    const found = await revocations.find(keys, options);
    const of = (key: string | undefined): number => found.find(({ hash }) => hash === key)?.generation ?? 0;
    return [of(keys[0]), of(keys[1])];
  };

  const revoke = (
    content: TokenContent,
    status: "inactive" | "consumed",
    options: ContextOptions,
  ): Promise<boolean> => {
    const { id } = content;
    const expires_at = new Date(content.expires_at.getTime() + margin);
    return revocations.add({ hash: revocationKey("token", id), status, generation: 0, expires_at }, options);
  };

  const create = async (data: TokenData, options: CreateOptions): Promise<string> => {
    const content = newContent(data, options);
    if (content.expires_at.getTime() - content.created_at.getTime() > longest) {
      throw errors.E_TOKEN_INVALID("a JWT is valid for 366 days at most, because its revocation is remembered so long");
    }
    const text = write({ content, generations: await generationsOf(content, options) });
    if (readSigned(text, options.purpose) === undefined)
      throw errors.E_TOKEN_INVALID("its data is too long for a header");
    return text;
  };

  const consumeOnce = async (token: string, options: PurposeOptions): Promise<TokenContent | undefined> => {
    const content = (await readValid(token, options))?.content;
    return content !== undefined && (await revoke(content, "consumed", options)) ? content : undefined;
  };

  const consumeWith = async <T, E>(
    token: string,
    options: PurposeOptions,
    work: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined> => {
    for (let attempt = 1; ; attempt++) {
      let consumed: TokenContent | undefined;
      try {
        return await revocations.together(
          async () => {
            consumed = await consumeOnce(token, options);
            return consumed === undefined ? undefined : work(consumed);
          },
          async () => consumed && revocations.forget(revocationKey("token", consumed.id), options),
          options,
        );
      } catch (error) {
        // On MariaDB those who wait for a token that is given back wait for each other, too. Nothing was done then; but a
        // transaction around is over, and whoever began it must see why.
        if (attempt > 1 && isError(error, "E_DATABASE_TRANSACTION_ABORTED")) throw error.cause;
        if (consumed !== undefined || attempt === attempts || !isError(error, "E_DATABASE_DEADLOCK")) throw error;
      }
    }
  };

  const endAll = async ({ owner, purpose = "", ...options }: OwnerOptions): Promise<void> => {
    const now = Time.timestamp();
    const expires_at = new Date(now + longest + margin);
    const hash = revocationKey("owner", owner, purpose);
    await revocations.advance({ hash, status: "owner", generation: now, expires_at }, options);
  };

  const claimsIf = async (
    token: string,
    options: PurposeOptions,
    matches: (claims: Claims) => boolean | Promise<boolean>,
  ): Promise<boolean> => {
    const claims = readSigned(token, options.purpose);
    return claims !== undefined && (await matches(claims));
  };

  return {
    create,
    read: async (token, options) => (await readValid(token, options))?.content,
    consumeOnce,
    consumeWith,
    deactivate: (token, options) =>
      claimsIf(
        token,
        options,
        async (claims) => !(await isOver(claims, options)) && (await revoke(claims.content, "inactive", options)),
      ),
    activate: (token, options) =>
      claimsIf(token, options, ({ content }) => revocations.remove(revocationKey("token", content.id), options)),
    deactivateAll: endAll,
    deleteAll: endAll,
    isValid: async (token, options) => (await readValid(token, options)) !== undefined,
    isActive: (token, options) => claimsIf(token, options, async (claims) => !(await isOver(claims, options))),
    isExpired: (token, options) =>
      claimsIf(token, options, ({ content }) => content.expires_at.getTime() <= Time.timestamp()),
    purge: (options = {}) => revocations.purge(Time.now(), options),
  };
}

/** The keys of its owner's generations, in the order of `Claims.generations`. */
function ownerKeys({ owner, purpose }: TokenContent): readonly string[] {
  return owner === undefined ? [] : [revocationKey("owner", owner, purpose), revocationKey("owner", owner, "")];
}
