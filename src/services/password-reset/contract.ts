import type { ContextOptions, Result, Service } from "../../core/index.ts";
import type { EmailMessage } from "../email/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";

/** What of a user service a reset needs. */
export interface ResetUsers extends Service.Service {
  findOpt(id: string, options?: ContextOptions): Promise<User | undefined>;
  findByEmailOpt(email: string, options?: ContextOptions): Promise<User | undefined>;
  setPassword(
    user: Pick<User, "id">,
    password: { readonly password: string; readonly confirmation: string },
    options?: ContextOptions,
  ): Promise<Result<User, UserErrors>>;
}

/** What the mail with the link is written from. */
export interface ResetMail {
  readonly user: User;
  /** The link, which holds the token. */
  readonly url: string;
  /** How many minutes it is valid. */
  readonly minutes: number;
}

/** What the mail says. To whom it goes is not up to its writer. */
export type ResetMessage = Pick<EmailMessage, "subject" | "text" | "html">;

/**
 * Lets somebody who forgot the password set a new one, by a link in a mail.
 *
 * A token is valid once and for a few minutes (`PASSWORD_RESET_LIFETIME`); a newer one ends it, and so does any change of
 * the user: password and address above all. Users who are inactive or deleted are refused.
 */
export interface PasswordResetService extends Service.Service {
  /**
   * Makes a token for the user of an address, and ends the earlier ones; `undefined` when no active user has the address.
   * The work is the same in both cases, so that its time tells nobody who has an account.
   */
  createResetToken(email: string, options?: ContextOptions): Promise<string | undefined>;
  /**
   * Makes a token, and mails the link to the address as it is stored; for an unknown address nothing. An answer that does
   * not wait for it takes the same time for both: see `PasswordReset.Web.router`.
   *
   * @throws E_PASSWORD_RESET_EMAIL without an e-mail service, and what that throws.
   */
  sendResetLink(email: string, options?: ContextOptions): Promise<void>;
  /** The user whose password could be set with this token now, or `undefined`. Does not use it up. */
  findUser(token: string, options?: ContextOptions): Promise<User | undefined>;
  /**
   * Sets a password, ends the token and all sessions of the user, in one transaction, and logs in nobody. Of several
   * calls at the same time, one succeeds.
   *
   * Errors: under `token`, always the same text, whatever is wrong with it; under `password` and `confirmation` what the
   * user service says, and then the token can be used again.
   */
  resetPassword(
    token: string,
    password: string,
    confirmation: string,
    options?: ContextOptions,
  ): Promise<Result<User, UserErrors>>;
  /** Whether it was given an e-mail service. */
  readonly sendsMail: boolean;
}
