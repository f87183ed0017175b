import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { checkAppUrl } from "../../config/internal.ts";
import { type ContextOptions, error, isError, ok, type Result, Service } from "../../core/index.ts";
import type { Database, TransactionOptions } from "../../database/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Log } from "../../log/index.ts";
import { linkMessage } from "../../mail-layout/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService, MailContent } from "../email/contract.ts";
import type { TokenContent, TokenData, TokenService } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { AccountMails, AccountService, AccountUserService } from "./contract.ts";

const log = Log.source("limmat.account");
const purpose = "account-email";

const translations = (): LanguageInternals.ServiceTexts => LanguageInternals.frameworkTexts().services;
const linkInvalid = (): Result<never, UserErrors> => error({ token: translations().user.linkInvalid });

const defaultMails: AccountMails = {
  confirm: ({ url, expiresInHours }) => linkMessage(translations().mails.confirm(expiresInHours), url),
  change: ({ url, expiresInHours }) => linkMessage(translations().mails.change(expiresInHours), url),
  changeRequested: () => linkMessage(translations().mails.changeRequested),
  changed: () => linkMessage(translations().mails.changed),
  passwordChanged: () => linkMessage(translations().mails.passwordChanged),
};

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
  /** Functions that write single mails in the current language. Default: short texts of limmat. */
  readonly mails?: Partial<AccountMails>;
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
  return {
    ...Service.make({
      name,
      dependencies: () => [database, token, user, email, ...endTokens],
      configuration: [linkLifetimeField, Configuration.appUrlField],
      check: ({ environment }) => checkAppUrl("Links to confirm an address", environment),
    }),
    ...accountOperations(options),
  };
}

function accountOperations(options: AccountOptions): Omit<AccountService, keyof Service.Service> {
  const { database, token, user, email, path = "/account/email/confirm" } = options;
  const { endTokens = [token] } = options;
  const mails: AccountMails = { ...defaultMails, ...options.mails };

  const send = (recipient: string, content: MailContent, callOptions: ContextOptions): Promise<void> =>
    email.send({ recipient, ...content }, callOptions);

  /** Mails a link to an address and ends the older links of the user. */
  const sendLink = async (
    owner: User,
    data: TokenData & { readonly email: string },
    writeMail: AccountMails["confirm"],
    callOptions: ContextOptions,
  ): Promise<void> => {
    const expiresInMs = Configuration.read(linkLifetimeField);
    const tokenOptions = { ...callOptions, owner: owner.id, purpose, expiresInMs, replacesOthers: true };
    const tokenText = await token.create(data, tokenOptions);
    const url = Configuration.appUrl(path);
    url.searchParams.set("token", tokenText);
    const expiresInHours = Math.floor(expiresInMs / Time.hours(1));
    await send(data.email, writeMail({ user: owner, url: url.href, expiresInHours }), callOptions);
  };

  return {
    sendConfirmationLink: async (reference, callOptions = {}) => {
      const owner = await user.findOpt(reference.id, callOptions);
      if (owner?.status !== "active" || owner.confirmed) return;
      await sendLink(owner, { email: owner.email }, mails.confirm, callOptions);
    },
    sendEmailChangeLink: async (reference, change, callOptions = {}) => {
      const checked = await user.checkEmailChange(reference, change, callOptions);
      if (!checked.ok) return checked;
      const { user: owner, email: address } = checked.value;
      await send(owner.email, mails.changeRequested(owner), callOptions);
      // `owner` is the user as of the password check, so a password that was set since makes the link invalid.
      await sendLink(owner, { email: address, ...userState(owner) }, mails.change, callOptions);
      return ok(address);
    },
    findEmailOpt: async ({ id }, tokenText, callOptions = {}) => {
      const content = await token.read(tokenText, { ...callOptions, purpose });
      return content && emailToConfirm(content, await user.findOpt(id, callOptions));
    },
    confirmEmail: async ({ id }, tokenText, callOptions = {}) => {
      const confirm = async (content: TokenContent): Promise<Result<User, UserErrors>> => {
        const owner = await user.findOpt(id, callOptions);
        const address = emailToConfirm(content, owner);
        if (owner === undefined || address === undefined) return linkInvalid();
        const result = await user.setEmail(owner, address, callOptions);
        if (result.ok && address !== owner.email) await send(owner.email, mails.changed(owner), callOptions);
        return result;
      };
      const consume = (): ReturnType<typeof confirm> =>
        token.consume(tokenText, { ...callOptions, purpose }, confirm).then((result) => result ?? linkInvalid());
      const result = await database.transaction(consume, retryOnDeadlock(callOptions));
      if (result.ok) log.info("An address was confirmed by a link", { user: id });
      return result;
    },
    changePassword: async ({ id }, { old, ...newPassword }, callOptions = {}) => {
      const verified = await user.checkPassword({ id }, old, callOptions);
      if (!verified.ok) return error({ old: verified.error });
      const hashed = await user.hashPassword(verified.value, newPassword, callOptions);
      if (!hashed.ok) return hashed;
      const result = await database.transaction<Result<User, UserErrors>>(async () => {
        const stored = await user.setPassword(verified.value, hashed.value, callOptions);
        if (!stored.ok) return stored;
        for (const tokens of endTokens) await tokens.deactivateAll({ ...callOptions, owner: verified.value.id });
        return stored;
      }, retryOnDeadlock(callOptions));
      if (!result.ok) {
        const { user: userChanged, ...problems } = result.error;
        return userChanged === undefined ? result : error({ ...problems, old: userChanged });
      }
      log.info("A user changed the password", { user: id });
      try {
        await send(result.value.email, mails.passwordChanged(result.value), callOptions);
      } catch (failure) {
        // The old password may be known to others: a failing mail server must not keep it in use.
        log.error("The change of a password could not be reported", { user: id, error: failure });
      }
      return result;
    },
    deleteAccount: async ({ id }, password, callOptions = {}) => {
      const verified = await user.checkPassword({ id }, password, callOptions);
      if (!verified.ok) return error({ password: verified.error });
      const owner = verified.value;
      try {
        await database.transaction(async () => {
          for (const tokens of new Set([token, ...endTokens]))
            await tokens.deleteAll({ ...callOptions, owner: owner.id });
          // A password that was replaced since its verification must not delete the account.
          await user.requireUnchanged(owner, callOptions);
          await user.delete(owner, callOptions);
        }, retryOnDeadlock(callOptions));
        log.info("A user deleted the account", { user: id });
        return ok();
      } catch (failure) {
        if (isError(failure, "E_USER_REMOVAL_REFUSED")) return error({ user: failure.message });
        if (isError(failure, "E_DATABASE_FOREIGN_KEY")) return error({ user: translations().user.accountInUse });
        throw failure;
      }
    },
  };
}

/** Returns options that retry: deleting tokens and consuming one can deadlock on each other's rows. */
const retryOnDeadlock = (callOptions: ContextOptions): TransactionOptions => ({ ...callOptions, maxRetries: 5 });

/** Returns the data that must not change while a new address is unconfirmed. A new password changes `version`. */
function userState({ email, updated_at, version }: User): TokenData {
  return { before: email, updated_at: updated_at.getTime(), version };
}

/** Returns the address that a token confirms for a user, or `undefined` if the token is not valid for the user now. */
function emailToConfirm({ owner, data }: TokenContent, user: User | undefined): string | undefined {
  const address = data["email"];
  if (user?.status !== "active" || user.id !== owner || typeof address !== "string") return undefined;
  const isChange = data["before"] !== undefined;
  const isUnchanged = isChange
    ? Object.entries(userState(user)).every(([field, value]) => data[field] === value)
    : address === user.email;
  return isUnchanged ? address : undefined;
}
