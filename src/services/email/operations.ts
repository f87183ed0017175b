import { LimmatError } from "../../core/index.ts";
import type { EmailMessage, EmailService, Mail, SendFailure } from "./contract.ts";

const maxConcurrentDeliveries = 5;

/** Validates a message and returns its mail. Imports the checks on first use: most commands never need them (docs/decisions/017). */
export async function prepareMail(message: EmailMessage): Promise<Mail> {
  const { checkMessage } = await import("./engine/check-message.ts");
  return checkMessage(message);
}

/** Returns the sending operations of a service that delivers validated mails. */
export function sendOperations(
  deliver: (mail: Mail) => Promise<void>,
): Pick<EmailService, "send" | "sendAll" | "deliver"> {
  return {
    send: async (message) => deliver(await prepareMail(message)),
    sendAll: async (messages) => {
      const mails: Mail[] = [];
      for (const message of messages) mails.push(await prepareMail(message));
      return deliverAll(mails, deliver);
    },
    deliver,
  };
}

/** Delivers mails with limited concurrency and returns the failures. */
async function deliverAll(
  mails: readonly Mail[],
  deliver: (mail: Mail) => Promise<void>,
): Promise<readonly SendFailure[]> {
  const failures: SendFailure[] = [];
  // The workers share one iterator, so each mail is delivered once.
  const remaining = mails.entries();
  const runWorker = async (): Promise<void> => {
    for (const [index, mail] of remaining) {
      try {
        await deliver(mail);
      } catch (error) {
        if (!(error instanceof LimmatError)) throw error;
        failures.push({ index, error });
      }
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentDeliveries }, runWorker));
  return failures.sort((a, b) => a.index - b.index);
}
