import type { Result, Service } from "../../core/index.ts";
import type { Cursors, Migration, Options, SearchParameters } from "../../database/index.ts";

/** A person with an account. What proves who it is, the password, is not part of it and never leaves the service. */
export interface User {
  /** UUID of version 4. */
  readonly id: string;
  /** As it was typed, without blanks around it. Two users never have the same, whatever the case of ASCII letters. */
  readonly email: string;
  readonly username: string | undefined;
  /** The family name. */
  readonly name: string | undefined;
  readonly given_name: string | undefined;
  /** Who is `inactive` cannot log in and is logged out everywhere. */
  readonly status: UserStatus;
  readonly admin: boolean;
  /** Whether it is proven that the address is the user's. Log-in does not ask for it. */
  readonly confirmed: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type UserStatus = "active" | "inactive";

/** Which user is meant. A `User` is one. */
export type UserReference = Pick<User, "id">;

/** Why something that a user asked for was not done: messages for people, by field of the form. */
export type UserErrors = Readonly<Record<string, string>>;

/** What a user is told about the user, beside the address. */
export interface UserDetails {
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly given_name?: string | undefined;
}

/** What `createUser` and `createAdmin` are given. */
export interface NewUser extends UserDetails {
  readonly email: string;
  /** Without one nobody can log in with a password, until one is set. */
  readonly password?: string | undefined;
}

/** What `registerUser` is given: a form that somebody filled in. */
export interface Registration extends UserDetails {
  readonly email: string;
  readonly password: string;
  /** The password once more. */
  readonly confirmation: string;
}

/** What `update` changes. `undefined` leaves a field as it is, `null` empties it. */
export interface UserChanges {
  readonly email?: string | undefined;
  readonly username?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly given_name?: string | null | undefined;
}

/** A new password, as it is typed into a form: twice. */
export interface NewPassword {
  readonly password: string;
  readonly confirmation: string;
}

/** What `updatePassword` is given: the form of somebody who is logged in. */
export interface PasswordChange extends NewPassword {
  /** The present password. */
  readonly old: string;
}

/** What `checkEmailChange` is given: the form of somebody who is logged in. */
export interface EmailChange {
  /** The address to be. */
  readonly email: string;
  /** The present password. */
  readonly password: string;
}

/** An address that could take the place of a user's. */
export interface CheckedEmailChange {
  /** The user, as it was when the password was right. */
  readonly user: User;
  /** The address, as it would be kept. */
  readonly email: string;
}

/** What a session is begun with. */
export interface NewSession extends Options {
  /** The `User-Agent` of the browser: of it, `device` is kept. */
  readonly userAgent?: string | undefined;
}

/** Where a user is logged in. */
export interface UserSession {
  /** Tells the session from the others of its user. It opens nothing, so that it can stand in a page or a log. */
  readonly id: string;
  /** Browser and system as the browser called them, such as "Firefox on Windows"; `undefined` when it named neither. */
  readonly device: string | undefined;
  readonly created_at: Date;
  /** When its owner was last asked for, to the hour. */
  readonly last_seen_at: Date;
  /** Whether it is the one that was named to `listSessions`. */
  readonly isCurrent: boolean;
}

/**
 * The accounts of an application.
 *
 * Every operation joins the transaction around it, and takes `options` of the database, of which `ctx` chooses the pool.
 * What a user does wrong is a result with messages; a user who does not exist, and a database that fails, is a throw.
 */
export interface UserService extends Service.Service {
  /** The tables, for the migration service, which finds them by itself. */
  readonly migrations: readonly Migration.Migration[];

  /** The user of an id. @throws E_USER_NOT_FOUND (404), also for what is no UUID */
  find(id: string, options?: Options): Promise<User>;
  /** The user of an id, or `undefined`. */
  findOpt(id: string, options?: Options): Promise<User | undefined>;
  /** The user of an address, whatever the case of its ASCII letters. @throws E_USER_NOT_FOUND (404) */
  findByEmail(email: string, options?: Options): Promise<User>;
  /** The user of an address, or `undefined`. */
  findByEmailOpt(email: string, options?: Options): Promise<User | undefined>;
  /**
   * A page of users, how many there are in all, and cursors. The filter looks at address, user name and status; sorted
   * by `created_at` (default) or `email`.
   *
   * @throws E_SEARCH (400)
   */
  search(
    parameters?: SearchParameters,
    options?: Options,
  ): Promise<readonly [users: readonly User[], total: number, cursors: Cursors]>;

  /**
   * Adds a user, neither admin nor confirmed: for code, such as seeds. The password is not judged.
   *
   * @throws E_USER_EMAIL_INVALID (422), E_USER_EMAIL_TAKEN (409), E_USER_FIELD (422), E_PASSWORD_INVALID (422), E_PASSWORD_BUSY (503)
   */
  createUser(user: NewUser, options?: Options): Promise<User>;
  /** Adds an admin, confirmed; otherwise as `createUser`. */
  createAdmin(user: NewUser, options?: Options): Promise<User>;
  /**
   * Adds a user from what was typed into a form. Of two who register one address at once, one gets the message.
   *
   * The message that an address is taken tells that its owner has an account here: where that must not be known, answer
   * both cases alike, and tell by e-mail.
   *
   * @throws E_PASSWORD_BUSY (503)
   */
  registerUser(registration: Registration, options?: Options): Promise<Result<User, UserErrors>>;

  /**
   * The user of an address and a password, or a message for people.
   *
   * Unknown address, wrong password and inactive user get the same message after the same work. After five failures in a
   * row an address, known or not, has to wait: one minute, then two, four, eight, and never more than fifteen; meanwhile
   * even the right password is refused. The failures are in the database and so count for all processes. They are
   * forgotten by a success, by `setPassword`, and a day after the last one.
   *
   * This starts no session: see `User.Web.login`. Inside a transaction that is rolled back, failures are not counted.
   *
   * @throws E_PASSWORD_BUSY (503) when too many log-ins wait to be checked
   */
  login(email: string, password: string, options?: Options): Promise<Result<User>>;
  /**
   * The user, if this is the password; otherwise a message for people. For what must not be done by whoever finds a page
   * open (OWASP ASVS 7.5.1). Wrong passwords count as failed log-ins do.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  checkPassword(user: UserReference, password: string, options?: Options): Promise<Result<User>>;
  /**
   * Changes a password for somebody who knows the present one, and ends all sessions of the user. Wrong present
   * passwords count as failed log-ins do.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  updatePassword(user: UserReference, change: PasswordChange, options?: Options): Promise<Result<User, UserErrors>>;
  /**
   * Sets a password without asking for the present one: for who has proven otherwise to be the user, by a link in an
   * e-mail for example. Ends all sessions of the user, and lets log in at once who had to wait.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  setPassword(user: UserReference, password: NewPassword, options?: Options): Promise<Result<User, UserErrors>>;

  /** Changes what is known of a user. Another address is not confirmed yet. @throws E_USER_NOT_FOUND (404) */
  update(user: UserReference, changes: UserChanges, options?: Options): Promise<Result<User, UserErrors>>;
  /**
   * Whether another address could be the user's: what `setEmail` needs, or messages by field. Asks for the present password,
   * as `checkPassword` does; who does not know it is not told whether somebody has the address. Changes nothing.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  checkEmailChange(
    user: UserReference,
    change: EmailChange,
    options?: Options,
  ): Promise<Result<CheckedEmailChange, UserErrors>>;
  /**
   * Sets an address that is proven to be the user's, by a link in an e-mail for example: it is confirmed from now on.
   * Another address than before ends all sessions of the user.
   *
   * Nothing is done unless the user still is as given, and active: what was proven of somebody who has changed meanwhile,
   * by another password above all, is proven no more. Errors: under `email`; under `user` when that was so.
   */
  setEmail(user: User, email: string, options?: Options): Promise<Result<User, UserErrors>>;
  /** Notes that the address is the user's. Calling it again changes nothing. @throws E_USER_NOT_FOUND (404) */
  confirm(user: UserReference, options?: Options): Promise<User>;
  /** Makes a user an admin, or no longer. @throws E_USER_NOT_FOUND (404) */
  setAdmin(user: UserReference, admin: boolean, options?: Options): Promise<User>;
  /** Keeps a user from logging in, and ends all sessions of the user. @throws E_USER_NOT_FOUND (404) */
  deactivate(user: UserReference, options?: Options): Promise<User>;
  /** Lets a user log in again. @throws E_USER_NOT_FOUND (404) */
  activate(user: UserReference, options?: Options): Promise<User>;
  /**
   * Deletes a user and all sessions of the user. Deleting who is gone already does nothing.
   *
   * @throws E_DATABASE_FOREIGN_KEY (409) while rows of other tables refer to the user
   */
  delete(user: UserReference, options?: Options): Promise<void>;

  /**
   * Begins a session of a user, and gives its id, which is to be kept where its owner cannot change it. It ends by one of
   * the functions below, by a new password, by `deactivate`, by `delete`, and after `USER_SESSION_LIFE`.
   */
  startSession(user: UserReference, options?: NewSession): Promise<string>;
  /**
   * The user of a session that has not ended; `undefined` for every other text. Once an hour it notes that the session
   * was seen.
   */
  findBySession(session: string, options?: Options): Promise<User | undefined>;
  /** Ends a session. Ending one that has ended does nothing. */
  endSession(session: string, options?: Options): Promise<void>;
  /** Ends all sessions of a user, but for `except`: logs out everywhere, or everywhere else. */
  endSessions(user: UserReference, options?: Options & { readonly except?: string | undefined }): Promise<void>;
  /** The sessions of a user that have not ended, the last seen first; `current`, as `startSession` gave it, is marked. */
  listSessions(
    user: UserReference,
    options?: Options & { readonly current?: string | undefined },
  ): Promise<readonly UserSession[]>;
  /** Ends the session with this id in `listSessions`. Does nothing where the user has none. */
  endSessionById(user: UserReference, id: string, options?: Options): Promise<void>;
}
