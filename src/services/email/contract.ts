import type { ContextOptions, LimmatError, Service } from "../../core/index.ts";
import type { Html } from "../../html/index.ts";

/** One address: `ada@example.com`, or with a name `{ name: "Ada Lovelace", address: "ada@example.com" }`. */
export type EmailAddress = string | Mailbox;

/** An address with a display name (RFC 5322 §3.4). */
export interface Mailbox {
  readonly name?: string;
  readonly address: string;
}

/** A message for `EmailService.send`. */
export interface EmailMessage {
  /** Sender. Default: the configured sender, such as `SMTP_SENDER`. */
  readonly sender?: EmailAddress;
  /** Recipients, who see each other's addresses. At most 100 with `cc` and `bcc`; use `sendAll` for more. */
  readonly recipient: EmailAddress | readonly EmailAddress[];
  /** Recipients of a copy. */
  readonly cc?: EmailAddress | readonly EmailAddress[];
  /** Recipients of a blind copy, invisible to all others. */
  readonly bcc?: EmailAddress | readonly EmailAddress[];
  /** Address for replies. Default: the sender. */
  readonly replyTo?: EmailAddress;
  /** Subject: one line of at most 998 characters. */
  readonly subject: string;
  /** Plain-text body. Default: generated from `html`. One of the two is required. */
  readonly text?: string;
  /** HTML body, created by `html` or `unsafeHtml` (`limmat/html`). It is sent with the plain text. */
  readonly html?: Html;
  /** Attachments: at most 6 MiB in total. */
  readonly attachments?: readonly EmailAttachment[];
  /**
   * Additional headers, by name. Allowed are `X-…`, `List-…`, `Auto-Submitted`, `In-Reply-To`, `References`, `Precedence`,
   * `Importance` and `Feedback-ID`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** An `https:` URL that ends a subscription by a POST. Mail clients show a button "Unsubscribe" for it (RFC 8058). */
  readonly unsubscribe?: string;
  /** Tags for the statistics of a provider: at most 10. Over SMTP the header `X-Tags`. */
  readonly tags?: readonly string[];
}

/** Content of a message, without sender and recipient. */
export type MailContent = Pick<EmailMessage, "subject" | "text" | "html">;

/** A mail with sample values, which `Email.Web.inbox` shows. */
export type MailPreview = () => MailContent | Promise<MailContent>;

/** An attachment of a message. */
export type EmailAttachment = AttachmentContent | AttachmentFile;

/** An attachment in memory. */
export interface AttachmentContent {
  /** Filename, without folders, such as `invoice.pdf`. */
  readonly name: string;
  /** Content. A string is sent as UTF-8. */
  readonly content: Uint8Array | string;
  /** Media type. Default: by the extension of the name, else `application/octet-stream`. */
  readonly type?: string;
  /** Content id, for references from HTML: `logo` for `<img src="cid:logo">`. */
  readonly cid?: string;
}

/** An attachment that `send` reads from the disk. */
export interface AttachmentFile {
  /** Path relative to `root`. It cannot leave `root`, not even by symbolic links. */
  readonly path: string;
  /** Absolute path of the folder whose files may be sent. */
  readonly root: string;
  /** Filename for the recipient. Default: the last part of `path`. */
  readonly name?: string;
  readonly type?: string;
  readonly cid?: string;
}

/** A validated mail, as passed to transports, queues and inboxes. All its values are safe to send. */
export interface Mail {
  /** UUID v4. Over SMTP it is part of the `Message-ID`, unchanged across retries. */
  readonly id: string;
  /** Sender. `undefined` means the configured sender of the transport. */
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

/** An attachment of a validated mail. */
export interface MailAttachment {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array;
  readonly cid: string | undefined;
}

/** A message that `sendAll` could not send. */
export interface SendFailure {
  /** Index of the message in the list. */
  readonly index: number;
  /** Error: E_EMAIL_UNAVAILABLE if a retry may succeed, E_EMAIL_REFUSED if not. */
  readonly error: LimmatError;
}

/** A mail that was captured instead of sent. */
export interface CapturedMail extends Mail {
  readonly captured_at: Date;
}

/** The last 500 mails that a service captured: in memory, in development in the folder `tmp` of the project, at most 32 MB. */
export interface Inbox {
  /** Returns all mails, newest first. */
  all(): readonly CapturedMail[];
  /** Returns the mails to an address, as recipient, copy or blind copy, newest first. Ignores letter case. */
  to(address: string): readonly CapturedMail[];
  /** Returns the mail with an id, or `undefined`. */
  findOpt(id: string): CapturedMail | undefined;
  /** Removes all mails. */
  clear(): void;
}

/** A service that sends mails. */
export interface EmailService extends Service.Service {
  /**
   * Sends a mail. Every implementation validates the message first, so an invalid one fails before anything is connected,
   * stored or sent. Ends when the next hop has accepted it: the mail server, the provider or the queue. Sending the same
   * message twice sends two mails. Only a queue reads `ctx`, for its database.
   *
   * @throws E_EMAIL_ADDRESS, E_EMAIL_MESSAGE, E_EMAIL_ATTACHMENT, E_EMAIL_SENDER_MISSING for an invalid message;
   * E_EMAIL_UNAVAILABLE if a retry may succeed, E_EMAIL_REFUSED if not.
   */
  send(message: EmailMessage, options?: ContextOptions): Promise<void>;
  /**
   * Sends several mails and returns the failures, which do not stop the others.
   *
   * @throws the errors of `send` for an invalid message, before anything is sent.
   */
  sendAll(messages: readonly EmailMessage[], options?: ContextOptions): Promise<readonly SendFailure[]>;
  /** Captured mails: all mails in development and tests, unless `EMAIL_SEND_OUTSIDE_PRODUCTION` is true. */
  readonly inbox: Inbox;
  /**
   * Sends a validated mail. For services that wrap another, such as a queue or a failover.
   *
   * @throws E_EMAIL_UNAVAILABLE, E_EMAIL_REFUSED, E_EMAIL_SENDER_MISSING
   */
  deliver(mail: Mail): Promise<void>;
}
