import { createCipheriv, createDecipheriv } from "node:crypto";
import { Configuration } from "../../../config/index.ts";
import { RandomInternals } from "../../../random/index.ts";
import type { Mail, MailAttachment } from "../contract.ts";
import { errors } from "../errors.ts";

/** An encrypted mail, as stored by a queue. */
export interface SealedMail {
  /** Nonce, authentication tag and ciphertext of AES-256-GCM (NIST SP 800-38D), in base64url. */
  readonly sealed: string;
}

const algorithm = "aes-256-gcm";
const purpose = "queued mail";
const [nonceBytes, tagBytes] = [12, 16];

/** Encrypts a mail by `FRAMEWORK_SECRET`: its links, which give access to accounts, are unreadable in a backup. */
export function seal(mail: Mail): SealedMail {
  const nonce = RandomInternals.bytes(nonceBytes);
  const cipher = createCipheriv(algorithm, Configuration.secretKeys(purpose).current, nonce);
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(mailToJson(mail)), "utf8"), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("base64url") };
}

/** Decrypts a mail that was encrypted with the current secret or a former one. @throws E_EMAIL_SEALED */
export function unseal({ sealed }: SealedMail): Mail {
  const bytes = Buffer.from(sealed, "base64url");
  const json = Configuration.secretKeys(purpose)
    .all.values()
    .map((key) => decrypt(bytes, key))
    .find((candidate) => candidate !== undefined);
  if (json === undefined) throw errors.E_EMAIL_SEALED();
  return mailFromJson(json);
}

function decrypt(bytes: Buffer, key: Buffer): MailJson | undefined {
  const textStart = nonceBytes + tagBytes;
  if (bytes.length < textStart) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(bytes.subarray(nonceBytes, textStart));
  try {
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]);
    return JSON.parse(plaintext.toString()) as MailJson;
  } catch {
    return undefined;
  }
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
