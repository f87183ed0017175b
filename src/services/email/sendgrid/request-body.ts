import type { Mailbox } from "../contract.ts";
import type { SentMail } from "../transport.ts";

/** The mail as the interface of the provider takes it (version 3, `POST /v3/mail/send`). */
export function requestBody(mail: SentMail): object {
  const { sender, recipients, cc, bcc, replyTo, subject, text, html, attachments, headers, tags } = mail;
  return {
    personalizations: [
      {
        to: recipients.map(person),
        ...(cc.length > 0 ? { cc: cc.map(person) } : {}),
        ...(bcc.length > 0 ? { bcc: bcc.map(person) } : {}),
      },
    ],
    from: person(sender),
    ...(replyTo === undefined ? {} : { reply_to: person(replyTo) }),
    subject,
    // Plain text must come first.
    content: [
      // An empty part is refused.
      { type: "text/plain", value: text === "" ? " " : text },
      ...(html === undefined ? [] : [{ type: "text/html", value: html }]),
    ],
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ name, type, content, cid }) => ({
            filename: name,
            // Of a media type without parameters: the provider takes no semicolon.
            type: type.split(";", 1)[0],
            content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64"),
            ...(cid === undefined ? { disposition: "attachment" } : { disposition: "inline", content_id: cid }),
          })),
        }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(tags.length === 0 ? {} : { categories: tags }),
  };
}

const person = ({ name, address }: Mailbox): object => ({ email: address, ...(name === undefined ? {} : { name }) });
