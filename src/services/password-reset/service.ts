import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { checkAppUrl } from "../../config/internal.ts";
import { Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService, MailContent } from "../email/contract.ts";
import type { TokenService } from "../token/contract.ts";
import type { User } from "../user/contract.ts";
import type { PasswordResetService, ResetMail, ResetUserService } from "./contract.ts";
import { resetOperations } from "./operations.ts";

/** Options of `PasswordReset.service`. */
export interface PasswordResetOptions {
  readonly token: TokenService;
  readonly user: ResetUserService;
  /** Service that sends the links. Without one, deliver the tokens of `createResetToken` yourself. */
  readonly email?: EmailService;
  /**
   * Token services whose tokens of the user end with the new password. Default `[token]`: API tokens end, as sessions do.
   * An empty list keeps them.
   */
  readonly endTokens?: readonly TokenService[];
  /** Function that writes the mail with the link. Default: a short text in English. */
  readonly mail?: (mail: ResetMail) => MailContent;
  /** Function that writes the mail that reports the new password. Default: a short text in English. */
  readonly changedMail?: (user: User) => MailContent;
  /** Path below `APP_URL` of the page that sets a password, for links in mails. Default `/password-reset/new`. */
  readonly path?: string;
  /** Name of the service. Default `password-reset`. */
  readonly name?: string;
}

const resetLifetimeField: ConfigurationField<number> = Configuration.duration("PASSWORD_RESET_LIFETIME", {
  description: "validity of a link to set a new password, from 1m to 1h",
  // OWASP ASVS 6.5.5: out-of-band tokens live at most ten minutes.
  default: Time.minutes(10),
  validate: (life) =>
    life >= Time.minutes(1) && life <= Time.hours(1) ? undefined : "must be a duration from 1m to 1h",
});

/**
 * Creates the service that resets passwords by a link in a mail. If the token and user services share a database, it
 * consumes the token and sets the password in one transaction.
 *
 * @example
 * export const passwordReset = PasswordReset.service({ token, user, email });
 */
export function service(options: PasswordResetOptions): PasswordResetService {
  const { token, user, email, endTokens = [], name = "password-reset" } = options;
  const pendingMails = new Set<Promise<void>>();
  const linkLifetimeMs = (): number => Configuration.read(resetLifetimeField);
  const operations = resetOperations(options, linkLifetimeMs);

  return {
    ...Service.make({
      name,
      dependencies: () => [token, user, ...endTokens, ...(email === undefined ? [] : [email])],
      configuration: email === undefined ? [resetLifetimeField] : [resetLifetimeField, Configuration.appUrlField],
      check: ({ environment }) => (email === undefined ? [] : checkAppUrl("Links to set a new password", environment)),
      drain: async () => void (await Promise.allSettled(pendingMails)),
    }),
    canSendMail: email !== undefined,
    ...operations,
    sendResetLink: (address, callOptions) => {
      const pending = operations.sendResetLink(address, callOptions);
      pendingMails.add(pending);
      const remove = (): void => void pendingMails.delete(pending);
      pending.then(remove, remove);
      return pending;
    },
  };
}
