import { choiceCheck, columnText, defaultText, quoteName, type SchemaDialect } from "../../table/create-statements.ts";
import type { ColumnDescription } from "../../table/description.ts";
import type { LiveCheck, LiveColumn } from "./live-schema.ts";

/** Difference between the values that a column accepts or gets by default and those described. */
export interface ValueDrift {
  readonly problem: string;
  readonly statement: string;
}

/**
 * Compares the default of a column, and its check of allowed texts. A default that is not described is no difference: a
 * migration may need it for the rows that exist.
 */
export function valueDrift(
  alter: string,
  column: ColumnDescription,
  live: LiveColumn,
  checks: readonly LiveCheck[],
  printer: SchemaDialect,
): readonly ValueDrift[] {
  return [...defaultDrift(alter, column, live, printer), ...choiceDrift(alter, column, checks, printer)];
}

function defaultDrift(
  alter: string,
  column: ColumnDescription,
  { default: stored }: LiveColumn,
  printer: SchemaDialect,
): readonly ValueDrift[] {
  if (column.default === undefined || hasValue(stored, column.default)) return [];
  const expected = defaultText(column.default, printer);
  return [
    {
      problem: `The column "${column.name}" has ${stored === undefined ? "no default" : `the default ${stored}`} in place of ${expected}.`,
      statement: `${alter} alter column ${quoteName(column.name, printer)} set default ${expected}`,
    },
  ];
}

/** Returns true if the SQL of a default is the literal of a value: `'open'::character varying`, `(1)`. */
function hasValue(stored: string | undefined, value: string | number | boolean): boolean {
  if (stored === undefined) return false;
  const text = stored.replace(/^\(+|\)+$/g, "").replace(/::[a-z "]+(?:\([\d, ]+\))?$/i, "");
  const plain = unquote(text);
  if (typeof value === "boolean") return plain.toLowerCase() === String(value) || plain === String(Number(value));
  return plain === String(value) || (plain !== "" && value !== "" && Number(plain) === Number(value));
}

function choiceDrift(
  alter: string,
  column: ColumnDescription,
  checks: readonly LiveCheck[],
  printer: SchemaDialect,
): readonly ValueDrift[] {
  if (column.oneOf === undefined) return [];
  const name = quoteName(column.name, printer);
  const found = checks.flatMap((check) => {
    const texts = checkedTexts(check.definition, column.name);
    return texts === undefined ? [] : [{ ...check, texts }];
  });
  const expected = new Set(column.oneOf);
  if (found.some(({ texts }) => new Set(texts).symmetricDifference(expected).size === 0)) return [];
  const [check] = found;
  const allowed = column.oneOf.join(", ");
  const add = `add ${choiceCheck(name, column.oneOf)}`;
  const change = check === undefined ? add : `drop constraint ${quoteName(check.name, printer)}, ${add}`;
  return [
    {
      problem:
        check === undefined
          ? `The column "${column.name}" accepts other texts than ${allowed}.`
          : `The column "${column.name}" accepts ${check.texts.join(", ")} in place of ${allowed}.`,
      // The check of a column of MariaDB has no name.
      statement: `${alter} ${printer.name === "mariadb" ? `modify column ${columnText(column, printer)}` : change}`,
    },
  ];
}

const literal = "'(?:[^']|'')*'";

/**
 * Returns the texts of a check that a column has one of them, or `undefined`: `"state" in ('a', 'b')`, and in the spelling
 * of PostgreSQL `(state)::text = ANY ((ARRAY['a'::character varying, …])::text[])`.
 */
function checkedTexts(definition: string, column: string): readonly string[] | undefined {
  const pattern = new RegExp(
    `(?<![\\w"\`])["\`]?${column}["\`]?\\)*(?:::text)?\\s*(?:in\\s*\\(|=\\s*any\\s*\\(+array\\[|=)\\s*((?:${literal}(?:::[a-z ]+)?(?:,\\s*)?)+)`,
    "i",
  );
  const list = pattern.exec(definition)?.[1];
  return list?.match(new RegExp(literal, "g"))?.map(unquote);
}

const unquote = (text: string): string =>
  text.startsWith("'") && text.endsWith("'") ? text.slice(1, -1).replaceAll("''", "'") : text;
