import { choiceCheck, type ColumnDescription, defaultText, quoteName, type SchemaDialect } from "../../table/index.ts";
import type { LiveCheck, LiveColumn } from "./live-schema.ts";

/** Difference between the values that a column accepts or gets by default and those described. */
export interface ValueDrift {
  readonly problem: string;
  /** Clause of `alter table` that changes the default or the check, on databases that need no new definition of the column. */
  readonly clause: string | undefined;
  /** Texts that rows must have before the change. */
  readonly allowedTexts?: readonly string[];
}

/** Compares the default of a column. One that is not described is no difference: a migration may need it for old rows. */
export function defaultDrift(
  column: ColumnDescription,
  { default: stored }: LiveColumn,
  printer: SchemaDialect,
): readonly ValueDrift[] {
  if (column.default === undefined || hasValue(stored, column.default, printer)) return [];
  const expected = defaultText(column.default, printer);
  const problem = `The column "${column.name}" has ${stored === undefined ? "no default" : `the default ${stored}`} instead of ${expected}.`;
  const clause = `alter column ${quoteName(column.name, printer)} set default ${expected}`;
  return [{ problem, clause: printer.name === "sqlite" ? undefined : clause }];
}

/** Returns true if the SQL of a default is the literal of a value: `'open'::character varying`, `(1)`. */
function hasValue(stored: string | undefined, value: string | number | boolean, printer: SchemaDialect): boolean {
  if (stored === undefined) return false;
  const text = stored.replace(/^\(+|\)+$/g, "").replace(/::[a-z "]+(?:\([\d, ]+\))?$/i, "");
  const plain = unquote(text);
  if (typeof value === "boolean") return plain.toLowerCase() === String(value) || plain === String(Number(value));
  return (
    plain === readable(String(value), printer) || (plain !== "" && value !== "" && Number(plain) === Number(value))
  );
}

/** Returns a text as the system tables show it: MariaDB's have `marks` question marks for a character beyond U+FFFF. */
const readable = (text: string, { name }: SchemaDialect, marks = 1): string =>
  name === "mariadb" ? text.replace(/[\u{10000}-\u{10FFFF}]/gu, "?".repeat(marks)) : text;

/** Compares the check that a column has one of the allowed texts. */
export function choiceDrift(
  column: ColumnDescription,
  checks: readonly LiveCheck[],
  printer: SchemaDialect,
): readonly ValueDrift[] {
  const found = choiceChecks(column.name, checks);
  const [check] = found;
  const name = quoteName(column.name, printer);
  // The check of a column of SQLite and MariaDB has no name.
  const dropClause =
    printer.name === "postgresql" && check !== undefined
      ? `drop constraint ${quoteName(check.name, printer)}`
      : undefined;
  if (column.oneOf === undefined) {
    if (check === undefined) return [];
    const problem = `The column "${column.name}" accepts only ${check.texts.join(", ")}.`;
    return [{ problem, clause: dropClause }];
  }
  const shown = new Set(column.oneOf.map((text) => readable(text, printer, 4)));
  if (found.some(({ texts }) => new Set(texts).symmetricDifference(shown).size === 0)) return [];
  const allowed = column.oneOf.join(", ");
  const add = `add ${choiceCheck(name, column.oneOf)}`;
  const clause = dropClause === undefined ? add : `${dropClause}, ${add}`;
  const isNarrower = check === undefined || check.texts.some((text) => !shown.has(text));
  return [
    {
      problem:
        check === undefined
          ? `The column "${column.name}" accepts other texts than ${allowed}.`
          : `The column "${column.name}" accepts ${check.texts.join(", ")} instead of ${allowed}.`,
      clause: printer.name === "postgresql" ? clause : undefined,
      ...(isNarrower ? { allowedTexts: column.oneOf } : {}),
    },
  ];
}

function choiceChecks(column: string, checks: readonly LiveCheck[]) {
  return checks.flatMap((check) => {
    const texts = checkedTexts(check.definition, column);
    return texts === undefined ? [] : [{ ...check, texts }];
  });
}

const literal = "'(?:[^']|'')*'";

/**
 * Returns the texts of a check that a column has one of them, or `undefined`: `"state" in ('a', 'b')`, and in the spelling
 * of PostgreSQL `(state)::text = ANY ((ARRAY['a'::character varying, …])::text[])`.
 */
function checkedTexts(definition: string, column: string): readonly string[] | undefined {
  const pattern = new RegExp(
    `(?<![\\w"\`:])["\`]?${column}["\`]?\\)*(?:::text)?\\s*(?:in\\s*\\(|=\\s*any\\s*\\(+array\\[|=)\\s*((?:${literal}(?:::[a-z ]+)?(?:,\\s*)?)+)`,
    "i",
  );
  const list = pattern.exec(definition)?.[1];
  return list?.match(new RegExp(literal, "g"))?.map(unquote);
}

const unquote = (text: string): string =>
  text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
