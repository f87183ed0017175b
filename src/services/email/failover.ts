import { isError, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type { EmailService, Mail } from "./contract.ts";
import { sendOperations } from "./operations.ts";

const log = Log.source("limmat.email");

/**
 * Makes an e-mail service that sends a mail through the first available of several services. It tries the next one after
 * E_EMAIL_UNAVAILABLE, but not after a refusal. If a server accepts a mail and then stops responding, the mail arrives twice.
 *
 * @example
 * export const email = Email.queued({ queue, email: Email.failover(smtp(), sendgrid({ name: "email-spare" })) });
 */
export function failover(first: EmailService, ...others: readonly EmailService[]): EmailService {
  const deliver = async (mail: Mail): Promise<void> => {
    let lastError: unknown;
    for (const service of [first, ...others]) {
      try {
        return await service.deliver(mail);
      } catch (error) {
        if (!isError(error, "E_EMAIL_UNAVAILABLE")) throw error;
        lastError = error;
        log.warning(`The e-mail service "${service.name}" is unavailable`, { error });
      }
    }
    throw lastError;
  };
  return {
    ...Service.make({
      name: `${first.name}-failover`,
      implementation: "failover",
      dependencies: () => [first, ...others],
    }),
    ...sendOperations(deliver),
    inbox: first.inbox,
  };
}
