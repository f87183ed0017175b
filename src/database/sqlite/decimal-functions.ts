import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { addParts, type DecimalParts, formatParts, multiplyParts, negateParts } from "../../decimal/index.ts";

const zero: DecimalParts = { digits: 0n, scale: 0 };

/**
 * Adds the functions of `sql.sum`, `sql.product` and `sql.decimal` to a connection: SQLite computes with floating-point
 * numbers, and compares the texts of decimals character by character.
 */
export function addDecimalFunctions(database: DatabaseSync): void {
  // The types of Node allow only values of SQLite between two rows.
  const sum = {
    deterministic: true,
    useBigIntArguments: true,
    start: (): DecimalParts | null => null,
    step: (total: DecimalParts | null, value: SQLOutputValue) =>
      value === null ? total : addParts(total ?? zero, parse(value)),
    inverse: (total: DecimalParts | null, value: SQLOutputValue) =>
      value === null ? total : addParts(total ?? zero, negateParts(parse(value))),
    result: (total: DecimalParts | null) => total && formatParts(total),
  };
  database.aggregate("limmat_sum", sum as unknown as Parameters<DatabaseSync["aggregate"]>[1]);
  const options = { deterministic: true, useBigIntArguments: true };
  database.function("limmat_product", options, (left: SQLOutputValue, right: SQLOutputValue) => {
    return left === null || right === null ? null : formatParts(multiplyParts(parse(left), parse(right)));
  });
  database.function("limmat_decimal", options, sortKey);
}

/**
 * Returns a text that SQLite compares as it should compare the decimal: the number of digits before the point, and all
 * digits. Those of a negative number are subtracted from 9, and a character above all digits ends them. NULL for no number.
 */
function sortKey(value: SQLOutputValue): string | null {
  const text = typeof value === "number" ? numberText(value) : String(value);
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return null;
  const isNegative = text.startsWith("-");
  const point = text.includes(".") ? text.indexOf(".") : text.length;
  let [start, end] = [isNegative ? 1 : 0, text.length];
  while (text[start] === "0") start++;
  while (end > point && text[end - 1] === "0") end--;
  const digits = text.slice(start, point) + text.slice(point + 1, end);
  if (!isNegative || digits === "") return `1${String(point - start).padStart(lengthDigits, "0")}${digits}`;
  let complement = "";
  for (const digit of digits) complement += 9 - Number(digit);
  return `0${10 ** lengthDigits - 1 - (point - start)}${complement}~`;
}

/** Number of digits of the length of a whole part in a sort key. */
const lengthDigits = 5;

function parse(value: SQLOutputValue): DecimalParts {
  const [, whole, fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d{1,3}))?$/.exec(String(value)) ?? [];
  if (whole === undefined) throw new TypeError("A sum or product needs whole or decimal numbers");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/** Returns the digits of a number, without an exponent. */
const numberText = (value: number): string => (Number.isFinite(value) ? formatParts(parse(value)) : "");
