import { Random } from "../../random/index.ts";
import { Time } from "../../time/index.ts";
import type { CreateOptions, Json, TokenContent, TokenData } from "./contract.ts";
import { errors } from "./errors.ts";

/** Lists and records around each other: what is deeper could run programs out of their stack. */
const mostDepth = 100;

const century = Time.days(36_525);

/**
 * What a new token stands for.
 *
 * @throws E_TOKEN_INVALID
 */
export function newContent(data: TokenData, options: CreateOptions): TokenContent {
  const { purpose, owner, name, abilities = [], expiresIn = Time.days(1) } = options;
  checkText("purpose", purpose, 100);
  if (owner !== undefined) checkText("owner", owner, 255);
  if (name !== undefined) checkText("name", name, 255);
  for (const ability of abilities) checkAbility(ability);
  if (!isRecord(data) || !isJson(data))
    throw errors.E_TOKEN_INVALID(`its data must be a record that JSON can hold, nested at most ${mostDepth} deep`);
  if (!(expiresIn > 0 && expiresIn <= century)) {
    throw errors.E_TOKEN_INVALID("it must be valid for more than 0 milliseconds, and at most a hundred years");
  }
  const now = Time.timestamp();
  const expires_at = new Date(now + Math.ceil(expiresIn));
  return { id: Random.uuid(), purpose, owner, name, abilities, data, created_at: new Date(now), expires_at };
}

function checkText(what: string, text: string, longest: number): void {
  if (text === "" || text.length > longest || !text.isWellFormed() || /\p{Cc}/u.test(text)) {
    throw errors.E_TOKEN_INVALID(
      `its ${what} must be a text of 1 to ${longest} characters, without control characters`,
    );
  }
}

/** RFC 6749 §3.3, so that abilities can be listed, separated by blanks, in a header or a claim. */
function checkAbility(ability: string): void {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/.test(ability)) {
    throw errors.E_TOKEN_INVALID(
      "an ability is 1 to 100 printable ASCII characters, without blanks, quotes and backslashes",
    );
  }
}

function isJson(value: unknown, depth = 0): value is Json {
  if (value === null || typeof value === "boolean" || typeof value === "string") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (depth === mostDepth) return false;
  const isInside = (inner: unknown): boolean => isJson(inner, depth + 1);
  return Array.isArray(value) ? value.every(isInside) : isRecord(value) && Object.values(value).every(isInside);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
