import { createHmac } from "node:crypto";
import { Configuration } from "../../config/index.ts";
import { type ContextOptions, error, type Result, Service } from "../../core/index.ts";
import { addressKey } from "../../email-address/index.ts";
import { Log } from "../../log/index.ts";
import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { EmailService } from "../email/contract.ts";
import type { TokenContent, TokenData, TokenService } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { PasswordResetService, ResetMail, ResetMessage, ResetUsers } from "./contract.ts";
import { errors } from "./errors.ts";
import { lifetimeField } from "./settings.ts";

/** What the password reset is built of. */
export interface PasswordResetOptions {
  readonly token: TokenService;
  readonly user: ResetUsers;
  /** What sends the links. Without one, `createResetToken` gives tokens that you bring to their owners yourself. */
  readonly email?: EmailService;
  /** Writes the mail. Default: a short text in English. */
  readonly mail?: (mail: ResetMail) => ResetMessage;
  /** The page to set a new password on, below `APP_URL`: where links in mails lead. Default `/password-reset/new`. */
  readonly path?: string;
  /** Its name among the services. Default `password-reset`. */
  readonly name?: string;
}

const log = Log.source("limmat.password-reset");
const purpose = "password-reset";
const refusal = error<UserErrors>({ token: "This link is not valid, or no longer. Please ask for a new one." });

/**
 * Makes the service that lets people set a new password by a link in a mail. When token and user service are in one
 * database, a token is used up and the password set in one transaction.
 *
 * @example
 * export const passwordReset = PasswordReset.service({ token, user, email });
 */
export function service(options: PasswordResetOptions): PasswordResetService {
  const { token, user, email, mail = defaultMail, path = "/password-reset/new", name = purpose } = options;
  const sending = new Set<Promise<void>>();

  const create = async (
    address: string,
    called: ContextOptions,
  ): Promise<{ readonly text: string; readonly user: User } | undefined> => {
    const found = await user.findByEmailOpt(address, called);
    const known = found?.status === "active" ? found : undefined;
    // For an unknown address a token that is never given to anybody, so that the work is the same.
    const owner = known?.id ?? nobodyOf(address);
    await token.deactivateAll({ ...called, owner, purpose });
    const expiresIn = known === undefined ? 1 : Configuration.read(lifetimeField);
    const text = await token.create(stateOf(known), { ...called, owner, purpose, expiresIn });
    if (known === undefined) log.info("A new password was asked for with an address that no active user has");
    if (Random.int(1, 64) === 1) await purge(called);
    return known && { text, user: known };
  };

  /** Now and then: an address that nobody has leaves something behind too, and not every application has a schedule. */
  const purge = async (called: ContextOptions): Promise<void> => {
    try {
      await token.purge(called);
    } catch (failure) {
      // The next one will do.
      log.warning("Expired tokens could not be deleted", { error: failure });
    }
  };

  /** The user of a token, if nothing has changed since it was made. */
  const userOf = async (content: TokenContent | undefined, called: ContextOptions): Promise<User | undefined> => {
    if (content?.owner === undefined) return undefined;
    const found = await user.findOpt(content.owner, called);
    const { email: address, updated_at } = stateOf(found);
    const isSame = content.data["email"] === address && content.data["updated_at"] === updated_at;
    return isSame && found?.status === "active" ? found : undefined;
  };

  const send = async (address: string, called: ContextOptions): Promise<void> => {
    if (email === undefined) throw errors.E_PASSWORD_RESET_EMAIL();
    // What does not wait for this is done before it begins.
    await new Promise((resolve) => setImmediate(resolve));
    const created = await create(address, called);
    if (created === undefined) return;
    const url = Configuration.appUrl(path);
    url.searchParams.set("token", created.text);
    const minutes = Math.floor(Configuration.read(lifetimeField) / Time.minutes(1));
    // To the stored address: what was typed may be another that only compares equal.
    const { subject, ...body } = mail({ user: created.user, url: url.href, minutes });
    await email.send({ recipient: created.user.email, subject, ...body }, called);
  };

  return {
    ...Service.make({
      name,
      dependencies: () => [token, user, ...(email === undefined ? [] : [email])],
      configuration: email === undefined ? [lifetimeField] : [lifetimeField, Configuration.appUrlField],
      check: ({ environment }) =>
        email === undefined ? [] : Configuration.judgeAppUrl("Links to set a new password", environment),
      drain: async () => void (await Promise.allSettled(sending)),
    }),
    sendsMail: email !== undefined,
    createResetToken: async (address, called = {}) => (await create(address, called))?.text,
    sendResetLink: (address, called = {}) => {
      const sent = send(address, called);
      sending.add(sent);
      const forget = (): void => void sending.delete(sent);
      sent.then(forget, forget);
      return sent;
    },
    findUser: async (text, called = {}) => userOf(await token.read(text, { ...called, purpose }), called),
    resetPassword: async (text, password, confirmation, called = {}) => {
      const reset = async (content: TokenContent): Promise<Result<User, UserErrors>> => {
        const found = await userOf(content, called);
        if (found === undefined) return refusal;
        const set = await user.setPassword(found, { password, confirmation }, called);
        // Hashing takes time, in which the address may have become another.
        return set.ok && set.value.email !== found.email ? refusal : set;
      };
      const result = (await token.consume(text, { ...called, purpose }, reset)) ?? refusal;
      if (result.ok) log.info("A password was set by a link", { user: result.value.id });
      return result;
    },
  };
}

/** An owner who is nobody, one of 256, so that what is remembered of owners does not grow with what is typed. */
function nobodyOf(address: string): string {
  const { current } = Configuration.Secret.secretKeys(purpose);
  return `nobody ${createHmac("sha256", current).update(addressKey(address)).digest("hex").slice(0, 2)}`;
}

/** What must not change while a token is valid. A new password changes `updated_at`. */
function stateOf(user: User | undefined): TokenData & { readonly email: string; readonly updated_at: number } {
  return { email: user?.email ?? "", updated_at: user?.updated_at.getTime() ?? 0 };
}

function defaultMail({ url, minutes }: ResetMail): ResetMessage {
  return {
    subject: "Set a new password",
    text: `Somebody asked to set a new password for your account. If it was you, open this page within ${minutes} minutes:

${url}

If it was not you, do nothing: your password stays as it is.
`,
  };
}
