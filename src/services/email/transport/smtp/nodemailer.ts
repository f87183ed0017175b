import { isPackageMissing } from "../../../../core/index.ts";
import { errors } from "../../errors.ts";

/** A message of `nodemailer`. Addresses are objects, because a string would be parsed as a list. */
export interface NodemailerMessage {
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
