import type { Dialect } from "./contract.ts";
import { errors } from "./errors.ts";
import { checkText, toJson } from "./text.ts";

/** A value that is bound as JSON, made by `sql.json`. */
export class Json {
  readonly text: string;

  constructor(value: unknown) {
    this.text = toJson(value);
  }
}

const largest = 2n ** 63n - 1n;
const smallest = -(2n ** 63n);

/**
 * A value as it is bound. Refuses what the databases would store differently, or not at all.
 *
 * @throws E_SQL_VALUE, E_SQL_TEXT
 */
export function encode(value: unknown, dialect: Dialect): unknown {
  switch (typeof value) {
    case "string":
      return checkText(value);
    case "number":
      if (Number.isFinite(value)) return value;
      throw errors.E_SQL_VALUE(String(value), "Numbers must be finite.");
    case "boolean":
      return dialect.bool(value);
    case "bigint":
      if (value >= smallest && value <= largest) return value;
      throw errors.E_SQL_VALUE("a whole number beyond 64 bits", "Bind it as text to a decimal column.");
    case "object":
      return encodeObject(value, dialect);
    default:
      throw errors.E_SQL_VALUE(`a ${typeof value}`, "Bind text, numbers, booleans, dates, bytes or null.");
  }
}

function encodeObject(value: object | null, dialect: Dialect): unknown {
  if (value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return dialect.timestamp(value);
  if (value instanceof Json) return value.text;
  if (Array.isArray(value)) {
    throw errors.E_SQL_VALUE("an array", "Take sql.in for lists of values, sql.json for JSON.");
  }
  throw errors.E_SQL_VALUE(
    "an object",
    "Take sql.json for JSON; a statement inside a statement must come from sql`…`.",
  );
}
