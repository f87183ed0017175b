import type { Mail, Mailbox } from "../contract.ts";

/** A mail with its sender. */
export type OutgoingMail = Mail & { readonly sender: Mailbox };

/** Connection to a mail server or to the API of a provider. */
export interface Transport {
  /**
   * Sends a mail. Throws E_EMAIL_REFUSED if a retry cannot succeed. An error that is not of the framework becomes
   * E_EMAIL_UNAVAILABLE: a retry may succeed.
   */
  send(mail: OutgoingMail): Promise<void>;
  /** Checks the connection and credentials. Returns the destination, such as the name of the server. */
  verify(): Promise<string>;
  close(): Promise<void> | void;
}
