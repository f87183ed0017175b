import { LimmatError } from "../../core/index.ts";
import type { EmailService, Mail, SendFailure } from "./contract.ts";
import { checkMessage, checkMessages } from "./engine/check-message.ts";

const maxConcurrentDeliveries = 5;

/** Returns the sending operations of a service that delivers validated mails. */
export function sendOperations(
  deliver: (mail: Mail) => Promise<void>,
): Pick<EmailService, "send" | "sendAll" | "deliver"> {
  return {
    send: async (message) => deliver(await checkMessage(message)),
    sendAll: async (messages) => deliverAll(await checkMessages(messages), deliver),
    deliver,
  };
}

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
