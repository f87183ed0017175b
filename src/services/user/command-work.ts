import { Command } from "../../core/index.ts";
import type { User, UserService } from "./contract.ts";
import { errors } from "./errors.ts";
import { englishMessages } from "./messages.ts";
import type { Password } from "./password/index.ts";
import { readPassword } from "./read-password.ts";

type Args = readonly string[];
type Context = Command.CommandContext;
type Answer = Promise<Command.Done | undefined>;

/** A change of a user that needs nothing else. */
export type Change = (service: UserService, user: User) => Promise<User>;

/** The work of `user.admin`. */
export async function admin(
  service: UserService,
  policy: Password.PasswordPolicy,
  [email, given, ...others]: Args,
  { output, signal }: Context,
): Answer {
  if (email === undefined || others.length > 0) return undefined;
  // Before somebody types a password in vain.
  if ((await service.findByEmailOpt(email)) !== undefined) {
    throw errors.E_USER_COMMAND(`There is a user with the address ${email}: user.promote makes an admin of that one.`);
  }
  const user = await service.createAdmin({ email, password: await chosen(policy, given, email, signal) });
  output.print(`${user.email} is an admin now.`);
  return Command.done;
}

/** The work of `user.password`. */
export async function password(
  service: UserService,
  policy: Password.PasswordPolicy,
  [email, given, ...others]: Args,
  { output, signal }: Context,
): Answer {
  if (email === undefined || others.length > 0) return undefined;
  const user = await service.findByEmail(email);
  const text = await chosen(policy, given, email, signal);
  const set = await service.setPassword(user, { password: text, confirmation: text });
  if (!set.ok) throw errors.E_USER_COMMAND(Object.values(set.error).join(" "));
  output.print(`${user.email} has another password now.`);
  return Command.done;
}

/** The work of `user.list`. */
export async function list(service: UserService, args: Args, { output }: Context): Answer {
  const isJson = args.includes("--json");
  const [filter, ...others] = args.filter((arg) => arg !== "--json");
  if (others.length > 0 || filter?.startsWith("--") === true) return undefined;
  const [users, total] = await service.search({ filter, limit: mostListed });
  if (isJson) {
    output.print(JSON.stringify({ total, users }));
    return Command.done;
  }
  for (const user of users) output.print(line(user));
  if (total > users.length) output.note(`… and ${total - users.length} more. A filter shows others.`);
  if (total === 0) output.note("There are no such users.");
  return Command.done;
}

/** The work of `user.promote` and its siblings. */
export async function change(
  service: UserService,
  make: Change,
  [email, ...others]: Args,
  { output }: Context,
): Answer {
  if (email === undefined || others.length > 0) return undefined;
  output.print(line(await make(service, await service.findByEmail(email))));
  return Command.done;
}

const mostListed = 1000;

function line({ email, status, admin: isAdmin, confirmed, created_at }: User): string {
  const marks = [status, isAdmin ? "admin" : "", confirmed ? "" : "not confirmed"].filter((mark) => mark !== "");
  return `${created_at.toISOString().slice(0, 10)}  ${email}  ${marks.join(", ")}`;
}

async function chosen(
  policy: Password.PasswordPolicy,
  given: string | undefined,
  email: string,
  signal: AbortSignal,
): Promise<string> {
  const text = given ?? (await ask(signal));
  const weakness = await policy(text, { email });
  if (weakness !== undefined) throw errors.E_USER_COMMAND(weakness);
  return text;
}

async function ask(signal: AbortSignal): Promise<string> {
  const terminal = { input: process.stdin, output: process.stderr };
  const text = await readPassword("Password: ", terminal, signal);
  if (terminal.input.isTTY && (await readPassword("Once more: ", terminal, signal)) !== text) {
    throw errors.E_USER_COMMAND(englishMessages.confirmationDiffers);
  }
  return text;
}
