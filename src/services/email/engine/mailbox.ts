import { error, ok, type Result } from "../../../core/index.ts";
import { normalizeAddress } from "../../../email-address/index.ts";
import type { EmailAddress, Mailbox } from "../contract.ts";
import { errors } from "../errors.ts";
import { findHeaderProblem } from "./headers.ts";

const maxNameLength = 200;

/** Validates one address of a message. @throws E_EMAIL_ADDRESS */
export function parseMailbox(field: string, value: EmailAddress): Mailbox {
  const { name, address } = typeof value === "string" ? { address: value, name: undefined } : value;
  if (typeof address !== "string") throw errors.E_EMAIL_ADDRESS(field, address, "is not text");
  const normalized = normalizeAddress(address);
  if (!normalized.ok) throw errors.E_EMAIL_ADDRESS(field, address, normalized.error);
  if (name === undefined || name === "") return { address: normalized.value };
  const problem = typeof name === "string" ? findHeaderProblem(name, maxNameLength) : "is not text";
  if (problem !== undefined) throw errors.E_EMAIL_ADDRESS(field, name, problem);
  return { name, address: normalized.value };
}

/** Parses a configured sender: `todo@example.com` or `To-dos <todo@example.com>`. */
export function parseSender(text: string): Result<Mailbox> {
  const { name = "", address = text } = /^(?<name>[^<>]*?)\s*<(?<address>[^<>]*)>$/.exec(text)?.groups ?? {};
  const normalized = normalizeAddress(address);
  const problem = normalized.ok ? findHeaderProblem(name, maxNameLength) : normalized.error;
  if (problem !== undefined || !normalized.ok) return error(problem ?? "is not an address");
  return ok(name === "" ? { address: normalized.value } : { name, address: normalized.value });
}

/** Formats a mailbox for display: `Ada Lovelace <ada@example.com>`. Not safe for headers. */
export function formatMailbox({ name, address }: Mailbox): string {
  return name === undefined ? address : `${name} <${address}>`;
}
