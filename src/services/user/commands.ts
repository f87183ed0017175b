import { Command, lazy } from "../../core/index.ts";
import type { Password } from "../../password/index.ts";
import type { UserService } from "./contract.ts";
import type { UserChange } from "./engine/run-commands.ts";

// Few processes run a command, so the code loads on demand (docs/decisions/017).
const loadRuns = lazy(() => import("./engine/run-commands.ts"));

const passwordDetails =
  "Without <password>, the command prompts for it and does not echo it. From a pipe, it reads the first\n" +
  "line of the standard input. A password given as an argument is visible to every user of this machine\n" +
  "while the command runs, and stays in the history of the shell.";

export function userCommands(
  getService: () => UserService,
  policy: Password.PasswordPolicy,
): readonly Command.Command[] {
  const dependencies = (): readonly UserService[] => [getService()];

  const changeCommand = (name: string, description: string, change: UserChange, flag?: string): Command.Command =>
    Command.make({
      name: `user.${name}`,
      usage: flag === undefined ? "<email>" : `<email> [${flag}]`,
      description,
      dependencies,
      run: async (args, context) =>
        (await loadRuns()).changeUser(getService(), `user.${name}`, change, args, { ...context, flag }),
    });

  return [
    Command.make({
      name: "user.admin",
      usage: "<email> [<password>]",
      description: "Adds an admin",
      details: passwordDetails,
      dependencies,
      run: async (args, context) => (await loadRuns()).addAdmin(getService(), policy, args, context),
    }),
    Command.make({
      name: "user.list",
      usage: "[<filter>] [--json]",
      description: "Lists users, newest first; a filter matches parts of the address, user name or status",
      dependencies,
      run: async (args, context) => (await loadRuns()).listUsers(getService(), args, context),
    }),
    Command.make({
      name: "user.password",
      usage: "<email> [<password>]",
      description: "Sets the password of a user and ends all sessions of the user",
      details: passwordDetails,
      dependencies,
      run: async (args, context) => (await loadRuns()).setPassword(getService(), policy, args, context),
    }),
    changeCommand("promote", "Makes a user an admin", (service, user, options) =>
      service.setAdmin(user, true, options),
    ),
    changeCommand("demote", "Removes the admin role of a user", (service, user, options) =>
      service.setAdmin(user, false, options),
    ),
    changeCommand(
      "deactivate",
      "Ends all sessions of a user and prevents new logins; --force skips the checks of the application",
      (service, user, options, force) => service.deactivate(user, { ...options, force }),
      "--force",
    ),
    changeCommand("activate", "Allows a deactivated user to log in again", (service, user, options) =>
      service.activate(user, options),
    ),
  ];
}
