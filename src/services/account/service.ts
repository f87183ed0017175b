import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { checkAppUrl } from "../../config/internal.ts";
import { Service } from "../../core/index.ts";
import type { Database } from "../../database/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService } from "../email/contract.ts";
import type { TokenService } from "../token/contract.ts";
import type { AccountMails, AccountMessages, AccountService, AccountUserService } from "./contract.ts";
import { accountOperations } from "./operations.ts";

/** Options of `Account.service`. */
export interface AccountOptions {
  /** Database of the users and tokens. Changes to both run in one transaction. */
  readonly database: Database;
  readonly token: TokenService;
  readonly user: AccountUserService;
  readonly email: EmailService;
  /**
   * Token services whose tokens of a user end with a new password and with the account. Default `[token]`. An empty list
   * keeps the tokens after a new password.
   */
  readonly endTokens?: readonly TokenService[];
  /** Functions that write the mails. Default: short texts in English. */
  readonly mails?: Partial<AccountMails>;
  /** Messages that replace the English ones, such as translations. */
  readonly messages?: Partial<AccountMessages>;
  /** Path below `APP_URL` of the page that confirms an address, for links in mails. Default `/account/email/confirm`. */
  readonly path?: string;
  /** Name of the service. Default `account`. */
  readonly name?: string;
}

const linkLifetimeField: ConfigurationField<number> = Configuration.duration("ACCOUNT_EMAIL_LIFETIME", {
  description: "validity of a link to confirm an address, from 1h to 7d",
  // Longer than a link to set a password, because it requires login.
  default: Time.days(1),
  validate: (life) => (life >= Time.hours(1) && life <= Time.days(7) ? undefined : "must be a duration from 1h to 7d"),
});

/**
 * Creates the service with which users confirm the address of their account, change it, change the password, and delete
 * the account.
 *
 * With the queued e-mail service, `Email.queued`, no mail is lost, and the report of a change is sent if and only if the
 * address changed.
 *
 * @example
 * export const account = Account.service({ database, token, user, email });
 */
export function service(options: AccountOptions): AccountService {
  const { database, token, user, email, endTokens = [], name = "account" } = options;
  const linkLifetimeMs = (): number => Configuration.read(linkLifetimeField);

  return {
    ...Service.make({
      name,
      dependencies: () => [database, token, user, email, ...endTokens],
      configuration: [linkLifetimeField, Configuration.appUrlField],
      check: ({ environment }) => checkAppUrl("Links to confirm an address", environment),
    }),
    ...accountOperations(options, linkLifetimeMs),
  };
}
