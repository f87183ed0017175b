import { StringDecoder } from "node:string_decoder";
import { Command } from "../../../core/index.ts";
import type { OperationOptions } from "../../../database/index.ts";
import { LanguageInternals } from "../../../language/index.ts";
import type { Password } from "../../../password/index.ts";
import type { User, UserService } from "../contract.ts";
import { errors } from "../errors.ts";

type Args = readonly string[];
type CommandContext = Command.CommandContext;
type CommandResult = Promise<Command.Done | undefined>;

/** Change of a user by a command, with or without its flag. Returns the changed user. */
export type UserChange = (
  service: UserService,
  user: User,
  options: OperationOptions,
  hasFlag: boolean,
) => Promise<User>;

/** Returns options that name the command in the audit trail. */
const asCommand = (name: string): OperationOptions => ({ ctx: [["command", name]] });

const maxListedUsers = 1000;

export async function addAdmin(
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
  const password = await choosePassword(policy, passwordArg, email, signal);
  const user = await service.createAdmin({ email, password }, asCommand("user.admin"));
  output.print(`${user.email} is an admin now.`);
  return Command.done;
}

export async function setPassword(
  service: UserService,
  policy: Password.PasswordPolicy,
  [email, passwordArg, ...excessArgs]: Args,
  { output, signal }: CommandContext,
): CommandResult {
  if (email === undefined || excessArgs.length > 0) return undefined;
  const user = await service.findByEmail(email);
  const password = await choosePassword(policy, passwordArg, email, signal);
  const result = await service.setPassword(user, { password, confirmation: password }, asCommand("user.password"));
  if (!result.ok) throw errors.E_USER_COMMAND(Object.values(result.error).join(" "));
  output.print(`The password of ${user.email} was changed.`);
  return Command.done;
}

export async function listUsers(service: UserService, args: Args, { output }: CommandContext): CommandResult {
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

/** Runs a command that changes one user, and prints the user. */
export async function changeUser(
  service: UserService,
  command: string,
  change: UserChange,
  args: Args,
  { output, flag }: CommandContext & { readonly flag: string | undefined },
): CommandResult {
  const [email, ...excessArgs] = args.filter((arg) => arg !== flag);
  if (email === undefined || excessArgs.length > 0) return undefined;
  const user = await service.findByEmail(email);
  const hasFlag = flag !== undefined && args.includes(flag);
  output.print(formatUser(await change(service, user, asCommand(command), hasFlag)));
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
  const policyMessage = await LanguageInternals.runInLocale({ language: "en" }, () => policy(password, { email }));
  if (policyMessage !== undefined) throw errors.E_USER_COMMAND(policyMessage);
  return password;
}

async function promptForPassword(signal: AbortSignal): Promise<string> {
  const password = await readPassword("Password: ", signal);
  if (process.stdin.isTTY && (await readPassword("Repeat the password: ", signal)) !== password) {
    throw errors.E_USER_COMMAND("Please enter the same password twice.");
  }
  return password;
}

const maxInputLength = 65_536;
const keys = { interrupt: "\u0003", end: "\u0004", erase: "\u007f", back: "\b", clear: "\u0015" } as const;

/** Reads a password from a terminal without echo, or the next line of a pipe. @throws E_USER_COMMAND for none */
async function readPassword(prompt: string, signal: AbortSignal): Promise<string> {
  const password = await (process.stdin.isTTY ? readFromTerminal(prompt, signal) : readFromPipe(process.stdin));
  if (password === undefined) throw errors.E_USER_COMMAND("The input was interrupted. Nothing was changed.");
  if (password === "") {
    throw errors.E_USER_COMMAND("No password was given. Type it at the prompt, or send it to the standard input.");
  }
  return password;
}

function readFromTerminal(prompt: string, signal: AbortSignal): Promise<string | undefined> {
  const { stdin: input, stderr: output } = process;
  return new Promise((resolve) => {
    const decoder = new StringDecoder();
    let characters: string[] = [];
    const finish = (result: string | undefined): void => {
      input.off("data", readKeys).off("end", interrupt);
      signal.removeEventListener("abort", interrupt);
      input.setRawMode(false);
      input.pause();
      output.write("\n");
      resolve(result);
    };
    const interrupt = (): void => finish(undefined);
    const readKeys = (bytes: Buffer): void => {
      for (const character of decoder.write(bytes)) {
        if (character === "\r" || character === "\n") return finish(characters.join(""));
        if (character === keys.interrupt || character === keys.end) return finish(undefined);
        if (character === keys.erase || character === keys.back) characters.pop();
        else if (character === keys.clear) characters = [];
        else characters.push(character);
      }
    };
    // Raw mode before the prompt, so that no key typed after the prompt is echoed.
    input.setRawMode(true);
    output.write(prompt);
    input.on("data", readKeys).once("end", interrupt).resume();
    signal.addEventListener("abort", interrupt, { once: true });
  });
}

async function readFromPipe(input: NodeJS.ReadableStream): Promise<string> {
  const decoder = new StringDecoder();
  let text = "";
  for await (const bytes of input) {
    text += decoder.write(Buffer.from(bytes));
    if (text.includes("\n") || text.length > maxInputLength) break;
  }
  return text.split(/\r?\n/)[0] ?? "";
}
