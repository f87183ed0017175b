import type { Mail, MailAttachment, Mailbox } from "./contract.ts";

/** A checked mail as JSON holds it: null for what has no value, attachments in base64. */
export type MailJson = Omit<Mail, "sender" | "replyTo" | "html" | "attachments"> & {
  readonly sender: Mailbox | null;
  readonly replyTo: Mailbox | null;
  readonly html: string | null;
  readonly attachments: readonly AttachmentJson[];
};

type AttachmentJson = Omit<MailAttachment, "content" | "cid"> & {
  readonly content: string;
  readonly cid: string | null;
};

/** The JSON of a mail. */
export function toJson(mail: Mail): MailJson {
  return {
    ...mail,
    sender: mail.sender ?? null,
    replyTo: mail.replyTo ?? null,
    html: mail.html ?? null,
    attachments: mail.attachments.map(({ content, cid, ...rest }) => ({
      ...rest,
      cid: cid ?? null,
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("base64"),
    })),
  };
}

/** The mail of its JSON. */
export function fromJson(json: MailJson): Mail {
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
