import { LimmatError } from "../../core/index.ts";
import type { EmailMessage, EmailService, Mail, Unsent } from "./contract.ts";

const atOnce = 5;

/** The mail of a message. What checks it is loaded with the first: most starts never need it (docs/decisions/008). */
export async function checked(message: EmailMessage): Promise<Mail> {
  const { check } = await import("./check.ts");
  return check(message);
}

/** `send` and `sendAll` for whatever delivers checked mails. */
export function operations(deliver: (mail: Mail) => Promise<void>): Pick<EmailService, "send" | "sendAll" | "deliver"> {
  return {
    send: async (message) => deliver(await checked(message)),
    sendAll: async (messages) => {
      const mails: Mail[] = [];
      for (const message of messages) mails.push(await checked(message));
      return deliverAll(mails, deliver);
    },
    deliver,
  };
}

/** Delivers mails, a few at a time, and gives those that were not delivered. */
async function deliverAll(mails: readonly Mail[], deliver: (mail: Mail) => Promise<void>): Promise<readonly Unsent[]> {
  const unsent: Unsent[] = [];
  const waiting = mails.entries();
  const work = async (): Promise<void> => {
    for (const [index, mail] of waiting) {
      try {
        await deliver(mail);
      } catch (error) {
        if (!(error instanceof LimmatError)) throw error;
        unsent.push({ index, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return unsent.sort((a, b) => a.index - b.index);
}
