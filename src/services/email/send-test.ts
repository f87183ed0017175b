import { Command } from "../../core/index.ts";
import type { EmailService } from "./contract.ts";

/** The command `email.send-test`: sends a mail through the service of this name, at once, and says what became of it. */
export function sendTest(name: string, service: () => EmailService): Command.Command {
  return Command.make({
    name: `${name}.send-test`,
    usage: "<address>",
    description: "Sends a test mail to an address",
    details: "It goes out at once, around a queue, so that a wrong setting shows here and now.",
    dependencies: () => [service()],
    run: async ([address, ...more], { output }) => {
      if (address === undefined || more.length > 0) return undefined;
      const email = service();
      const [newest] = email.inbox.all();
      await email.send({
        recipient: address,
        subject: "A test mail",
        text: "This mail was sent by a command to see whether mails arrive. They do.",
        headers: { "Auto-Submitted": "auto-generated" },
      });
      output.print(
        email.inbox.all()[0] !== newest
          ? "The mail was kept, not sent. To send mails here, set EMAIL_SEND_OUTSIDE_PRODUCTION=true."
          : `The mail to ${address} was handed over by ${email.implementation}.`,
      );
      return Command.done;
    },
  });
}
