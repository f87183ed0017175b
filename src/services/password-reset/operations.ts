import { createHmac } from "node:crypto";
import { Configuration } from "../../config/index.ts";
import { type ContextOptions, error, type Result, type Service } from "../../core/index.ts";
import { addressKey } from "../../email-address/index.ts";
import { Log } from "../../log/index.ts";
import { linkMessage } from "../../mail-layout/index.ts";
import { Time } from "../../time/index.ts";
import type { MailContent } from "../email/contract.ts";
import type { TokenContent, TokenData } from "../token/contract.ts";
import type { User, UserErrors } from "../user/contract.ts";
import type { PasswordResetService, ResetMail } from "./contract.ts";
import { errors } from "./errors.ts";
import type { PasswordResetOptions } from "./service.ts";

/** Operations of the password reset. */
export type ResetOperations = Omit<PasswordResetService, keyof Service.Service | "canSendMail">;

const log = Log.source("limmat.password-reset");
const purpose = "password-reset";
const linkInvalid = error<UserErrors>({ token: "This link is invalid or expired. Please request a new one." });

/** Creates the operations. `linkLifetimeMs` reads the validity of links from the configuration. */
export function resetOperations(options: PasswordResetOptions, linkLifetimeMs: () => number): ResetOperations {
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
    const expiresInMs = activeUser === undefined ? 1 : linkLifetimeMs();
    const tokenOptions = { ...callOptions, owner, purpose, expiresInMs, replacesOthers: true };
    const text = await token.create(userState(activeUser), tokenOptions);
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
    const isUnchanged = Object.entries(userState(owner)).every(([field, value]) => content.data[field] === value);
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
    const expiresInMinutes = Math.floor(linkLifetimeMs() / Time.minutes(1));
    // The stored address, because the typed one may differ and only compare equal.
    const { subject, ...body } = mail({ user: created.user, url: url.href, expiresInMinutes });
    await email.send({ recipient: created.user.email, subject, ...body }, callOptions);
  };

  const reportChange = async (owner: User, callOptions: ContextOptions): Promise<void> => {
    try {
      const { subject, ...body } = changedMail(owner);
      await email?.send({ recipient: owner.email, subject, ...body }, callOptions);
    } catch (failure) {
      // The old password may be known to others: a failing mail server must not keep it in use.
      log.error("The change of a password could not be reported", { user: owner.id, error: failure });
    }
  };

  return {
    createResetToken: async (address, callOptions = {}) => (await createToken(address, callOptions))?.text,
    sendResetLink: (address, callOptions = {}) => sendLink(address, callOptions),
    findUserOpt: async (tokenText, callOptions = {}) =>
      findTokenOwner(await token.read(tokenText, { ...callOptions, purpose }), callOptions),
    resetPassword: async (tokenText, password, confirmation, callOptions = {}) => {
      const tokenOptions = { ...callOptions, purpose };
      const owner = await findTokenOwner(await token.read(tokenText, tokenOptions), callOptions);
      if (owner === undefined) return linkInvalid;
      const hashed = await user.hashPassword(owner, { password, confirmation }, callOptions);
      if (!hashed.ok) return hashed;
      const reset = async (): Promise<Result<User, UserErrors>> => {
        const result = await user.setPassword(owner, hashed.value, callOptions);
        // The user may have changed while the password was hashed.
        if (!result.ok) return linkInvalid;
        for (const tokens of endTokens) await tokens.deactivateAll({ ...callOptions, owner: owner.id });
        return result;
      };
      const result = (await token.consume(tokenText, tokenOptions, reset)) ?? linkInvalid;
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
  linkMessage({
    subject: "Set a new password",
    before: [
      `Somebody asked to set a new password for your account. If it was you, open this page within ${expiresInMinutes} minutes:`,
    ],
    link: { label: "Set a new password", url },
    after: ["If it was not you, do nothing: your password stays as it is."],
  });

const defaultChangedMail = (): MailContent =>
  linkMessage({
    subject: "Your password has changed",
    before: [
      "The password of your account was set by a link in a mail, and all devices were logged out.",
      "If it was not you, somebody reads your mails: secure your mailbox, set a new password at once, by the link for forgotten passwords on the login page, and contact the operators of the site.",
    ],
  });
