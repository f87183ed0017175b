import { errors } from "./errors.ts";

/**
 * Refuses what PostgreSQL cannot store and others would damage: NUL, and halves of surrogate pairs.
 *
 * @throws E_SQL_TEXT
 */
export function checkText(text: string): string {
  if (text.includes("\0")) throw errors.E_SQL_TEXT("the character NUL");
  if (!text.isWellFormed()) throw errors.E_SQL_TEXT("half of a surrogate pair");
  return text;
}

/** The JSON of a value, refused where the databases differ in what they can hold. */
export function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw errors.E_SQL_VALUE(`${typeof value} as JSON`, "Pass null to mean JSON's null.");
  // Stringifying escapes both, so that the check of the text alone would miss them.
  if (text.includes("\\u")) JSON.stringify(value, refuse);
  return text;
}

function refuse(key: string, value: unknown): unknown {
  checkText(key);
  return typeof value === "string" ? checkText(value) : value;
}
