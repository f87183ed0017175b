import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { checkAppUrl } from "../../config/internal.ts";
import { type ContextOptions, error, isError, ok, type Result, Service } from "../../core/index.ts";
import type { Database, TransactionOptions } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService } from "../email/contract.ts";
import type { TokenContent, TokenData, TokenService } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { AccountMails, AccountMessage, AccountMessages, AccountService, AccountUserService } from "./contract.ts";
import { englishMails, englishMessages } from "./messages.ts";

/** Options of `Account.service`. */
export interface AccountOptions {
  /** Database of the users and tokens. Changes to both run in one transaction. */
  readonly database: Database;
  readonly token: TokenService;
  readonly user: AccountUserService;
  readonly email: EmailService;
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

const log = Log.source("limmat.account");
const purpose = "account-email";

/**
 * Creates the service with which users confirm the address of their account, change it, and delete the account.
 *
 * With the queued e-mail service, `Email.queued`, no mail is lost, and the report of a change is sent if and only if the
 * address changed.
 *
 * @example
 * export const account = Account.service({ database, token, user, email });
 */
export function service(options: AccountOptions): AccountService {
  const { database, token, user, email, path = "/account/email/confirm", name = "account" } = options;
  const mails: AccountMails = { ...englishMails, ...options.mails };
  const messages: AccountMessages = { ...englishMessages, ...options.messages };
  const linkInvalid = error<UserErrors>({ token: messages.linkInvalid });

  const send = (recipient: string, { subject, ...body }: AccountMessage, callOptions: ContextOptions): Promise<void> =>
    email.send({ recipient, subject, ...body }, callOptions);

  /** Mails a link to an address and ends the older links of the user. */
  const sendLink = async (
    owner: User,
    data: TokenData & { readonly email: string },
    writeMail: AccountMails["confirm"],
    callOptions: ContextOptions,
  ): Promise<void> => {
    const expiresInMs = Configuration.read(linkLifetimeField);
    await token.deactivateAll({ ...callOptions, owner: owner.id, purpose });
    const tokenText = await token.create(data, { ...callOptions, owner: owner.id, purpose, expiresInMs });
    const url = Configuration.appUrl(path);
    url.searchParams.set("token", tokenText);
    const expiresInHours = Math.floor(expiresInMs / Time.hours(1));
    await send(data.email, writeMail({ user: owner, url: url.href, expiresInHours }), callOptions);
  };

  const deleteWithTokens = (id: string, callOptions: ContextOptions): Promise<Result<undefined, UserErrors>> =>
    database.transaction<Result<undefined, UserErrors>>(async () => {
      await token.deleteAll({ ...callOptions, owner: id });
      await user.delete({ id }, callOptions);
      return ok();
    }, retryOnDeadlock(callOptions));

  return {
    ...Service.make({
      name,
      dependencies: () => [database, token, user, email],
      configuration: [linkLifetimeField, Configuration.appUrlField],
      check: ({ environment }) => checkAppUrl("Links to confirm an address", environment),
    }),
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
        if (owner === undefined || address === undefined) return linkInvalid;
        const result = await user.setEmail(owner, address, callOptions);
        if (result.ok && address !== owner.email) await send(owner.email, mails.changed(owner), callOptions);
        return result;
      };
      const consume = (): ReturnType<typeof confirm> =>
        token.consume(tokenText, { ...callOptions, purpose }, confirm).then((result) => result ?? linkInvalid);
      const result = await database.transaction(consume, retryOnDeadlock(callOptions));
      if (result.ok) log.info("An address was confirmed by a link", { user: id });
      return result;
    },
    deleteAccount: async ({ id }, password, callOptions = {}) => {
      const verified = await user.checkPassword({ id }, password, callOptions);
      if (!verified.ok) return error({ password: verified.error });
      try {
        const result = await deleteWithTokens(id, callOptions);
        log.info("A user deleted the account", { user: id });
        return result;
      } catch (failure) {
        if (isError(failure, "E_DATABASE_FOREIGN_KEY")) return error({ user: messages.accountInUse });
        throw failure;
      }
    },
  };
}

/** Returns options that retry: deleting tokens and consuming one can deadlock on each other's rows. */
const retryOnDeadlock = (callOptions: ContextOptions): TransactionOptions => ({ ...callOptions, maxRetries: 5 });

/** Returns the data that must not change while a new address is unconfirmed. A new password changes `updated_at`. */
function userState({ email, updated_at }: User): TokenData {
  return { before: email, updated_at: updated_at.getTime() };
}

/** Returns the address that a token confirms for a user, or `undefined` if the token is not valid for the user now. */
function emailToConfirm({ owner, data }: TokenContent, user: User | undefined): string | undefined {
  const address = data["email"];
  if (user?.status !== "active" || user.id !== owner || typeof address !== "string") return undefined;
  const { before, updated_at } = userState(user);
  const isChange = data["before"] !== undefined;
  const isUnchanged = isChange
    ? data["before"] === before && data["updated_at"] === updated_at
    : address === user.email;
  return isUnchanged ? address : undefined;
}
