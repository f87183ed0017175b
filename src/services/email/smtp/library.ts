import { isPackageMissing } from "../../../core/index.ts";
import { errors } from "../errors.ts";

/** What a mail server is asked to take. Addresses are values, never texts that would be read for several. */
export interface LibraryMail {
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

/** The part of a transporter that is used. */
export interface Transporter {
  sendMail(mail: LibraryMail): Promise<{ readonly rejected?: readonly string[] }>;
  verify(): Promise<unknown>;
  close(): void;
}

/** The part of the package that is used. */
export interface Library {
  createTransport(options: object): Transporter;
}

/**
 * Loads the package.
 *
 * @throws E_EMAIL_LIBRARY_MISSING
 */
export async function loadLibrary(): Promise<Library> {
  try {
    const module: { readonly default: unknown } = await import("nodemailer");
    return module.default as Library;
  } catch (cause) {
    if (isPackageMissing(cause, "nodemailer")) throw errors.E_EMAIL_LIBRARY_MISSING("nodemailer", "10").causedBy(cause);
    throw cause;
  }
}
