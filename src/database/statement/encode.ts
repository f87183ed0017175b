import { hasFiniteNumbers } from "../../core/index.ts";
import type { Dialect, DialectName } from "../contract.ts";
import { errors } from "../errors.ts";

/** Value that is bound as JSON, created by `sql.json`. */
export class Json {
  readonly text: string;

  constructor(value: unknown) {
    this.text = stringifyJson(value);
  }

  /** Returns the text for a database. Throws E_SQL_JSON if it cannot store so many levels. */
  textFor(dialect: DialectName): string {
    if (dialect === "mariadb") assertDepth(this.text, 31);
    return this.text;
  }
}

/** Maximum number of nested arrays and objects. SQLite's functions read so many, and PostgreSQL some more. */
const maxJsonDepth = 1000;

/** Throws E_SQL_JSON if JSON has more nested arrays and objects than `max`. */
function assertDepth(json: string, max: number): void {
  if (json.length <= 2 * max) return;
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === 0x22) while (json.charCodeAt(++index) !== 0x22) if (json.charCodeAt(index) === 0x5c) index++;
    // The codes of brackets and braces differ in one bit.
    if ((code | 0x20) === 0x7d) depth--;
    else if ((code | 0x20) === 0x7b && ++depth > max) throw errors.E_SQL_JSON(`more than ${max} levels`);
  }
}

/** Text that an expression must contain, created by `sql.contains`. */
export class ContainedText {
  readonly text: string;
  /** True if the text has no three consecutive letters or digits. */
  readonly isShort: boolean;

  constructor(text: string) {
    this.text = text;
    this.isShort = !/[\p{L}\p{N}]{3}/u.test(text);
  }
}

/** Returns the LIKE pattern for texts that contain `text`, with `!` as the escape character. */
const containsPattern = (text: string): string => `%${text.replace(/[!%_]/g, "!$&")}%`;

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/**
 * Encodes a value for binding. Refuses values that the databases would store differently or not at all.
 *
 * @throws E_SQL_VALUE, E_SQL_TEXT, E_SQL_JSON
 */
export function encodeValue(value: unknown, dialect: Dialect): unknown {
  switch (typeof value) {
    case "string":
      return assertStorableText(value);
    case "number":
      // Not every database stores −0, which equals 0.
      if (Number.isFinite(value)) return value + 0;
      throw errors.E_SQL_VALUE(String(value), "Numbers must be finite.");
    case "boolean":
      return dialect.encodeBool(value);
    case "bigint":
      if (value >= minInt64 && value <= maxInt64) return value;
      throw errors.E_SQL_VALUE("a whole number beyond 64 bits", "Bind it as text to a decimal column.");
    case "object":
      return encodeObject(value, dialect);
    default:
      throw errors.E_SQL_VALUE(`a ${typeof value}`, "Bind text, numbers, booleans, dates, bytes or null.");
  }
}

function encodeObject(value: object | null, dialect: Dialect): unknown {
  if (value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return dialect.encodeTimestamp(value);
  if (value instanceof Json) return value.textFor(dialect.name);
  if (value instanceof ContainedText) {
    return (dialect.likeValue ?? containsPattern)(assertStorableText(value.text), value.isShort);
  }
  if (Array.isArray(value)) throw errors.E_SQL_VALUE("an array", "Use sql.in for a list, or sql.json for JSON.");
  throw errors.E_SQL_VALUE("an object", "Use sql.json for JSON, and sql`…` for a statement inside a statement.");
}

/**
 * Returns a text unchanged. Refuses the character NUL and lone surrogates, which PostgreSQL cannot store and other
 * databases would corrupt.
 *
 * @throws E_SQL_TEXT
 */
export function assertStorableText(text: string): string {
  if (text.includes("\0")) throw errors.E_SQL_TEXT("the character NUL");
  if (!text.isWellFormed()) throw errors.E_SQL_TEXT("half of a surrogate pair");
  return text;
}

function toJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // An engine may not have the stack for so many levels.
    throw error instanceof RangeError ? errors.E_SQL_JSON(`more than ${maxJsonDepth} levels`) : error;
  }
}

function stringifyJson(value: unknown): string {
  const text = toJsonText(value);
  if (text === undefined) throw errors.E_SQL_VALUE(`${typeof value} as JSON`, "Pass null for JSON's null.");
  assertDepth(text, maxJsonDepth);
  // JSON.stringify writes null for Infinity and NaN.
  if (text.includes("null") && !hasFiniteNumbers(value)) throw errors.E_SQL_JSON("a number that is not finite");
  // JSON.stringify escapes NUL and lone surrogates, so a check of the resulting text alone would miss them.
  if (text.includes("\\u")) JSON.stringify(value, assertStorableEntry);
  return text;
}

function assertStorableEntry(key: string, value: unknown): unknown {
  assertStorableText(key);
  return typeof value === "string" ? assertStorableText(value) : value;
}
