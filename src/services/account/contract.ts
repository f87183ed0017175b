import type { ContextOptions, Result, Service } from "../../core/index.ts";
import type { MailContent } from "../email/contract.ts";
import type { EmailChange, PasswordChange, User, UserErrors, UserReference, UserService } from "../user/contract.ts";

/** Part of the user service that the account service needs. */
export type AccountUserService = Service.Service &
  Pick<
    UserService,
    | "findOpt"
    | "requireUnchanged"
    | "checkPassword"
    | "checkEmailChange"
    | "hashPassword"
    | "setPassword"
    | "setEmail"
    | "delete"
  >;

/** Data for a mail with a link. */
export interface LinkMail {
  readonly user: User;
  /** Link, which contains the token. */
  readonly url: string;
  /** Validity of the link, in hours. */
  readonly expiresInHours: number;
}

/** Functions that write the mails. */
export interface AccountMails {
  /** Asks to confirm the address of the account. Sent to that address. */
  readonly confirm: (mail: LinkMail) => MailContent;
  /** Asks to confirm a new address. Sent to the new address. */
  readonly change: (mail: LinkMail) => MailContent;
  /** Reports that another address was requested. Sent to the current address. */
  readonly changeRequested: (user: User) => MailContent;
  /** Reports that the address has changed (OWASP ASVS 6.3.7). Sent to the previous address. */
  readonly changed: (user: User) => MailContent;
  /** Reports that the password has changed (OWASP ASVS 6.3.7). Sent to the address of the account. */
  readonly passwordChanged: (user: User) => MailContent;
}

/**
 * Operations of users on their own account: confirm the address, change it, change the password, and delete the account.
 *
 * A link works once, for a day (`ACCOUNT_EMAIL_LIFETIME`), and only for its user, who must be logged in. It is useless to
 * others who receive the mail or who register a foreign address. A newer link ends the older ones.
 */
export interface AccountService extends Service.Service {
  /** Mails a link that confirms the address of a user who is active and not confirmed. @throws the errors of `email` */
  sendConfirmationLink(user: UserReference, options?: ContextOptions): Promise<void>;
  /**
   * Verifies the password and mails a link to a new address, which replaces the current one when the link is followed.
   * Notifies the current address. Any change of the user ends the link, so a new password stops a foreign request. Returns
   * the address that received the link, or messages under `email` and `password`, as `User.checkEmailChange` does.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503), and the errors of the e-mail service
   */
  sendEmailChangeLink(
    user: UserReference,
    change: EmailChange,
    options?: ContextOptions,
  ): Promise<Result<string, UserErrors>>;
  /** Finds the address that a link would confirm for this user now, or returns `undefined`. Keeps the link valid. */
  findEmailOpt(user: UserReference, token: string, options?: ContextOptions): Promise<string | undefined>;
  /**
   * Confirms the address of a link and ends the link, in one transaction. A new address replaces the current one, ends all
   * sessions of the user, and is reported to the previous address. Of several concurrent calls, one succeeds.
   * Errors: under `token`, always the same text, for an invalid link; under `email` if another user has the address now;
   * under `user` if the user changed at the same time. After the last two the link stays valid.
   */
  confirmEmail(user: UserReference, token: string, options?: ContextOptions): Promise<Result<User, UserErrors>>;
  /**
   * Changes the password of a user who knows the current one. Ends all sessions and tokens of the user, in one transaction,
   * and then reports the change by mail. A mail that cannot be sent is logged, and the password is changed nevertheless.
   * Errors: under `old`, `password` and `confirmation`. Wrong current passwords are limited as in `User.checkPassword`.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  changePassword(
    user: UserReference,
    change: PasswordChange,
    options?: ContextOptions,
  ): Promise<Result<User, UserErrors>>;
  /**
   * Verifies the password and deletes a user with all sessions and tokens, in one transaction. Errors, with which nothing is
   * deleted: under `password`; under `user` if a registered check refuses, or while rows of other tables refer to the user.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503), E_USER_CHANGED (409) if the password changed meanwhile
   */
  deleteAccount(
    user: UserReference,
    password: string,
    options?: ContextOptions,
  ): Promise<Result<undefined, UserErrors>>;
}
