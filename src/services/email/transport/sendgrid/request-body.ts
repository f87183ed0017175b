import type { Mailbox } from "../../contract.ts";
import type { OutgoingMail } from "../contract.ts";

/** Returns the request body for a mail (API version 3, `POST /v3/mail/send`). */
export function requestBody(mail: OutgoingMail): object {
  const { sender, recipients, cc, bcc, replyTo, subject, text, html, attachments, headers, tags } = mail;
  return {
    personalizations: [
      {
        to: recipients.map(toApiAddress),
        ...(cc.length > 0 ? { cc: cc.map(toApiAddress) } : {}),
        ...(bcc.length > 0 ? { bcc: bcc.map(toApiAddress) } : {}),
      },
    ],
    from: toApiAddress(sender),
    ...(replyTo === undefined ? {} : { reply_to: toApiAddress(replyTo) }),
    subject,
    // The API requires plain text first.
    content: [
      // The API refuses an empty part.
      { type: "text/plain", value: text === "" ? " " : text },
      ...(html === undefined ? [] : [{ type: "text/html", value: html }]),
    ],
    ...(attachments.length === 0
      ? {}
      : {
          attachments: attachments.map(({ name, type, content, cid }) => ({
            filename: name,
            // The API refuses a semicolon, so the parameters are removed.
            type: type.split(";", 1)[0],
            content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64"),
            ...(cid === undefined ? { disposition: "attachment" } : { disposition: "inline", content_id: cid }),
          })),
        }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(tags.length === 0 ? {} : { categories: tags }),
  };
}

const toApiAddress = ({ name, address }: Mailbox): object => ({
  email: address,
  ...(name === undefined ? {} : { name }),
});
