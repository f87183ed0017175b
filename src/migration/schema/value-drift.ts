import { Decimal } from "../../decimal/index.ts";
import {
  checkCondition,
  type ColumnDescription,
  defaultText,
  quoteName,
  type SchemaDialect,
} from "../../table/index.ts";
import { type Allowed, allowedBy, unquote } from "./described-check.ts";
import type { LiveCheck, LiveColumn } from "./live-schema.ts";

/** Difference between the values that a column accepts or gets by default and those described. */
export interface ValueDrift {
  readonly problem: string;
  /** Clause of `alter table` that changes the default or the check, on databases that need no new definition of the column. */
  readonly clause: string | undefined;
  /** Set if there may be rows that the new check of the column refuses: what their values are, in words. */
  readonly refused?: string;
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

/** Compares the check of the values that a column allows. `isDecimal` is true for a decimal, before or after the change. */
export function checkDrift(
  column: ColumnDescription,
  checks: readonly LiveCheck[],
  isDecimal: boolean,
  printer: SchemaDialect,
): readonly ValueDrift[] {
  const found = checks.flatMap(({ name, definition }) => {
    const allowed = allowedBy(definition, column.name, isDecimal);
    return allowed === undefined ? [] : [{ name, allowed }];
  });
  const [check] = found;
  const condition = checkCondition(quoteName(column.name, printer), column, printer);
  const isSame = found.some(({ allowed }) => isSameCheck(allowed, column, printer));
  if (condition === undefined ? check === undefined : isSame) return [];
  // The check of a column of SQLite and MariaDB has no name.
  const drop = check === undefined ? [] : [`drop constraint ${quoteName(check.name, printer)}`];
  const add = condition === undefined ? [] : [`add check (${condition})`];
  const clause = printer.name === "postgresql" ? [...drop, ...add].join(", ") : undefined;
  const start = `The column "${column.name}" accepts`;
  const [former, expected] = [check === undefined ? "" : describeAllowed(check.allowed), describeAllowed(column)];
  if (condition === undefined) return [{ problem: `${start} only ${former}.`, clause }];
  const noun = column.oneOf === undefined ? "numbers" : "texts";
  const problem =
    check === undefined ? `${start} other ${noun} than ${expected}.` : `${start} ${former} instead of ${expected}.`;
  const isWider = check?.allowed.oneOf?.every((text) => shownTexts(column, printer).has(text)) === true;
  const refused = column.oneOf === undefined ? `not ${expected}` : `none of ${expected}`;
  return [{ problem, clause, ...(isWider ? {} : { refused }) }];
}

function describeAllowed({ oneOf, min, max }: Allowed): string {
  if (oneOf !== undefined) return oneOf.join(", ");
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `from ${min} to ${max}`;
}

const shownTexts = ({ oneOf = [] }: ColumnDescription, printer: SchemaDialect): ReadonlySet<string> =>
  new Set(oneOf.map((text) => readable(text, printer, 4)));

function isSameCheck({ oneOf, min, max }: Allowed, column: ColumnDescription, printer: SchemaDialect): boolean {
  if (oneOf !== undefined) return new Set(oneOf).symmetricDifference(shownTexts(column, printer)).size === 0;
  const isEqual = (left: string | undefined, right: string | undefined): boolean =>
    left === undefined || right === undefined ? left === right : Decimal.compare(left, right) === 0;
  return isEqual(min, column.min) && isEqual(max, column.max);
}
