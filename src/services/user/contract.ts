import type { Result } from "../../core/index.ts";
import type { OperationOptions } from "../../database/index.ts";
import type { MigratedService } from "../../migration/index.ts";
import type { SearchCursors, SearchParameters } from "../../table/search/index.ts";

/** User account. It never contains the password or its hash. */
export interface User {
  /** UUID of version 4. */
  readonly id: string;
  /** E-mail address as typed, trimmed. Unique, without regard to the case of ASCII letters. */
  readonly email: string;
  readonly username: string | undefined;
  /** Family name. */
  readonly name: string | undefined;
  readonly given_name: string | undefined;
  /** Status of the account. An `inactive` user has no sessions and cannot log in. */
  readonly status: UserStatus;
  readonly admin: boolean;
  /** True if the user has confirmed the address. Login does not require it. */
  readonly confirmed: boolean;
  /** Counter that grows when password, address or status change. Verifications of an earlier version are void. */
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Status of an account. */
export type UserStatus = "active" | "inactive";

/**
 * Reference to a user by id. A `User` is one. If it has a `version`, `startSession`, `setPassword`, `confirm` and
 * `requireUnchanged` refuse a user whose password, address or status has changed since it was read.
 */
export type UserReference = Pick<User, "id"> & { readonly version?: number | undefined };

/** Error messages for the user, by form field. */
export type UserErrors = Readonly<Record<string, string>>;

/** Optional profile fields of a user. */
export interface UserProfile {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly given_name?: string | undefined;
}

/** User to add with `createUser` or `createAdmin`. */
export interface NewUser extends UserProfile {
  readonly email: string;
  /** Password. Without one, the user cannot log in with a password until one is set. */
  readonly password?: string | undefined;
}

/** Registration form for `registerUser`. */
export interface Registration extends UserProfile {
  readonly email: string;
  readonly password: string;
  /** Password, repeated. */
  readonly confirmation: string;
}

/** Changes for `update`. `undefined` keeps the value of a field, `null` clears it. */
export interface UserChanges {
  readonly email?: string | undefined;
  readonly username?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly given_name?: string | null | undefined;
}

/** Form with a new password, typed twice. */
export interface NewPassword {
  readonly password: string;
  readonly confirmation: string;
}

/** Result of `hashPassword`: a new password that the policy accepts, hashed for `setPassword`. */
export interface HashedPassword {
  /** Returns the hash as a PHC string. It is a function, which logs do not show and no form or JSON body contains. */
  readonly toPhc: () => string;
}

/** Form of a logged-in user for `updatePassword`. */
export interface PasswordChange extends NewPassword {
  /** Current password. */
  readonly old: string;
}

/** Form of a logged-in user for `checkEmailChange`. */
export interface EmailChange {
  /** New address. */
  readonly email: string;
  /** Current password. */
  readonly password: string;
}

/** Client that logs in, for the count of failed logins. `User.Web.client` returns that of a request. */
export interface LoginClient {
  /** Network of the client, such as an IPv4 address or the first 64 bits of an IPv6 address. */
  readonly network: string;
  /** Device cookie of the browser. `User.Web.login` sets it. */
  readonly deviceCookie?: string | undefined;
}

/** Options of `login`. */
export interface LoginOptions extends OperationOptions {
  /** Client: `User.Web.client(request)`. Logins without one share one network, so anybody can lock an address. */
  readonly client?: LoginClient | undefined;
}

/** Session of a user on one device. */
export interface UserSession {
  /** Public id of the session. It does not grant access, so it may appear in pages and logs. */
  readonly id: string;
  /** Browser and operating system, such as "Firefox on Windows"; `undefined` if the browser sent neither. */
  readonly device: string | undefined;
  readonly created_at: Date;
  /** Time of the last request, accurate to the hour. */
  readonly last_seen_at: Date;
  /** True if it is the `current` session given to `listSessions`. */
  readonly isCurrent: boolean;
}

/** User as whom an administrator acts. */
export interface ImpersonatedUser {
  readonly user: User;
  readonly impersonator: User;
}

/** Options of `Impersonation.start`. */
export interface ImpersonationOptions extends OperationOptions {
  /** Reason for the audit trail, such as the number of a ticket: 1 to 500 characters, no personal data. */
  readonly reason: string;
  /** Time after which it ends, in milliseconds. Default one hour. */
  readonly durationMs?: number | undefined;
}
/** Function that can refuse to deactivate or delete a user, with the reason as its error. */
export type RemovalCheck = (
  user: User,
  options: OperationOptions,
  action: "deactivate" | "delete",
) => Promise<Result<undefined>>;

/**
 * Impersonation of users by administrators, for `User.Web.impersonationRouter`. Start and end are recorded in the audit trail, in
 * the transaction of the change. It ends with the session of the administrator, by a change of role or status of either
 * person, and by time; that is recorded within an hour.
 */
export interface Impersonation {
  /**
   * Starts to act as another user, with the session of an administrator, which gets a new secret id. Returns the secret id of the
   * impersonation. The user must be active, and neither the administrator nor another one.
   *
   * @throws E_USER_IMPERSONATION (403), E_USER_IMPERSONATION_REASON (422), E_USER_NOT_FOUND (404)
   */
  start(session: string, user: UserReference, options: ImpersonationOptions): Promise<string>;
  /** Finds the persons of an impersonation, or returns `undefined` if it has ended. */
  findOpt(impersonation: string, options?: OperationOptions): Promise<ImpersonatedUser | undefined>;
  /** Ends an impersonation. Returns the new secret id of the administrator's session; `undefined` if that has ended, too. */
  end(impersonation: string, options?: OperationOptions): Promise<string | undefined>;
}

/**
 * User accounts. While an administrator acts as a user, functions that change password, address, status, role or sessions of the
 * user fail with E_IMPERSONATED (403), and so do `checkPassword` and `delete`. Every operation joins the surrounding transaction and takes database `options`, whose `ctx` selects the
 * pool. Invalid input is returned as a result with messages. A missing user and a database failure are thrown.
 */
export interface UserService extends MigratedService {
  /** Finds a user by id. @throws E_USER_NOT_FOUND (404), also for a text that is not a UUID */
  find(id: string, options?: OperationOptions): Promise<User>;
  /** Finds a user by id, or returns `undefined`. */
  findOpt(id: string, options?: OperationOptions): Promise<User | undefined>;
  /** Finds a user by address, without regard to the case of ASCII letters. @throws E_USER_NOT_FOUND (404) */
  findByEmail(email: string, options?: OperationOptions): Promise<User>;
  /**
   * Locks a user until the surrounding transaction ends, so that neither password, address nor status can change, and
   * checks that the user is active and has the `version` of the reference. Use it in the transaction of a change that
   * follows a verification, such as the creation of an API token.
   *
   * @throws E_USER_NOT_FOUND (404), E_USER_CHANGED (409)
   */
  requireUnchanged(user: UserReference, options?: OperationOptions): Promise<void>;
  /** Finds a user by address, or returns `undefined`. */
  findByEmailOpt(email: string, options?: OperationOptions): Promise<User | undefined>;
  /**
   * Returns a page of users, the total number of matches, and cursors. The filter applies to address, user name and
   * status. The order is by `created_at` (default) or `email`.
   *
   * @throws E_SEARCH (400)
   */
  search(
    parameters?: SearchParameters,
    options?: OperationOptions,
  ): Promise<readonly [users: readonly User[], total: number, cursors: SearchCursors]>;

  /**
   * Adds a user that is neither admin nor confirmed. For code such as seeds: the password policy does not apply.
   *
   * @throws E_USER_EMAIL_INVALID (422), E_USER_EMAIL_TAKEN (409), E_USER_FIELD (422), E_PASSWORD_INVALID (422), E_PASSWORD_BUSY (503)
   */
  createUser(user: NewUser, options?: OperationOptions): Promise<User>;
  /** Adds a confirmed admin. Otherwise it behaves like `createUser`. */
  createAdmin(user: NewUser, options?: OperationOptions): Promise<User>;
  /**
   * Adds a user from a registration form. Of two concurrent registrations of an address, one gets an error message. The
   * message for a taken address reveals that its owner has an account. Where that must stay secret, respond the same in
   * both cases and send the difference by e-mail.
   *
   * @throws E_PASSWORD_BUSY (503)
   */
  registerUser(registration: Registration, options?: OperationOptions): Promise<Result<User, UserErrors>>;

  /**
   * Verifies an address and a password. Returns the user, or a message for the user.
   *
   * An unknown address, a wrong password and an inactive user get the same message after the same work. After five
   * consecutive failures from one network, an address, known or unknown, is locked for that network: for one minute, then
   * two, four, eight, and at most fifteen; a site of IPv6 (/48) likewise after twenty. After 100 failures from all networks
   * together, it is locked for all of them, for fifteen minutes after each further failure. A browser that logged in to the
   * account within a year has a count of its own instead, so that failures of others do not lock it.
   *
   * A locked address is refused even with the right password. All processes share the counts. A success, `setPassword`, and
   * a day without failures reset them; a rollback of the surrounding transaction discards a failure. It does not start a
   * session: see `User.Web.login`.
   *
   * @throws E_PASSWORD_BUSY (503) if too many logins are waiting
   */
  login(email: string, password: string, options?: LoginOptions): Promise<Result<User>>;
  /**
   * Verifies the password of a user. Returns the user, or a message for the user. Require it before sensitive actions, so
   * that an unattended browser is not enough (OWASP ASVS 7.5.1). Failures of `checkPassword`, `updatePassword` and
   * `checkEmailChange` have a count of their own, with the limits of a network: failed logins of others do not lock them.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  checkPassword(user: UserReference, password: string, options?: OperationOptions): Promise<Result<User>>;
  /**
   * Changes the password of a user who knows the current one, and ends all sessions. Limited as `checkPassword` is.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  updatePassword(
    user: UserReference,
    change: PasswordChange,
    options?: OperationOptions,
  ): Promise<Result<User, UserErrors>>;
  /**
   * Checks a new password by the policy, and hashes it for `setPassword`, so that a transaction holds no connection during
   * the hash: on SQLite the only one that writes. Errors: under `password` and `confirmation`.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  hashPassword(
    user: UserReference,
    password: NewPassword,
    options?: OperationOptions,
  ): Promise<Result<HashedPassword, UserErrors>>;
  /**
   * Sets a password without the current one, for users who are verified otherwise, such as by a link in an e-mail. Ends
   * all sessions of the user and resets the count of failed logins. Errors: under `password` and `confirmation`; under
   * `user` if the user has another `version` now.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  setPassword(
    user: UserReference,
    password: NewPassword | HashedPassword,
    options?: OperationOptions,
  ): Promise<Result<User, UserErrors>>;

  /** Changes the fields of a user. A new address is not confirmed. Sessions go on. @throws E_USER_NOT_FOUND (404) */
  update(user: UserReference, changes: UserChanges, options?: OperationOptions): Promise<Result<User, UserErrors>>;
  /**
   * Checks whether a user can change to another address, and verifies the current password as `checkPassword` does. Returns
   * the input for `setEmail`: the user when the password was verified, and the new address, normalised. Otherwise returns
   * messages by field, which reveal only with the right password whether the address is taken. Changes nothing.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  checkEmailChange(
    user: UserReference,
    change: EmailChange,
    options?: OperationOptions,
  ): Promise<Result<{ readonly user: User; readonly email: string }, UserErrors>>;
  /**
   * Sets a verified address, such as one confirmed by a link in an e-mail, and marks it as confirmed. A different address
   * ends all sessions. Requires that the user is active and unchanged since it was read: any change, above all a new
   * password, makes the verification void. Errors: under `email`; under `user` if the user has changed.
   */
  setEmail(user: User, email: string, options?: OperationOptions): Promise<Result<User, UserErrors>>;
  /** Marks the address of a user as confirmed, if it is not yet. @throws E_USER_NOT_FOUND (404), E_USER_CHANGED (409) */
  confirm(user: UserReference, options?: OperationOptions): Promise<User>;
  /** Grants or revokes the admin role. @throws E_USER_NOT_FOUND (404) */
  setAdmin(user: UserReference, admin: boolean, options?: OperationOptions): Promise<User>;
  /** Registers functions that can refuse to deactivate or delete a user. They run before the change, in its transaction. */
  registerChecks(...checks: readonly RemovalCheck[]): void;
  /**
   * Prevents a user from logging in, and ends all sessions of the user. `force` skips the registered checks.
   * @throws E_USER_NOT_FOUND (404), E_USER_REMOVAL_REFUSED (409)
   */
  deactivate(user: UserReference, options?: OperationOptions & { readonly force?: boolean }): Promise<User>;
  /** Allows a deactivated user to log in again. @throws E_USER_NOT_FOUND (404) */
  activate(user: UserReference, options?: OperationOptions): Promise<User>;
  /**
   * Deletes a user and all sessions of the user. Does nothing if the user does not exist.
   *
   * @throws E_DATABASE_FOREIGN_KEY (409) while rows of other tables refer to the user, E_USER_REMOVAL_REFUSED (409)
   */
  delete(user: UserReference, options?: OperationOptions): Promise<void>;

  /**
   * Starts a session of a user and returns its secret id. Store it where the user cannot change it. The session ends by
   * one of the functions below, by a new password, by `deactivate`, by `delete`, and after `USER_SESSION_LIFETIME`.
   * Pass the user that `login` returned: the session is refused if password, address or status have changed since, also
   * by a transaction that is not yet committed. Of the header `userAgent`, only the derived `device` is stored.
   *
   * @throws E_USER_NOT_FOUND (404), E_USER_CHANGED (409)
   */
  startSession(
    user: UserReference,
    options?: OperationOptions & { readonly userAgent?: string | undefined },
  ): Promise<string>;
  /** Finds the user of an active session, or returns `undefined`. Updates `last_seen_at` at most once per hour. */
  findBySessionOpt(session: string, options?: OperationOptions): Promise<User | undefined>;
  /** Ends a session. Does nothing if it has ended. */
  endSession(session: string, options?: OperationOptions): Promise<void>;
  /** Ends all sessions of a user but `except`, to log out on all devices or on all other devices. */
  endSessions(
    user: UserReference,
    options?: OperationOptions & { readonly except?: string | undefined },
  ): Promise<void>;
  /** Lists the active sessions of a user, last seen first. Marks `current`, an id that `startSession` returned. */
  listSessions(
    user: UserReference,
    options?: OperationOptions & { readonly current?: string | undefined },
  ): Promise<readonly UserSession[]>;
  /** Ends the session with this id in `listSessions`. Does nothing if the user has no such session. */
  endSessionById(user: UserReference, id: string, options?: OperationOptions): Promise<void>;

  /** Impersonation; `undefined` without the option `audit`: what nobody can check later is not offered. */
  readonly impersonation: Impersonation | undefined;
}
