import { Cleaner } from "../../../../cleaner/index.ts";
import { background, Service } from "../../../../core/index.ts";
import type { EmailService } from "../../contract.ts";
import { makeInbox } from "../../engine/inbox.ts";
import { sendOperations } from "../../operations.ts";

/**
 * Makes an e-mail service that captures all mails in memory and sends none, in every environment. For tests. It works
 * without being started.
 *
 * @example
 * const email = Email.memory();
 * await signUp({ email: "ada@example.com" });
 * assert.match(email.inbox.to("ada@example.com")[0]?.text ?? "", /Welcome/);
 */
export function memory({ name = "email" }: { readonly name?: string } = {}): EmailService {
  const inbox = makeInbox();
  return {
    ...Service.make({
      name,
      implementation: "memory",
      ...background(() => [Cleaner.register(name, () => inbox.clear(), { isInMemory: true })]),
    }),
    ...sendOperations((mail) => Promise.resolve(inbox.add(mail))),
    inbox,
  };
}
