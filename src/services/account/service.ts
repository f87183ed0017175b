import { Configuration } from "../../config/index.ts";
import { type ContextOptions, error, isError, ok, type Result, Service } from "../../core/index.ts";
import type { Database, TransactionOptions } from "../../database/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService } from "../email/contract.ts";
import type { TokenContent, TokenData, TokenService } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { AccountMails, AccountMessage, AccountMessages, AccountService, AccountUsers } from "./contract.ts";
import { englishMails, englishMessages } from "./english.ts";
import { lifetimeField } from "./settings.ts";

/** What accounts are built of. */
export interface AccountOptions {
  /** Where users and tokens are: what changes both is one transaction there. */
  readonly database: Database;
  readonly token: TokenService;
  readonly user: AccountUsers;
  readonly email: EmailService;
  /** Writes mails in place of the standard ones, which are short texts in English. */
  readonly mails?: Partial<AccountMails>;
  /** Replaces what people are told, such as with another language. */
  readonly messages?: Partial<AccountMessages>;
  /** The page to confirm an address on, below `APP_URL`: where links in mails lead. Default `/account/email/confirm`. */
  readonly path?: string;
  /** Its name among the services. Default `account`. */
  readonly name?: string;
}

const log = Log.source("limmat.account");
const purpose = "account-email";

/**
 * Makes the service with which people confirm the address of their account, change it, and delete the account.
 *
 * With a queue between, `Email.queued`, no mail is lost, and the one that tells of a change is sent if and only if the
 * address changed.
 *
 * @example
 * export const account = Account.service({ database, token, user, email });
 */
export function service(options: AccountOptions): AccountService {
  const { database, token, user, email, path = "/account/email/confirm", name = "account" } = options;
  const mails: AccountMails = { ...englishMails, ...options.mails };
  const messages: AccountMessages = { ...englishMessages, ...options.messages };
  const refusal = error<UserErrors>({ token: messages.linkRefused });

  const send = (recipient: string, { subject, ...body }: AccountMessage, called: ContextOptions): Promise<void> =>
    email.send({ recipient, subject, ...body }, called);

  /** Mails a link to an address, and ends the links before. */
  const sendLink = async (
    owner: User,
    data: TokenData & { readonly email: string },
    write: AccountMails["confirm"],
    called: ContextOptions,
  ): Promise<void> => {
    const expiresIn = Configuration.read(lifetimeField);
    await token.deactivateAll({ ...called, owner: owner.id, purpose });
    const text = await token.create(data, { ...called, owner: owner.id, purpose, expiresIn });
    const url = Configuration.appUrl(path);
    url.searchParams.set("token", text);
    const hours = Math.floor(expiresIn / Time.hours(1));
    await send(data.email, write({ user: owner, url: url.href, hours }), called);
  };

  const deleteWithTokens = (id: string, called: ContextOptions): Promise<Result<undefined, UserErrors>> =>
    database.transaction<Result<undefined, UserErrors>>(async () => {
      await token.deleteAll({ ...called, owner: id });
      await user.delete({ id }, called);
      return ok();
    }, again(called));

  return {
    ...Service.make({
      name,
      dependencies: () => [database, token, user, email],
      configuration: [lifetimeField, Configuration.appUrlField],
      check: ({ environment }) => Configuration.judgeAppUrl("Links to confirm an address", environment),
    }),
    sendConfirmationLink: async (reference, called = {}) => {
      const found = await user.findOpt(reference.id, called);
      if (found?.status !== "active" || found.confirmed) return;
      await sendLink(found, { email: found.email }, mails.confirm, called);
    },
    sendEmailChangeLink: async (reference, change, called = {}) => {
      const checked = await user.checkEmailChange(reference, change, called);
      if (!checked.ok) return checked;
      const { user: owner, email: address } = checked.value;
      await send(owner.email, mails.changeAsked(owner), called);
      // Bound to the user of the right password: who has set another one since is not meant.
      await sendLink(owner, { email: address, ...stateOf(owner) }, mails.change, called);
      return ok(address);
    },
    findEmail: async ({ id }, text, called = {}) => {
      const content = await token.read(text, { ...called, purpose });
      return content && addressOf(content, await user.findOpt(id, called));
    },
    confirmEmail: async ({ id }, text, called = {}) => {
      const confirm = async (content: TokenContent): Promise<Result<User, UserErrors>> => {
        const before = await user.findOpt(id, called);
        const address = addressOf(content, before);
        if (before === undefined || address === undefined) return refusal;
        const set = await user.setEmail(before, address, called);
        if (set.ok && address !== before.email) await send(before.email, mails.changed(before), called);
        return set;
      };
      const consume = (): ReturnType<typeof confirm> =>
        token.consume(text, { ...called, purpose }, confirm).then((result) => result ?? refusal);
      const result = await database.transaction(consume, again(called));
      if (result.ok) log.info("An address was confirmed by a link", { user: id });
      return result;
    },
    deleteAccount: async ({ id }, password, called = {}) => {
      const checked = await user.checkPassword({ id }, password, called);
      if (!checked.ok) return error({ password: checked.error });
      try {
        const result = await deleteWithTokens(id, called);
        log.info("A user deleted the account", { user: id });
        return result;
      } catch (failure) {
        if (isError(failure, "E_DATABASE_FOREIGN_KEY")) return error({ user: messages.stillNeeded });
        throw failure;
      }
    },
  };
}

/** Deleting tokens and consuming one may wait for each other's rows. */
const again = (called: ContextOptions): TransactionOptions => ({ ...called, retry: 5 });

/** What must not change while another address waits to be confirmed. A new password changes `updated_at`. */
function stateOf({ email, updated_at }: User): TokenData {
  return { before: email, updated_at: updated_at.getTime() };
}

/** The address that a token confirms for a user, if it is still the user's to confirm. */
function addressOf({ owner, data }: TokenContent, user: User | undefined): string | undefined {
  const address = data["email"];
  if (user?.status !== "active" || user.id !== owner || typeof address !== "string") return undefined;
  const { before, updated_at } = stateOf(user);
  const isChange = data["before"] !== undefined;
  const isSame = isChange ? data["before"] === before && data["updated_at"] === updated_at : address === user.email;
  return isSame ? address : undefined;
}
