import { createHmac } from "node:crypto";
import { Configuration, type ConfigurationField } from "../../config/index.ts";
import { checkAppUrl } from "../../config/internal.ts";
import { type ContextOptions, error, type Result, Service } from "../../core/index.ts";
import { addressKey } from "../../email-address/index.ts";
import { Log } from "../../log/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService } from "../email/contract.ts";
import type { TokenContent, TokenData, TokenService } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { PasswordResetService, ResetMail, ResetMessage, ResetUserService } from "./contract.ts";
import { errors } from "./errors.ts";

/** Options of `PasswordReset.service`. */
export interface PasswordResetOptions {
  readonly token: TokenService;
  readonly user: ResetUserService;
  /** Service that sends the links. Without one, deliver the tokens of `createResetToken` yourself. */
  readonly email?: EmailService;
  /** Function that writes the mail. Default: a short text in English. */
  readonly mail?: (mail: ResetMail) => ResetMessage;
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

const log = Log.source("limmat.password-reset");
const purpose = "password-reset";
const linkInvalid = error<UserErrors>({ token: "This link is invalid or expired. Please request a new one." });

/**
 * Creates the service that resets passwords by a link in a mail. If the token and user services share a database, it
 * consumes the token and sets the password in one transaction.
 *
 * @example
 * export const passwordReset = PasswordReset.service({ token, user, email });
 */
export function service(options: PasswordResetOptions): PasswordResetService {
  const { token, user, email, mail = defaultMail, path = "/password-reset/new", name = purpose } = options;
  const pendingMails = new Set<Promise<void>>();

  const createToken = async (
    address: string,
    callOptions: ContextOptions,
  ): Promise<{ readonly text: string; readonly user: User } | undefined> => {
    const match = await user.findByEmailOpt(address, callOptions);
    const activeUser = match?.status === "active" ? match : undefined;
    // An unknown address gets a token that is never returned, so that both cases do the same work.
    const owner = activeUser?.id ?? dummyOwner(address);
    await token.deactivateAll({ ...callOptions, owner, purpose });
    const expiresInMs = activeUser === undefined ? 1 : Configuration.read(resetLifetimeField);
    const text = await token.create(userState(activeUser), { ...callOptions, owner, purpose, expiresInMs });
    if (activeUser === undefined) log.info("A password reset was requested for an address without an active user");
    return activeUser && { text, user: activeUser };
  };

  /** Finds the active user of a token, if the user has not changed since the token was created. */
  const findTokenOwner = async (
    content: TokenContent | undefined,
    callOptions: ContextOptions,
  ): Promise<User | undefined> => {
    if (content?.owner === undefined) return undefined;
    const owner = await user.findOpt(content.owner, callOptions);
    const { email: address, updated_at } = userState(owner);
    const isUnchanged = content.data["email"] === address && content.data["updated_at"] === updated_at;
    return isUnchanged && owner?.status === "active" ? owner : undefined;
  };

  const sendLink = async (address: string, callOptions: ContextOptions): Promise<void> => {
    if (email === undefined) throw errors.E_PASSWORD_RESET_EMAIL();
    // Yields, so that a caller that does not await the promise responds before the work starts.
    await new Promise((resolve) => setImmediate(resolve));
    const created = await createToken(address, callOptions);
    if (created === undefined) return;
    const url = Configuration.appUrl(path);
    url.searchParams.set("token", created.text);
    const expiresInMinutes = Math.floor(Configuration.read(resetLifetimeField) / Time.minutes(1));
    // The stored address, because the typed one may differ and only compare equal.
    const { subject, ...body } = mail({ user: created.user, url: url.href, expiresInMinutes });
    await email.send({ recipient: created.user.email, subject, ...body }, callOptions);
  };

  return {
    ...Service.make({
      name,
      dependencies: () => [token, user, ...(email === undefined ? [] : [email])],
      configuration: email === undefined ? [resetLifetimeField] : [resetLifetimeField, Configuration.appUrlField],
      check: ({ environment }) => (email === undefined ? [] : checkAppUrl("Links to set a new password", environment)),
      drain: async () => void (await Promise.allSettled(pendingMails)),
    }),
    canSendMail: email !== undefined,
    createResetToken: async (address, callOptions = {}) => (await createToken(address, callOptions))?.text,
    sendResetLink: (address, callOptions = {}) => {
      const pending = sendLink(address, callOptions);
      pendingMails.add(pending);
      const remove = (): void => void pendingMails.delete(pending);
      pending.then(remove, remove);
      return pending;
    },
    findUserOpt: async (tokenText, callOptions = {}) =>
      findTokenOwner(await token.read(tokenText, { ...callOptions, purpose }), callOptions),
    resetPassword: async (tokenText, password, confirmation, callOptions = {}) => {
      const reset = async (content: TokenContent): Promise<Result<User, UserErrors>> => {
        const owner = await findTokenOwner(content, callOptions);
        if (owner === undefined) return linkInvalid;
        const result = await user.setPassword(owner, { password, confirmation }, callOptions);
        // The address may have changed while the password was hashed.
        return result.ok && result.value.email !== owner.email ? linkInvalid : result;
      };
      const result = (await token.consume(tokenText, { ...callOptions, purpose }, reset)) ?? linkInvalid;
      if (result.ok) log.info("A password was set by a link", { user: result.value.id });
      return result;
    },
  };
}

/** Returns one of 256 owners without an account, so that typed addresses do not fill the store. */
function dummyOwner(address: string): string {
  const { current } = Configuration.secretKeys(purpose);
  return `nobody ${createHmac("sha256", current).update(addressKey(address)).digest("hex").slice(0, 2)}`;
}

/** Returns the data that must not change while a token is valid. A new password changes `updated_at`. */
function userState(user: User | undefined): TokenData & { readonly email: string; readonly updated_at: number } {
  return { email: user?.email ?? "", updated_at: user?.updated_at.getTime() ?? 0 };
}

function defaultMail({ url, expiresInMinutes }: ResetMail): ResetMessage {
  return {
    subject: "Set a new password",
    text: `Somebody asked to set a new password for your account. If it was you, open this page within ${expiresInMinutes} minutes:

${url}

If it was not you, do nothing: your password stays as it is.
`,
  };
}
