import type { ContextOptions, LimmatError, Service } from "../../core/index.ts";
import type { Html } from "../../html/index.ts";

/**
 * One address: `ada@example.com`, or with a name `{ name: "Ada Lovelace", address: "ada@example.com" }`. A text holds
 * one address and nothing else; lists are arrays.
 */
export type EmailAddress = string | Mailbox;

/** An address with the name that mail programs show instead of it (RFC 5322 §3.4). */
export interface Mailbox {
  readonly name?: string;
  readonly address: string;
}

/** A mail as it is given to `send`. */
export interface EmailMessage {
  /** Who it is from. Default: the sender of the configuration, such as `SMTP_SENDER`. */
  readonly sender?: EmailAddress;
  /** Who it is to: all of them see each other's addresses. At most 100 with `cc` and `bcc`; for more see `sendAll`. */
  readonly recipient: EmailAddress | readonly EmailAddress[];
  /** Who gets a copy. */
  readonly cc?: EmailAddress | readonly EmailAddress[];
  /** Who gets a copy that nobody else hears of. */
  readonly bcc?: EmailAddress | readonly EmailAddress[];
  /** Where answers go, if not to the sender. */
  readonly replyTo?: EmailAddress;
  /** One line, at most 998 characters. */
  readonly subject: string;
  /** The mail as plain text. Default: made of `html`. One of the two must be given. */
  readonly text?: string;
  /** The mail as a page, made by `html` or declared by `unsafeHtml` (`limmat/html`). It is sent beside the text. */
  readonly html?: Html;
  /** Files that come with it: at most 6 MiB together. */
  readonly attachments?: readonly EmailAttachment[];
  /**
   * More header lines, by name: those that begin with `X-` or `List-`, and `Auto-Submitted`, `In-Reply-To`,
   * `References`, `Precedence`, `Importance` and `Feedback-ID`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The address of a page that ends a subscription when a mail program posts to it: makes the button "Unsubscribe" of
   * mail programs (RFC 8058). An `https:` URL.
   */
  readonly unsubscribe?: string;
  /** Words by which a provider counts mails of one kind: at most 10. Over SMTP the header `X-Tags`. */
  readonly tags?: readonly string[];
}

/** A file that comes with a mail. */
export type EmailAttachment = AttachmentContent | AttachmentFile;

/** An attachment that is at hand. */
export interface AttachmentContent {
  /** The name of the file, without folders: `invoice.pdf`. */
  readonly name: string;
  /** Text is sent as UTF-8. */
  readonly content: Uint8Array | string;
  /** The media type. Default: by the name's ending, else `application/octet-stream`. */
  readonly type?: string;
  /** The name by which the page shows it: `logo` for `<img src="cid:logo">`. */
  readonly cid?: string;
}

/** An attachment that is read from the disk when `send` is called. */
export interface AttachmentFile {
  /** The path from `root`: it cannot lead out of it, by symbolic links neither. */
  readonly path: string;
  /** The folder whose files may be sent, an absolute path. */
  readonly root: string;
  /** The name of the file for the recipient. Default: that of `path`. */
  readonly name?: string;
  readonly type?: string;
  readonly cid?: string;
}

/** A mail that was checked: what transports are given, queues hold and an inbox shows. Everything in it is safe to send. */
export interface Mail {
  /** UUID v4. Over SMTP a part of its `Message-ID`, the same each time it is tried. */
  readonly id: string;
  /** `undefined` when the message named none: the transport then puts that of its configuration. */
  readonly sender: Mailbox | undefined;
  readonly recipients: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  readonly replyTo: Mailbox | undefined;
  readonly subject: string;
  readonly text: string;
  readonly html: string | undefined;
  readonly attachments: readonly MailAttachment[];
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly tags: readonly string[];
}

/** An attachment of a checked mail. */
export interface MailAttachment {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
  readonly cid: string | undefined;
}

/** A mail that was not sent. */
export interface Unsent {
  /** Where it stands in the list that was given. */
  readonly index: number;
  /** Why: E_EMAIL_UNAVAILABLE when it can be tried again, E_EMAIL_REFUSED when that would be in vain. */
  readonly error: LimmatError;
}

/** A mail that was kept instead of sent. */
export interface KeptMail extends Mail {
  readonly kept_at: Date;
}

/** The mails that a service kept instead of sending them, in memory: the last 500. */
export interface Inbox {
  /** All of them, newest first. */
  all(): readonly KeptMail[];
  /** Those to an address, as recipient, copy or blind copy, newest first; letter case does not matter. */
  to(address: string): readonly KeptMail[];
  /** One of them, or `undefined`. */
  find(id: string): KeptMail | undefined;
  /** Forgets all. */
  clear(): void;
}

/** A service that sends mails. */
export interface EmailService extends Service.Service {
  /**
   * Sends a mail. It is checked first, whatever the implementation, so that a wrong one fails before anything is
   * connected, stored or sent. Ends when the next station has taken it over: the mail server, the provider, or the queue.
   * Sending the same message twice sends two mails. Of `ctx`, a queue reads what its database reads; transports nothing.
   *
   * @throws E_EMAIL_ADDRESS, E_EMAIL_MESSAGE, E_EMAIL_ATTACHMENT, E_EMAIL_SENDER_MISSING for a wrong message;
   * E_EMAIL_UNAVAILABLE when it can be tried again, E_EMAIL_REFUSED when that would be in vain.
   */
  send(message: EmailMessage, options?: ContextOptions): Promise<void>;
  /**
   * Sends many mails: each recipient one of their own. All are checked before the first is sent; then each is sent, even
   * if another could not be. Gives those that were not sent: none, if all went well.
   *
   * @throws what `send` throws for a wrong message; nothing was sent then.
   */
  sendAll(messages: readonly EmailMessage[], options?: ContextOptions): Promise<readonly Unsent[]>;
  /** What was kept instead of sent: in development and tests everything, unless `EMAIL_SEND_OUTSIDE_PRODUCTION` is true. */
  readonly inbox: Inbox;
  /**
   * Sends a mail that was checked: what services that stand before another (a queue, a failover) call.
   *
   * @throws E_EMAIL_UNAVAILABLE, E_EMAIL_REFUSED, E_EMAIL_SENDER_MISSING
   */
  deliver(mail: Mail): Promise<void>;
}
