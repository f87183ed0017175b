import { error, isError, ok, Service } from "../../core/index.ts";
import { Time } from "../../time/index.ts";
import type { JobDefinition, Queue } from "../queue/contract.ts";
import type { EmailService, Mail } from "./contract.ts";
import { checkMessage, checkMessages } from "./engine/check-message.ts";
import { seal, type SealedMail, unseal } from "./engine/sealed-mail.ts";

/** Options of `Email.queued`. */
export interface QueuedOptions {
  readonly queue: Queue;
  /** Service that sends the queued mails. */
  readonly email: EmailService;
  /** Name of the service. Default: the name of `email` with the suffix `-queue`, such as `email-queue`. */
  readonly name?: string;
}

/**
 * Makes an e-mail service that puts mails into a queue, from which another service sends them. Callers do not wait for the
 * mail server, and an outage of some hours loses no mail. Inside a transaction of the queue's database a mail is sent only
 * after the commit.
 *
 * A mail is retried up to ten times within nine hours if a retry may succeed; a refused mail fails immediately. Failed mails
 * are among the failed jobs of the queue (`email.send`), with the error. Queued mails are encrypted with a key derived from
 * `FRAMEWORK_SECRET`, because they contain links that give access to accounts.
 *
 * @example
 * export const email = Email.queued({ queue, email: smtp() });
 */
export function queued({ queue, email, name = `${email.name}-queue` }: QueuedOptions): EmailService {
  const job: JobDefinition<SealedMail> = {
    name: `${email.name}.send`,
    maxAttempts: 10,
    retryDelayMs: Time.minutes(1),
    timeoutMs: Time.minutes(5),
    handle: async (mail) => {
      try {
        await email.deliver(unseal(mail));
        return ok();
      } catch (failure) {
        if (permanentErrors.some((code) => isError(failure, code))) return error(failure);
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
      await queue.dispatch(job, seal(await checkMessage(message)), options);
    },
    sendAll: async (messages, options) => {
      const mails = await checkMessages(messages);
      await queue.dispatchAll(job, mails.map(seal), options);
      return [];
    },
    deliver: async (mail: Mail) => {
      await queue.dispatch(job, seal(mail));
    },
    inbox: email.inbox,
  };
}

const permanentErrors = ["E_EMAIL_REFUSED", "E_EMAIL_SENDER_MISSING", "E_EMAIL_SEALED"] as const;
