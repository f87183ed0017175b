import { Command } from "../../core/index.ts";
import type * as Work from "./command-work.ts";
import type { UserService } from "./contract.ts";
import type { Password } from "./password/index.ts";

const details =
  "Without <password> it is asked for and not shown; from a pipe, it is the first line of the standard input.\n" +
  "As an argument, every user of this machine can see it while the command runs, and the shell keeps it in its\n" +
  "history: do so only where nobody else is.";

/** The commands of the user service. */
export function commandsFor(serviceOf: () => UserService, policy: Password.PasswordPolicy): readonly Command.Command[] {
  const dependencies = (): readonly UserService[] => [serviceOf()];
  // Most starts never need it (docs/decisions/008).
  const work = (): Promise<typeof Work> => import("./command-work.ts");

  const switching = (name: string, description: string, change: Work.Change): Command.Command =>
    Command.make({
      name: `user.${name}`,
      usage: "<email>",
      description,
      dependencies,
      run: async (args, context) => (await work()).change(serviceOf(), change, args, context),
    });

  return [
    Command.make({
      name: "user.admin",
      usage: "<email> [<password>]",
      description: "Adds an admin",
      details,
      dependencies,
      run: async (args, context) => (await work()).admin(serviceOf(), policy, args, context),
    }),
    Command.make({
      name: "user.list",
      usage: "[<filter>] [--json]",
      description: "Lists users, the newest first; those whose address, user name or status contains the filter",
      dependencies,
      run: async (args, context) => (await work()).list(serviceOf(), args, context),
    }),
    Command.make({
      name: "user.password",
      usage: "<email> [<password>]",
      description: "Sets a user's password and logs the user out everywhere",
      details,
      dependencies,
      run: async (args, context) => (await work()).password(serviceOf(), policy, args, context),
    }),
    switching("promote", "Makes a user an admin", (service, user) => service.setAdmin(user, true)),
    switching("demote", "Makes an admin a user like others", (service, user) => service.setAdmin(user, false)),
    switching("deactivate", "Logs a user out everywhere and keeps the user from logging in", (service, user) =>
      service.deactivate(user),
    ),
    switching("activate", "Lets a user log in again", (service, user) => service.activate(user)),
  ];
}
