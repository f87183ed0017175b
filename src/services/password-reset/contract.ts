import type { ContextOptions, Result, Service } from "../../core/index.ts";
import type { HashedPassword, NewPassword, User, UserErrors } from "../user/contract.ts";

/** Part of the user service that the password reset needs. */
export interface ResetUserService extends Service.Service {
  findOpt(id: string, options?: ContextOptions): Promise<User | undefined>;
  findByEmailOpt(email: string, options?: ContextOptions): Promise<User | undefined>;
  /** Checks and hashes a new password. Returns errors under `password` and `confirmation`. */
  hashPassword(
    user: User,
    password: NewPassword,
    options?: ContextOptions,
  ): Promise<Result<HashedPassword, UserErrors>>;
  /** Sets a password. Returns an error under `user` if the user has changed since it was read: see `User.version`. */
  setPassword(user: User, password: HashedPassword, options?: ContextOptions): Promise<Result<User, UserErrors>>;
}

/** Data for the mail with the link. */
export interface ResetMail {
  readonly user: User;
  /** Link, which contains the token. */
  readonly url: string;
  /** Validity of the link, in minutes. */
  readonly expiresInMinutes: number;
}

/**
 * Password reset by a link in a mail.
 *
 * A token works once, for a few minutes (`PASSWORD_RESET_LIFETIME`). A newer token ends it, and so does any change of the
 * user, such as of password or address. Inactive and deleted users are refused.
 */
export interface PasswordResetService extends Service.Service {
  /**
   * Creates a token for the user of an address and ends the older ones. Returns `undefined` if no active user has the
   * address. Both cases do the same work, so the response time does not reveal accounts.
   */
  createResetToken(email: string, options?: ContextOptions): Promise<string | undefined>;
  /**
   * Creates a token and mails the link to the stored address. Does nothing for an unknown address. A response that does
   * not await the promise takes the same time for both cases: see `PasswordReset.Web.router`.
   *
   * @throws E_PASSWORD_RESET_EMAIL without an e-mail service, and the errors of that service
   */
  sendResetLink(email: string, options?: ContextOptions): Promise<void>;
  /** Finds the user whose password a token could set now, or returns `undefined`. Keeps the token valid. */
  findUserOpt(token: string, options?: ContextOptions): Promise<User | undefined>;
  /**
   * Sets a password and ends all sessions and tokens of the user, in one transaction. It logs nobody in. Of several
   * concurrent calls, one succeeds. Then it reports the change by mail, if `canSendMail`; a failure is only logged.
   *
   * Errors: under `token`, always the same text, for an invalid token; under `password` and `confirmation` the messages of
   * the user service, and then the token stays valid.
   */
  resetPassword(
    token: string,
    password: string,
    confirmation: string,
    options?: ContextOptions,
  ): Promise<Result<User, UserErrors>>;
  /** True if the service has an e-mail service. */
  readonly canSendMail: boolean;
}
