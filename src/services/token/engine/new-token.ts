import { refuseImpersonator } from "../../../authorization/index.ts";
import { Random } from "../../../random/index.ts";
import { Time, TimeInternals } from "../../../time/index.ts";
import type { CreateOptions, Json, TokenContent, TokenData } from "../contract.ts";
import { errors } from "../errors.ts";

/** Maximum nesting of the data. Deeper values could overflow the stack of recursive code. */
const maxDepth = 100;

const maxLifetimeMs = Time.days(36_525);

/** Validates the options of a new token and returns its content. @throws E_TOKEN_INVALID, E_IMPERSONATED (403) */
export function newTokenContent(data: TokenData, options: CreateOptions): TokenContent {
  const { purpose, owner, name, abilities = [], expiresInMs = Time.days(1), replacesOthers = false } = options;
  checkText("purpose", purpose, 100);
  if (owner !== undefined) {
    refuseImpersonator(owner);
    checkText("owner", owner, 255);
  }
  if (name !== undefined) checkText("name", name, 255);
  if (replacesOthers && owner === undefined)
    throw errors.E_TOKEN_INVALID("a token that replaces the others of its owner needs an owner");
  for (const ability of abilities) checkAbility(ability);
  if (!isRecord(data) || !isJson(data))
    throw errors.E_TOKEN_INVALID(`its data must be a JSON object, nested at most ${maxDepth} deep`);
  if (!(expiresInMs > 0 && expiresInMs <= maxLifetimeMs)) {
    throw errors.E_TOKEN_INVALID("it must be valid for more than 0 milliseconds and at most a hundred years");
  }
  const now = TimeInternals.timestamp();
  const expires_at = new Date(now + Math.ceil(expiresInMs));
  return { id: Random.uuid(), purpose, owner, name, abilities, data, created_at: new Date(now), expires_at };
}

function checkText(field: string, text: string, maxLength: number): void {
  if (text === "" || text.length > maxLength || !text.isWellFormed() || /\p{Cc}/u.test(text)) {
    throw errors.E_TOKEN_INVALID(
      `its ${field} must be a text of 1 to ${maxLength} characters, without control characters`,
    );
  }
}

/** Checks an ability against RFC 6749 §3.3, so that a header or a claim can contain a space-separated list. */
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
  if (depth === maxDepth) return false;
  const isNestedJson = (nested: unknown): boolean => isJson(nested, depth + 1);
  return Array.isArray(value) ? value.every(isNestedJson) : isRecord(value) && Object.values(value).every(isNestedJson);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
