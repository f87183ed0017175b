import { createHmac } from "node:crypto";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { checkAppUrl } from "../../config/internal.ts";
import { type ContextOptions, error, type Result, Service } from "../../core/index.ts";
import { addressKey } from "../../email-address/index.ts";
import { LanguageInternals } from "../../language/index.ts";
import { Log } from "../../log/index.ts";
import { linkMessage } from "../../mail-layout/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService, MailContent } from "../email/contract.ts";
import type { TokenData, TokenService } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { PasswordResetService, ResetMail, ResetUserService } from "./contract.ts";
import { errors } from "./errors.ts";

const log = Log.source("limmat.password-reset");
const purpose = "password-reset";
const translations = (): LanguageInternals.ServiceTexts => LanguageInternals.frameworkTexts().services;
const linkInvalid = (): Result<never, UserErrors> => error({ token: translations().user.linkInvalid });

/** Options of `PasswordReset.service`. */
export interface PasswordResetOptions {
  readonly token: TokenService;
  readonly user: ResetUserService;
  /** Service that sends the links. Without one, deliver the tokens of `createResetToken` yourself. */
  readonly email?: EmailService;
  /** Token services whose tokens of the user end with the new password. Default `[token]`. An empty list keeps them. */
  readonly endTokens?: readonly TokenService[];
  /** Function that writes the mail with the link. Default: a short text of limmat. */
  readonly mail?: (mail: ResetMail) => MailContent;
  /** Function that writes the mail that reports the new password. Default: a short text of limmat. */
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
  const operations = resetOperations(options);

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

function resetOperations(
  options: PasswordResetOptions,
): Omit<PasswordResetService, keyof Service.Service | "canSendMail"> {
  const { token, user, email, path = "/password-reset/new", endTokens = [token] } = options;
  const { mail = defaultMail, changedMail = defaultChangedMail } = options;

  const createToken = async (
    address: string,
    callOptions: ContextOptions,
  ): Promise<{ readonly text: string; readonly user: User } | undefined> => {
    const match = await user.findByEmailOpt(address, callOptions);
    const activeUser = match?.status === "active" ? match : undefined;
    // An unknown address gets a token that is never returned, so that both cases do the same work.
    const owner = activeUser?.id ?? dummyOwner(address);
    const expiresInMs = activeUser === undefined ? 1 : Configuration.read(resetLifetimeField);
    const tokenOptions = { ...callOptions, owner, purpose, expiresInMs, replacesOthers: true };
    const text = await token.create(userState(activeUser), tokenOptions);
    if (activeUser === undefined) log.info("A password reset was requested for an address without an active user");
    return activeUser && { text, user: activeUser };
  };

  /** Finds the active user of a token, if the user has not changed since the token was created. */
  const findTokenOwner = async (tokenText: string, callOptions: ContextOptions): Promise<User | undefined> => {
    const content = await token.read(tokenText, { ...callOptions, purpose });
    if (content?.owner === undefined) return undefined;
    const owner = await user.findOpt(content.owner, callOptions);
    const isUnchanged = Object.entries(userState(owner)).every(([field, value]) => content.data[field] === value);
    return isUnchanged && owner?.status === "active" ? owner : undefined;
  };

  const reportChange = async (owner: User, callOptions: ContextOptions): Promise<void> => {
    try {
      await email?.send({ recipient: owner.email, ...changedMail(owner) }, callOptions);
    } catch (failure) {
      // The old password may be known to others: a failing mail server must not keep it in use.
      log.error("The change of a password could not be reported", { user: owner.id, error: failure });
    }
  };

  return {
    createResetToken: async (address, callOptions = {}) => (await createToken(address, callOptions))?.text,
    sendResetLink: async (address, callOptions = {}) => {
      if (email === undefined) throw errors.E_PASSWORD_RESET_EMAIL();
      // Yields, so that a caller that does not await the promise responds before the work starts.
      await new Promise((resolve) => setImmediate(resolve));
      const created = await createToken(address, callOptions);
      if (created === undefined) return;
      const url = Configuration.appUrl(path);
      url.searchParams.set("token", created.text);
      const expiresInMinutes = Math.floor(Configuration.read(resetLifetimeField) / Time.minutes(1));
      // The stored address, because the typed one may differ and only compare equal.
      const content = mail({ user: created.user, url: url.href, expiresInMinutes });
      await email.send({ recipient: created.user.email, ...content }, callOptions);
    },
    findUserOpt: (tokenText, callOptions = {}) => findTokenOwner(tokenText, callOptions),
    resetPassword: async (tokenText, password, confirmation, callOptions = {}) => {
      const owner = await findTokenOwner(tokenText, callOptions);
      if (owner === undefined) return linkInvalid();
      const hashed = await user.hashPassword(owner, { password, confirmation }, callOptions);
      if (!hashed.ok) return hashed;
      const reset = async (): Promise<Result<User, UserErrors>> => {
        const result = await user.setPassword(owner, hashed.value, callOptions);
        // The user may have changed while the password was hashed.
        if (!result.ok) return linkInvalid();
        for (const tokens of endTokens) await tokens.deactivateAll({ ...callOptions, owner: owner.id });
        return result;
      };
      const result = (await token.consume(tokenText, { ...callOptions, purpose }, reset)) ?? linkInvalid();
      if (!result.ok) return result;
      log.info("A password was set by a link", { user: result.value.id });
      await reportChange(result.value, callOptions);
      return result;
    },
  };
}

/** Returns one of 256 owners without an account, so that typed addresses do not fill the store. */
function dummyOwner(address: string): string {
  const { current } = Configuration.secretKeys(purpose);
  return `nobody ${createHmac("sha256", current).update(addressKey(address)).digest("hex").slice(0, 2)}`;
}

/** Returns the data that must not change while a token is valid. A new password changes `version`. */
function userState(user: User | undefined): TokenData {
  return { email: user?.email ?? "", updated_at: user?.updated_at.getTime() ?? 0, version: user?.version ?? 0 };
}

const defaultMail = ({ url, expiresInMinutes }: ResetMail): MailContent =>
  linkMessage(translations().mails.passwordReset(expiresInMinutes), url);

const defaultChangedMail = (): MailContent => linkMessage(translations().mails.passwordSet);
