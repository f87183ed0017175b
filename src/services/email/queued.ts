import { error, isError, ok, Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { Job, Queue } from "../queue/contract.ts";
import type { EmailService, Mail } from "./contract.ts";
import { checked } from "./operations.ts";
import type { SealedMail } from "./sealed-mail.ts";

/** What a queued e-mail service is made of. */
export interface QueuedOptions {
  readonly queue: Queue;
  /** Sends the mails when their turn comes. */
  readonly email: EmailService;
  /** Its name among the services. Default that of `email` and `-queue`: `email-queue`. */
  readonly name?: string;
}

/**
 * An e-mail service that puts mails into a queue, from which another service sends them: nobody waits for a mail server,
 * a server that is down for some hours loses no mail, and inside a transaction of the queue's database a mail is sent
 * only once that is committed.
 *
 * What can be tried again is tried ten times within nine hours; what was refused fails at once. Both then stand among the
 * failed jobs of the queue (`email.send`), with their reason. In the queue mails are sealed with a key of
 * `FRAMEWORK_SECRET`, because they hold links that open accounts.
 *
 * @example
 * export const email = Email.queued({ queue, email: smtp() });
 */
export function queued({ queue, email, name = `${email.name}-queue` }: QueuedOptions): EmailService {
  const job: Job<SealedMail> = {
    name: `${email.name}.send`,
    maxTries: 10,
    retryDelay: Time.minutes(1),
    timeout: Time.minutes(5),
    handle: async (mail) => {
      try {
        const { unseal } = await import("./sealed-mail.ts");
        await email.deliver(unseal(mail));
        return ok();
      } catch (failure) {
        if (inVain.some((code) => isError(failure, code))) return error(failure);
        throw failure;
      }
    },
  };
  return {
    ...Service.make({
      name,
      implementation: "queued",
      dependencies: () => [queue, email],
      start: () => queue.register(job),
    }),
    send: async (message, options) => {
      await queue.dispatch(job, await sealed(await checked(message)), options);
    },
    sendAll: async (messages, options) => {
      const mails: SealedMail[] = [];
      for (const message of messages) mails.push(await sealed(await checked(message)));
      await queue.dispatchAll(job, mails, options);
      return [];
    },
    deliver: async (mail: Mail) => {
      await queue.dispatch(job, await sealed(mail));
    },
    inbox: email.inbox,
  };
}

async function sealed(mail: Mail): Promise<SealedMail> {
  const { seal } = await import("./sealed-mail.ts");
  return seal(mail);
}

const inVain = ["E_EMAIL_REFUSED", "E_EMAIL_SENDER_MISSING", "E_EMAIL_SEALED"] as const;
