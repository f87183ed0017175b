import { isPackageMissing } from "../../../../core/index.ts";
import { Time } from "../../../../time/index.ts";
import { errors } from "../../errors.ts";
import type { OutgoingMail } from "../contract.ts";

/** A message of `nodemailer`. Addresses are objects, because a string would be parsed as a list. */
interface NodemailerMessage {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly from: object;
  readonly to: readonly object[];
  readonly cc: readonly object[];
  readonly replyTo: object | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  readonly attachments: readonly object[];
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly messageId: string;
  readonly date: Date;
  readonly disableFileAccess: true;
  readonly disableUrlAccess: true;
  readonly signal: AbortSignal;
}

/** The used part of a transporter of `nodemailer`. */
export interface NodemailerTransporter {
  sendMail(message: NodemailerMessage): Promise<{ readonly rejected?: readonly string[] }>;
  verify(): Promise<unknown>;
  close(): void;
}

/** The used part of the package `nodemailer`. */
export interface NodemailerModule {
  createTransport(options: object): NodemailerTransporter;
}

/**
 * Imports the package `nodemailer`.
 *
 * @throws E_EMAIL_LIBRARY_MISSING
 */
export async function loadNodemailer(): Promise<NodemailerModule> {
  try {
    const module: { readonly default: unknown } = await import("nodemailer");
    return module.default as NodemailerModule;
  } catch (cause) {
    if (isPackageMissing(cause, "nodemailer")) throw errors.E_EMAIL_LIBRARY_MISSING("nodemailer", "10").causedBy(cause);
    throw cause;
  }
}

/** Converts a mail to a message of `nodemailer`. */
export function toNodemailerMessage(mail: OutgoingMail, signal: AbortSignal): NodemailerMessage {
  const { sender, recipients, cc, bcc } = mail;
  return {
    // The envelope determines the recipients. Blind copies appear only here.
    envelope: { from: sender.address, to: [...recipients, ...cc, ...bcc].map(({ address }) => address) },
    from: toAddress(sender),
    to: recipients.map(toAddress),
    cc: cc.map(toAddress),
    replyTo: mail.replyTo === undefined ? undefined : toAddress(mail.replyTo),
    subject: encodeSubject(mail.subject),
    text: mail.text,
    html: mail.html,
    attachments: mail.attachments.map(({ name, type, content, cid }) => ({
      filename: name,
      contentType: type,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
      ...(cid === undefined ? {} : { cid, contentDisposition: "inline" }),
    })),
    headers: [...mail.headers, ...tagHeaders(mail)].map(([key, value]) => ({ key, value })),
    messageId: `<${mail.id}@${sender.address.slice(sender.address.lastIndexOf("@") + 1)}>`,
    date: Time.now(),
    disableFileAccess: true,
    disableUrlAccess: true,
    signal,
  };
}

const toAddress = ({ name = "", address }: OutgoingMail["sender"]): object => ({ name, address });

const tagHeaders = ({ tags }: OutgoingMail): readonly (readonly [name: string, value: string])[] =>
  tags.length === 0 ? [] : [["X-Tags", tags.join(", ")]];

const maxEncodedWordBytes = 45;

/**
 * Encodes a subject that contains text like an encoded word (RFC 2047 §2). Mail clients would decode that text, including
 * line breaks. Encoded as a whole, the subject is displayed as given. Other subjects are returned unchanged.
 */
export function encodeSubject(subject: string): string {
  if (!subject.includes("=?")) return subject;
  const words: string[] = [""];
  for (const character of subject) {
    const lastWord = words.at(-1) ?? "";
    if (Buffer.byteLength(lastWord + character) > maxEncodedWordBytes) words.push(character);
    else words[words.length - 1] = lastWord + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}
