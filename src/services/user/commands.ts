import { Command } from "../../core/index.ts";
import type { Password } from "../../password/index.ts";
import type { User, UserService } from "./contract.ts";
import { errors } from "./errors.ts";
import { englishMessages } from "./messages.ts";

type Args = readonly string[];
type CommandContext = Command.CommandContext;
type CommandResult = Promise<Command.Done | undefined>;
type UserChange = (service: UserService, user: User) => Promise<User>;

const maxListedUsers = 1000;

const passwordDetails =
  "Without <password>, the command prompts for it and does not echo it. From a pipe, it reads the first line of the\n" +
  "standard input. A password given as an argument is visible to every user of this machine while the command runs,\n" +
  "and stays in the history of the shell.";

/** Returns the commands of the user service. */
export function userCommands(
  getService: () => UserService,
  policy: Password.PasswordPolicy,
): readonly Command.Command[] {
  const dependencies = (): readonly UserService[] => [getService()];

  const changeCommand = (name: string, description: string, change: UserChange): Command.Command =>
    Command.make({
      name: `user.${name}`,
      usage: "<email>",
      description,
      dependencies,
      run: (args, context) => changeUser(getService(), change, args, context),
    });

  return [
    Command.make({
      name: "user.admin",
      usage: "<email> [<password>]",
      description: "Adds an admin",
      details: passwordDetails,
      dependencies,
      run: (args, context) => addAdmin(getService(), policy, args, context),
    }),
    Command.make({
      name: "user.list",
      usage: "[<filter>] [--json]",
      description: "Lists users, newest first; a filter matches parts of the address, user name or status",
      dependencies,
      run: (args, context) => listUsers(getService(), args, context),
    }),
    Command.make({
      name: "user.password",
      usage: "<email> [<password>]",
      description: "Sets the password of a user and ends all sessions of the user",
      details: passwordDetails,
      dependencies,
      run: (args, context) => setPassword(getService(), policy, args, context),
    }),
    changeCommand("promote", "Makes a user an admin", (service, user) => service.setAdmin(user, true)),
    changeCommand("demote", "Removes the admin role of a user", (service, user) => service.setAdmin(user, false)),
    changeCommand("deactivate", "Ends all sessions of a user and prevents new logins", (service, user) =>
      service.deactivate(user),
    ),
    changeCommand("activate", "Allows a deactivated user to log in again", (service, user) => service.activate(user)),
  ];
}

async function addAdmin(
  service: UserService,
  policy: Password.PasswordPolicy,
  [email, passwordArg, ...excessArgs]: Args,
  { output, signal }: CommandContext,
): CommandResult {
  if (email === undefined || excessArgs.length > 0) return undefined;
  // Checked first, so that nobody types a password in vain.
  if ((await service.findByEmailOpt(email)) !== undefined) {
    throw errors.E_USER_COMMAND(`There is a user with the address ${email}. Use user.promote to make it an admin.`);
  }
  const user = await service.createAdmin({ email, password: await choosePassword(policy, passwordArg, email, signal) });
  output.print(`${user.email} is an admin now.`);
  return Command.done;
}

async function setPassword(
  service: UserService,
  policy: Password.PasswordPolicy,
  [email, passwordArg, ...excessArgs]: Args,
  { output, signal }: CommandContext,
): CommandResult {
  if (email === undefined || excessArgs.length > 0) return undefined;
  const user = await service.findByEmail(email);
  const password = await choosePassword(policy, passwordArg, email, signal);
  const result = await service.setPassword(user, { password, confirmation: password });
  if (!result.ok) throw errors.E_USER_COMMAND(Object.values(result.error).join(" "));
  output.print(`The password of ${user.email} was changed.`);
  return Command.done;
}

async function listUsers(service: UserService, args: Args, { output }: CommandContext): CommandResult {
  const isJson = args.includes("--json");
  const [filter, ...excessArgs] = args.filter((arg) => arg !== "--json");
  if (excessArgs.length > 0 || filter?.startsWith("--") === true) return undefined;
  const [users, total] = await service.search({ filter, limit: maxListedUsers });
  if (isJson) {
    output.print(JSON.stringify({ total, users }));
    return Command.done;
  }
  for (const user of users) output.print(formatUser(user));
  if (total > users.length) output.note(`… and ${total - users.length} more. Use a filter to narrow the list.`);
  if (total === 0) output.note("There are no such users.");
  return Command.done;
}

async function changeUser(
  service: UserService,
  change: UserChange,
  [email, ...excessArgs]: Args,
  { output }: CommandContext,
): CommandResult {
  if (email === undefined || excessArgs.length > 0) return undefined;
  output.print(formatUser(await change(service, await service.findByEmail(email))));
  return Command.done;
}

function formatUser({ email, status, admin, confirmed, created_at }: User): string {
  const labels = [status, admin ? "admin" : "", confirmed ? "" : "not confirmed"].filter((label) => label !== "");
  return `${created_at.toISOString().slice(0, 10)}  ${email}  ${labels.join(", ")}`;
}

async function choosePassword(
  policy: Password.PasswordPolicy,
  passwordArg: string | undefined,
  email: string,
  signal: AbortSignal,
): Promise<string> {
  const password = passwordArg ?? (await promptForPassword(signal));
  const policyMessage = await policy(password, { email });
  if (policyMessage !== undefined) throw errors.E_USER_COMMAND(policyMessage);
  return password;
}

async function promptForPassword(signal: AbortSignal): Promise<string> {
  // Few commands prompt, so the code loads on demand (docs/decisions/017).
  const { readPassword } = await import("./engine/read-password.ts");
  const terminal = { input: process.stdin, output: process.stderr };
  const password = await readPassword("Password: ", terminal, signal);
  if (terminal.input.isTTY && (await readPassword("Repeat the password: ", terminal, signal)) !== password) {
    throw errors.E_USER_COMMAND(englishMessages.confirmationDiffers);
  }
  return password;
}
