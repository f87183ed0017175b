import type { ContextOptions, Result, Service } from "../../core/index.ts";
import type { EmailMessage } from "../email/contract.ts";
import type { EmailChange, User, UserErrors, UserReference, UserService } from "../user/contract.ts";

/** What of a user service an account needs. */
export type AccountUsers = Service.Service &
  Pick<UserService, "findOpt" | "checkPassword" | "checkEmailChange" | "setEmail" | "delete">;

/** What a mail with a link is written from. */
export interface LinkMail {
  readonly user: User;
  /** The link, which holds the token. */
  readonly url: string;
  /** How many hours it is valid. */
  readonly hours: number;
}

/** What a mail says. To whom it goes is not up to its writer. */
export type AccountMessage = Pick<EmailMessage, "subject" | "text" | "html">;

/** The mails, each by what writes it. */
export interface AccountMails {
  /** To the address of the account: asks to confirm it. */
  readonly confirm: (mail: LinkMail) => AccountMessage;
  /** To the address that is to be the account's: asks to confirm it. */
  readonly change: (mail: LinkMail) => AccountMessage;
  /** To the address before: another was asked for. */
  readonly changeAsked: (user: User) => AccountMessage;
  /** To the address before: another has taken its place (OWASP ASVS 6.3.7). */
  readonly changed: (user: User) => AccountMessage;
}

/** What people are told when something is refused: for pages. */
export interface AccountMessages {
  /** The same whatever is wrong with a link. */
  readonly linkRefused: string;
  /** The account cannot be deleted, because rows of other tables refer to it. */
  readonly stillNeeded: string;
}

/**
 * What people do with their own account: prove that the address is theirs, take another, and delete the account.
 *
 * A link in a mail works once, for a day (`ACCOUNT_EMAIL_LIFETIME`), and for its user alone, who has to be logged in: who
 * gets a mail by mistake, or registers with the address of somebody else, gains nothing. A newer link ends the older one.
 */
export interface AccountService extends Service.Service {
  /**
   * Mails a link that confirms the address of a user. Nothing for who is confirmed, not active, or gone.
   *
   * @throws what the e-mail service throws
   */
  sendConfirmationLink(user: UserReference, options?: ContextOptions): Promise<void>;
  /**
   * Mails a link to another address, which takes the place of the present one when it is followed, and tells the present
   * one. Asks for the password. The link ends with any change of the user: who did not ask for it sets a new password.
   *
   * Gives the address that the link went to, or messages under `email` and `password`, as `User.checkEmailChange`.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503), and what the e-mail service throws
   */
  sendEmailChangeLink(
    user: UserReference,
    change: EmailChange,
    options?: ContextOptions,
  ): Promise<Result<string, UserErrors>>;
  /** The address that a link would confirm for this user now, or `undefined`. Does not use it up. */
  findEmail(user: UserReference, token: string, options?: ContextOptions): Promise<string | undefined>;
  /**
   * Confirms the address of a link, in one transaction with the end of the link. Another address than before takes its
   * place, ends all sessions of the user, and is told to the one before. Of several calls at the same time, one succeeds.
   *
   * Errors: under `token`, always the same text, whatever is wrong with the link; under `email` when somebody else has the
   * address by now; under `user` when the user changed at the same moment. Then the link can be used again.
   */
  confirmEmail(user: UserReference, token: string, options?: ContextOptions): Promise<Result<User, UserErrors>>;
  /**
   * Deletes a user with all sessions and tokens, in one transaction. Asks for the password.
   *
   * Errors: under `password`; under `user` while rows of other tables refer to the user, and then nothing is deleted.
   *
   * @throws E_USER_NOT_FOUND (404), E_PASSWORD_BUSY (503)
   */
  deleteAccount(
    user: UserReference,
    password: string,
    options?: ContextOptions,
  ): Promise<Result<undefined, UserErrors>>;
}
