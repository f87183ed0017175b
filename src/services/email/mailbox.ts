import { error, ok, type Result } from "../../core/index.ts";
import { readAddress } from "../../email-address/index.ts";
import type { EmailAddress, Mailbox } from "./contract.ts";
import { headerProblem } from "./control.ts";
import { errors } from "./errors.ts";

const longestName = 200;

/**
 * Reads one address of a message.
 *
 * @throws E_EMAIL_ADDRESS
 */
export function readMailbox(field: string, given: EmailAddress): Mailbox {
  const { name, address } = typeof given === "string" ? { address: given, name: undefined } : given;
  if (typeof address !== "string") throw errors.E_EMAIL_ADDRESS(field, address, "is no text");
  const read = readAddress(address);
  if (!read.ok) throw errors.E_EMAIL_ADDRESS(field, address, read.error);
  if (name === undefined || name === "") return { address: read.value };
  const problem = typeof name === "string" ? headerProblem(name, longestName) : "is no text";
  if (problem !== undefined) throw errors.E_EMAIL_ADDRESS(field, name, problem);
  return { name, address: read.value };
}

/** Reads the sender of a configuration: `todo@example.com` or `To-dos <todo@example.com>`. */
export function readSender(text: string): Result<Mailbox> {
  const { name = "", address = text } = /^(?<name>[^<>]*?)\s*<(?<address>[^<>]*)>$/.exec(text)?.groups ?? {};
  const read = readAddress(address);
  const problem = read.ok ? headerProblem(name, longestName) : read.error;
  if (problem !== undefined || !read.ok) return error(problem ?? "is no address");
  return ok(name === "" ? { address: read.value } : { name, address: read.value });
}

/** How people read it: `Ada Lovelace <ada@example.com>`. Not for headers. */
export function showMailbox({ name, address }: Mailbox): string {
  return name === undefined ? address : `${name} <${address}>`;
}
