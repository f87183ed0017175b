import { connect, Socket } from "node:net";
import { isPackageMissing } from "../../../../core/index.ts";
import { Time } from "../../../../time/index.ts";
import { errors } from "../../errors.ts";
import type { MailHeader } from "../../engine/headers.ts";
import type { OutgoingMail } from "../contract.ts";

export interface NodemailerTransporter {
  sendMail(message: object): Promise<{ readonly rejected?: readonly string[] }>;
  verify(): Promise<unknown>;
  close(): void;
}

export interface NodemailerModule {
  createTransport(options: object): NodemailerTransporter;
}

/** Imports the package `nodemailer`. @throws E_EMAIL_LIBRARY_MISSING */
export async function loadNodemailer(): Promise<NodemailerModule> {
  try {
    const module: { readonly default: unknown } = await import("nodemailer");
    return module.default as NodemailerModule;
  } catch (cause) {
    if (isPackageMissing(cause, "nodemailer")) throw errors.E_EMAIL_LIBRARY_MISSING("nodemailer", "10").causedBy(cause);
    throw cause;
  }
}

export function toNodemailerMessage(mail: OutgoingMail, signal: AbortSignal): object {
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

/** Returns an object, because a string would be parsed as a list. */
const toAddress = ({ name = "", address }: OutgoingMail["sender"]): object => ({ name, address });

const tagHeaders = ({ tags }: OutgoingMail): readonly MailHeader[] =>
  tags.length === 0 ? [] : [["X-Tags", tags.join(", ")]];

const maxEncodedWordBytes = 45;

/**
 * Encodes a subject that contains text like an encoded word (RFC 2047 §2). Mail clients would decode that text, including
 * line breaks. Encoded as a whole, the subject is displayed as given. Other subjects are returned unchanged.
 */
function encodeSubject(subject: string): string {
  if (!subject.includes("=?")) return subject;
  const words: string[] = [""];
  for (const character of subject) {
    const lastWord = words.at(-1) ?? "";
    if (Buffer.byteLength(lastWord + character) > maxEncodedWordBytes) words.push(character);
    else words[words.length - 1] = lastWord + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString("base64")}?=`).join(" ");
}

/** Function that opens the connections of `nodemailer`, its option `getSocket`. */
type Connect = (
  options: object,
  done: (error: Error | null, socketOptions?: { readonly connection: Socket }) => void,
) => void;

/** Maximum size of all replies on a connection, in bytes. A line of a reply has at most 512 (RFC 5321 §4.5.3.1.5). */
const maxReplyBytes = ({ bytesWritten }: Socket): number => 16 * (512 + bytesWritten);

/**
 * Returns a function that connects to a mail server, within `timeoutMs`. A server that sends more than replies, such as blank lines
 * without end, is disconnected: `nodemailer` would keep what it has not processed yet, without a limit. Under TLS there is no
 * limit: the server has proven its name.
 */
export function connector(host: string, port: number, timeoutMs: number): Connect {
  return (_options, done) => {
    const socket = connect({ host, port });
    const onTimeout = (): void => void socket.destroy(new Error(`no connection within ${timeoutMs} ms`));
    socket.setTimeout(timeoutMs).once("timeout", onTimeout).once("error", done);
    socket.push = (chunk: Buffer | null): boolean => {
      if (socket.bytesRead <= maxReplyBytes(socket)) return Socket.prototype.push.call(socket, chunk);
      socket.destroy(new Error("the server sends more than replies"));
      return false;
    };
    socket.once("connect", () => {
      socket.setTimeout(0).off("timeout", onTimeout).off("error", done);
      done(null, { connection: socket });
    });
  };
}
