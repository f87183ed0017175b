import { domainToASCII } from "node:url";
import { error, ok, type Result } from "../../core/index.ts";
import type { EmailAddress, Mailbox } from "./contract.ts";
import { headerProblem, lineProblem } from "./control.ts";
import { errors } from "./errors.ts";

/** RFC 5321 §4.5.3.1: octets of the part before the @, and of a whole address (a path of 256 less its brackets). */
const longestLocal = 64;
const longestAddress = 254;
const longestName = 200;

/** RFC 5322 §3.4.1: words of these characters with single dots between them. Quoted ones are not worth their risks. */
const localPart = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const domainName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * What is wrong with an address that somebody typed, continuing "The address …", or `undefined`: the rule by which `send`
 * judges, for forms. It says nothing about whether anybody reads mails there.
 *
 * @example
 * Schema.string({ validate: (typed) => (Email.addressProblem(typed) === undefined ? undefined : "Please check the address") })
 */
export function addressProblem(address: string): string | undefined {
  const read = readAddress(address);
  return read.ok ? undefined : read.error;
}

/** The address as it is sent: its domain in lower case, with the letters of other scripts in Punycode (RFC 3492). */
export function readAddress(address: string): Result<string> {
  const problem = lineProblem(address, 1000);
  if (problem !== undefined) return error(problem);
  const at = address.lastIndexOf("@");
  if (at === -1) return error("has no @");
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  if (!localPart.test(local))
    return error(
      /^[\x20-\x7e]*$/.test(local)
        ? address.endsWith(">")
          ? "is not one address: with a name it is { name, address }"
          : "is not one address"
        : "has letters before the @ that mail cannot carry",
    );
  if (local.length > longestLocal) return error(`has more than ${longestLocal} characters before the @`);
  // The platform's converter is made for URLs: what else it would read there (a port, a path, %40) is no domain here.
  const ascii = /[\s"%/:<>?@[\\\]^`{|}]/.test(domain) ? "" : domainToASCII(domain);
  if (!domainName.test(ascii) || /(?:^|\.)\d+$/.test(ascii)) return error("has no domain name after the @");
  const whole = `${local}@${ascii}`;
  return whole.length > longestAddress ? error(`is longer than ${longestAddress} characters`) : ok(whole);
}

/**
 * Reads one address of a message.
 *
 * @throws E_EMAIL_ADDRESS
 */
export function readMailbox(field: string, given: EmailAddress): Mailbox {
  const { name, address } = typeof given === "string" ? { address: given, name: undefined } : given;
  if (typeof address !== "string") throw errors.E_EMAIL_ADDRESS(field, String(address), "is no text");
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
