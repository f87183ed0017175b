import { Cleaner } from "../../cleaner/index.ts";
import { Service } from "../../core/index.ts";
import type { EmailService } from "./contract.ts";
import { makeInbox } from "./inbox.ts";
import { operations } from "./operations.ts";

/** What the memory service can be given. */
export interface MemoryOptions {
  /** Its name among the services. Default `email`. */
  readonly name?: string;
}

/**
 * An e-mail service that sends nothing and keeps everything, in every environment: for tests. It need not be started.
 *
 * @example
 * const email = Email.memory();
 * await signUp({ email: "ada@example.com" });
 * assert.match(email.inbox.to("ada@example.com")[0]?.text ?? "", /Welcome/);
 */
export function memory({ name = "email" }: MemoryOptions = {}): EmailService {
  const inbox = makeInbox();
  let unregister: (() => void) | undefined;
  return {
    ...Service.make({
      name,
      implementation: "memory",
      start: () => {
        unregister = Cleaner.register(name, () => inbox.clear());
      },
      stop: () => unregister?.(),
    }),
    ...operations((mail) => Promise.resolve(void inbox.keep(mail))),
    inbox,
  };
}
