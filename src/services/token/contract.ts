import type { CancellableOptions, ContextOptions, Result, Service } from "../../core/index.ts";
import type { Audit } from "../audit/contract.ts";

/** JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Data of the application in a token, such as `{ team: "red" }`. */
export type TokenData = Readonly<Record<string, Json>>;

/** Content of a valid token. */
export interface TokenContent {
  /** UUID of the token. It is no secret: it may be shown, listed and logged. */
  readonly id: string;
  /** Purpose of the token. It is invalid for all other purposes. */
  readonly purpose: string;
  /** Owner of the token, usually the id of a user. */
  readonly owner: string | undefined;
  /** Name that the owner gave it, such as `laptop`. */
  readonly name: string | undefined;
  /** Permissions of the bearer, such as `todos:write`. No ability implies another; an empty list grants none. */
  readonly abilities: readonly string[];
  readonly data: TokenData;
  readonly created_at: Date;
  /** Time from which the token is invalid. */
  readonly expires_at: Date;
}

/** Stored record of a token, without the token itself. */
export interface StoredToken extends TokenContent {
  /** Status of the token. `inactive` can become `active` again; `consumed` is final. */
  readonly status: "active" | "inactive" | "consumed";
  /** Time of the last read, accurate to the minute; `undefined` if it was never read. */
  readonly last_used_at: Date | undefined;
}

/** Options of every token service. */
export interface TokenOptions {
  /** Name of the service. Default `token`. */
  readonly name?: string;
  /**
   * Records which tokens were made and ended: `token.create`, `token.consume`, `token.deactivate`, `token.activate`, `token.revoke`,
   * `token.delete`. What cannot be recorded fails with E_AUDIT_UNAVAILABLE (503). Default: none.
   */
  readonly audit?: Audit;
}

/** Options with the purpose of a token. */
export interface PurposeOptions extends ContextOptions {
  /** Purpose that the token was created for. */
  readonly purpose: string;
}

/** Options of `create`. */
export interface CreateOptions extends PurposeOptions {
  /** Validity, in milliseconds. Default one day. */
  readonly expiresInMs?: number;
  /** Owner of the token, usually the id of a user. */
  readonly owner?: string;
  /** Name that the owner gives it. */
  readonly name?: string;
  /** Permissions of the bearer. Default: none. */
  readonly abilities?: readonly string[];
  /**
   * True if the token ends the owner's other tokens of this purpose, such as earlier links in mails. Of several concurrent
   * calls, the token of the last one is valid. Default false.
   */
  readonly replacesOthers?: boolean;
}

/** Options that select the tokens of an owner, for all purposes or for one. */
export interface OwnerOptions extends ContextOptions {
  readonly owner: string;
  readonly purpose?: string;
}

/**
 * Issues and verifies tokens. While an administrator acts as a user, `create`, `deactivateAll`, `deleteAll` and `deactivateById`
 * fail for tokens of the user with E_IMPERSONATED (403). A token is unknown to every operation with another purpose than it was created for. Texts that
 * are no token (empty, truncated, signed with another secret) are unknown as well: they never throw; most cost no query.
 */
export interface TokenService extends Service.Service {
  /**
   * Creates a token and returns its text. The text cannot be recovered later, because only a hash is stored.
   *
   * @throws E_TOKEN_INVALID for a purpose, owner, name or ability that is empty or too long, for data that is not JSON,
   * for `replacesOthers` without an owner, and for a validity that is not a positive number of milliseconds or exceeds a hundred years
   */
  create(data: TokenData, options: CreateOptions): Promise<string>;
  /** Returns the content of a token that is known, active and not expired, and counts as use (`last_used_at`). */
  read(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  /** Reads a token and ends it permanently. Of several concurrent calls, one gets the content, the others `undefined`. */
  consume(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  /**
   * Consumes a token together with other changes, in one transaction if the tokens are in a database. If `apply` returns
   * an error or throws, the token stays valid. Without a valid token, `apply` is not called, and the result is
   * `undefined`.
   */
  consume<T, E>(
    token: string,
    options: PurposeOptions,
    apply: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined>;
  /** Deactivates a token until it is activated. Returns false if it is unknown or not active. */
  deactivate(token: string, options: PurposeOptions): Promise<boolean>;
  /** Activates a deactivated token. Returns false if it is unknown, active or consumed. */
  activate(token: string, options: PurposeOptions): Promise<boolean>;
  /** Ends all tokens of an owner permanently, as `consume` does. It does not affect tokens that are created later. */
  deactivateAll(options: OwnerOptions): Promise<void>;
  /** Like `deactivateAll`, and deletes the records, for an owner that is deleted. JSON Web Tokens are only ended. */
  deleteAll(options: OwnerOptions): Promise<void>;
  /** Returns true if `read` would return content. Does not count as use. */
  isValid(token: string, options: PurposeOptions): Promise<boolean>;
  /** Returns true if the token is known and neither deactivated nor consumed, even if it has expired. */
  isActive(token: string, options: PurposeOptions): Promise<boolean>;
  /** Returns true if the token is known and has expired. */
  isExpired(token: string, options: PurposeOptions): Promise<boolean>;
  /** Deletes the records of expired tokens and returns their number. Runs every five minutes automatically. */
  purge(options?: CancellableOptions): Promise<number>;
}

/** Token service that stores a record of each token, so that pages and commands can list and end tokens. */
export interface StoredTokenService extends TokenService {
  /** Lists at most 1,000 tokens, newest first, also expired ones, optionally those of an owner or of a purpose. */
  list(options: Partial<OwnerOptions>): Promise<readonly StoredToken[]>;
  /** Ends the token with an id permanently, optionally only if it belongs to `owner`. Returns false if none is active. */
  deactivateById(id: string, options?: ContextOptions & { readonly owner?: string }): Promise<boolean>;
}
