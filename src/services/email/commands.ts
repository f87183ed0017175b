import { Command } from "../../core/index.ts";
import type { EmailService } from "./contract.ts";

/** Returns the command `email.send-test`, which sends a mail directly through a service and reports the result. */
export function sendTestCommand(name: string, service: () => EmailService): Command.Command {
  return Command.make({
    name: `${name}.send-test`,
    usage: "<address>",
    description: "Sends a test mail to an address",
    details: "Sends directly, without a queue, so that a wrong setting fails here.",
    dependencies: () => [service()],
    run: async ([address, ...extraArguments], { output }) => {
      if (address === undefined || extraArguments.length > 0) return undefined;
      const email = service();
      const newestId = email.inbox.all()[0]?.id;
      await email.send({
        recipient: address,
        subject: "A test mail",
        text: "This mail was sent by a command to test whether mails arrive. They do.",
        headers: { "Auto-Submitted": "auto-generated" },
      });
      output.print(
        email.inbox.all()[0]?.id !== newestId
          ? "The mail was captured, not sent. To send mails here, set EMAIL_SEND_OUTSIDE_PRODUCTION=true."
          : `Sent the mail to ${address} through ${email.implementation}.`,
      );
      return Command.done;
    },
  });
}
