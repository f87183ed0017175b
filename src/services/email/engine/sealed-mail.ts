import { Configuration } from "../../../config/index.ts";
import { SecretInternals } from "../../../secret/index.ts";
import type { Mail, MailAttachment } from "../contract.ts";
import { errors } from "../errors.ts";

/** An encrypted mail, as stored by a queue. */
export interface SealedMail {
  /** Nonce, authentication tag and ciphertext of AES-256-GCM (NIST SP 800-38D), in base64url. */
  readonly sealed: string;
}

const purpose = "queued mail";

/** Encrypts a mail by `FRAMEWORK_SECRET`: its links, which give access to accounts, are unreadable in a backup. */
export function seal(mail: Mail): SealedMail {
  const { current } = Configuration.secretKeys(purpose);
  return { sealed: SecretInternals.encrypt(current, JSON.stringify(mailToJson(mail))) };
}

/** Decrypts a mail that was encrypted with the current secret or a former one. @throws E_EMAIL_SEALED */
export function unseal({ sealed }: SealedMail): Mail {
  const json = Configuration.secretKeys(purpose)
    .all.values()
    .map((key) => SecretInternals.decrypt(key, sealed))
    .find((candidate) => candidate !== undefined);
  if (json === undefined) throw errors.E_EMAIL_SEALED();
  return mailFromJson(JSON.parse(json.toString()) as MailJson);
}

/** A mail in JSON: without missing values, attachments in base64. */
export type MailJson = Omit<Mail, "attachments"> & {
  readonly attachments: readonly (Omit<MailAttachment, "content"> & { readonly content: string })[];
};

export function mailToJson(mail: Mail): MailJson {
  const attachments = mail.attachments.map(({ content, ...rest }) => ({
    ...rest,
    content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64"),
  }));
  return { ...mail, attachments };
}

/** Converts JSON to a mail. Earlier releases wrote null for missing values. */
export function mailFromJson(json: MailJson): Mail {
  return {
    ...json,
    sender: json.sender ?? undefined,
    replyTo: json.replyTo ?? undefined,
    html: json.html ?? undefined,
    attachments: json.attachments.map(({ content, cid, ...rest }) => ({
      ...rest,
      cid: cid ?? undefined,
      content: Buffer.from(content, "base64"),
    })),
  };
}
