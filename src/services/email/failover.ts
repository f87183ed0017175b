import { isError, Service } from "../../core/index.ts";
import { Log } from "../../log/index.ts";
import type { EmailService, Mail } from "./contract.ts";
import { operations } from "./operations.ts";

const log = Log.source("limmat.email");

/**
 * An e-mail service that hands a mail to the first of several services that takes it: the next one is asked when one
 * is unavailable, not when one refuses. A server that falls silent after it has taken a mail makes that arrive twice.
 *
 * @example
 * export const email = Email.queued({ queue, email: Email.failover(smtp(), sendgrid({ name: "email-spare" })) });
 */
export function failover(first: EmailService, ...others: readonly EmailService[]): EmailService {
  const deliver = async (mail: Mail): Promise<void> => {
    let unavailable: unknown;
    for (const service of [first, ...others]) {
      try {
        return await service.deliver(mail);
      } catch (error) {
        if (!isError(error, "E_EMAIL_UNAVAILABLE")) throw error;
        unavailable = error;
        log.warning(`The e-mail service "${service.name}" is unavailable`, { error });
      }
    }
    throw unavailable;
  };
  return {
    ...Service.make({
      name: `${first.name}-failover`,
      implementation: "failover",
      dependencies: () => [first, ...others],
    }),
    ...operations(deliver),
    inbox: first.inbox,
  };
}
