import type { ContextOptions, Result, Service } from "../../core/index.ts";

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a token carries for the application, such as `{ team: "red" }`. */
export type TokenData = Readonly<Record<string, Json>>;

/** What a valid token stands for. */
export interface TokenContent {
  /** Names the token without being one: a UUID that may be shown, listed and logged. */
  readonly id: string;
  /** What it is for. A token of one purpose is unknown for all others. */
  readonly purpose: string;
  /** Whom it belongs to, mostly the id of a user. */
  readonly owner: string | undefined;
  /** What its owner calls it: `laptop`. */
  readonly name: string | undefined;
  /** What its bearer may do: `todos:write`. Nothing is implied by an empty list, and nothing by another ability. */
  readonly abilities: readonly string[];
  readonly data: TokenData;
  readonly created_at: Date;
  /** From this moment on it is no longer valid. */
  readonly expires_at: Date;
}

/** What a service keeps of a token: everything but the token. */
export interface StoredToken extends TokenContent {
  /** `inactive` can become `active` again; `consumed` is for ever. */
  readonly status: "active" | "inactive" | "consumed";
  /** When it was last read, to the minute; `undefined` when it never was. */
  readonly last_used_at: Date | undefined;
}

/** Which kind of token is meant. */
export interface PurposeOptions extends ContextOptions {
  /** What the token must have been made for. */
  readonly purpose: string;
}

/** How a token is made. */
export interface CreateOptions extends PurposeOptions {
  /** How long it is valid, in milliseconds. Default one day. */
  readonly expiresIn?: number;
  /** Whom it belongs to, mostly the id of a user. */
  readonly owner?: string;
  /** What its owner calls it. */
  readonly name?: string;
  /** What its bearer may do. Default: nothing in particular. */
  readonly abilities?: readonly string[];
}

/** Which tokens are meant: those of an owner, all or those of one purpose. */
export interface OwnerOptions extends ContextOptions {
  readonly owner: string;
  readonly purpose?: string;
}

/** Which tokens are listed: those of an owner, of a purpose, or of both. */
export interface ListOptions extends ContextOptions {
  readonly owner?: string;
  readonly purpose?: string;
}

/**
 * Gives out secrets and knows them again.
 *
 * A token is unknown to every operation that names another purpose than it was made for. Texts that are no token
 * (empty, cut, of any length, of another secret) are unknown as well: they never throw, and mostly cost no query.
 */
export interface TokenService extends Service.Service {
  /**
   * Makes a token and gives its text, this once: what is kept cannot be turned back into it.
   *
   * @throws E_TOKEN_INVALID for a purpose, owner, name or ability that is empty or too long, for data that is not JSON, and for a life
   * that is no positive number of milliseconds, or longer than a hundred years.
   */
  create(data: TokenData, options: CreateOptions): Promise<string>;
  /**
   * What a token stands for; `undefined` unless it is known, active and not expired. Reading counts as use: see
   * `StoredToken.last_used_at`.
   */
  read(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  /**
   * Reads a token and ends it for ever, in one step: of any number of calls at the same time, one gets the content, the
   * others `undefined`.
   */
  consume(token: string, options: PurposeOptions): Promise<TokenContent | undefined>;
  /**
   * As `consume`, for work that must happen together with it, in one transaction where the token is kept in a database.
   * When the work gives an error, or throws, the token stays as it was. Without a valid token the work is not
   * called, and the answer is `undefined`.
   */
  consume<T, E>(
    token: string,
    options: PurposeOptions,
    work: (content: TokenContent) => Promise<Result<T, E>>,
  ): Promise<Result<T, E> | undefined>;
  /** Ends a token until it is activated. False when that changed nothing: it is unknown, or not active. */
  deactivate(token: string, options: PurposeOptions): Promise<boolean>;
  /** Makes a deactivated token active again. False when that changed nothing: it is unknown, active or consumed. */
  activate(token: string, options: PurposeOptions): Promise<boolean>;
  /** Ends all tokens of an owner for ever, as consuming does. Tokens that are made afterwards are not concerned. */
  deactivateAll(options: OwnerOptions): Promise<void>;
  /**
   * Ends all tokens of an owner, as `deactivateAll` does, and forgets what is kept of them: for an owner who is deleted.
   * Where tokens are not kept, such as JSON Web Tokens, they are ended.
   */
  deleteAll(options: OwnerOptions): Promise<void>;
  /** Whether `read` would give its content. Does not count as use. */
  isValid(token: string, options: PurposeOptions): Promise<boolean>;
  /** Whether it is known and neither deactivated nor consumed, expired or not. */
  isActive(token: string, options: PurposeOptions): Promise<boolean>;
  /** Whether it is known and its time is over. */
  isExpired(token: string, options: PurposeOptions): Promise<boolean>;
  /** Forgets what is expired, and gives how many entries that were. Nothing that is valid depends on it. */
  purge(options?: ContextOptions): Promise<number>;
}

/** A token service that keeps a list of what it gave out, for pages and commands that show and end tokens. */
export interface StoredTokenService extends TokenService {
  /** The newest first, at most 1,000; expired ones included until they are purged. */
  list(options: ListOptions): Promise<readonly StoredToken[]>;
  /**
   * Ends the token of an id for ever, if it belongs to the owner when one is named. False when there is none that is
   * active.
   */
  deactivateById(id: string, options?: ContextOptions & { readonly owner?: string }): Promise<boolean>;
}
