import { createCipheriv, createDecipheriv } from "node:crypto";
import { Configuration } from "../../config/index.ts";
import { Random } from "../../random/index.ts";
import type { Mail } from "./contract.ts";
import { errors } from "./errors.ts";
import { fromJson, type MailJson, toJson } from "./mail-json.ts";

/** A mail as a queue keeps it. */
export interface SealedMail {
  /** Nonce, tag and ciphertext of AES-256-GCM (NIST SP 800-38D), in base64url. */
  readonly sealed: string;
}

const algorithm = "aes-256-gcm";
const purpose = "queued mail";
const [nonceLength, tagLength] = [12, 16];

/**
 * Seals a mail with a key of `FRAMEWORK_SECRET`: mails hold links that open accounts, and whoever reads the table of a
 * queue, or a copy of it, must not be able to follow them.
 */
export function seal(mail: Mail): SealedMail {
  const nonce = Random.bytes(nonceLength);
  const cipher = createCipheriv(algorithm, Configuration.Secret.secretKeys(purpose).current, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(toJson(mail)), "utf8"), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url") };
}

/**
 * The mail that was sealed, with the present secret or a former one.
 *
 * @throws E_EMAIL_SEALED
 */
export function unseal({ sealed }: SealedMail): Mail {
  const bytes = Buffer.from(sealed, "base64url");
  const opened = Configuration.Secret.secretKeys(purpose)
    .all.values()
    .map((key) => open(bytes, key))
    .find((mail) => mail !== undefined);
  if (opened === undefined) throw errors.E_EMAIL_SEALED();
  return fromJson(opened);
}

function open(bytes: Buffer, key: Buffer): MailJson | undefined {
  const text = nonceLength + tagLength;
  if (bytes.length < text) return undefined;
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceLength), { authTagLength: tagLength });
  decipher.setAuthTag(bytes.subarray(nonceLength, text));
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(text)), decipher.final()]);
    return JSON.parse(plain.toString()) as MailJson;
  } catch {
    return undefined;
  }
}
