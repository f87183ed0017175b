import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

/** Decimal number: `digits` divided by a power of ten, `scale`. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const zero: Decimal = { digits: 0n, scale: 0 };

/** Adds the functions of `sql.sum` and `sql.product` to a connection: SQLite computes with floating-point numbers. */
export function addDecimalFunctions(database: DatabaseSync): void {
  // The types of Node allow only values of SQLite between two rows.
  const sum = {
    deterministic: true,
    useBigIntArguments: true,
    start: (): Decimal | null => null,
    step: (total: Decimal | null, value: SQLOutputValue) =>
      value === null ? total : add(total ?? zero, parse(value), 1n),
    inverse: (total: Decimal | null, value: SQLOutputValue) =>
      value === null ? total : add(total ?? zero, parse(value), -1n),
    result: (total: Decimal | null) => total && format(total),
  };
  database.aggregate("limmat_sum", sum as unknown as Parameters<DatabaseSync["aggregate"]>[1]);
  const options = { deterministic: true, useBigIntArguments: true };
  database.function("limmat_product", options, (left: SQLOutputValue, right: SQLOutputValue) => {
    if (left === null || right === null) return null;
    const [first, second] = [parse(left), parse(right)];
    return format({ digits: first.digits * second.digits, scale: first.scale + second.scale });
  });
}

function parse(value: SQLOutputValue): Decimal {
  const [, whole, fraction = "", exponent = "0"] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d{1,3}))?$/.exec(String(value)) ?? [];
  if (whole === undefined) throw new TypeError("A sum or product needs whole or decimal numbers");
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

function add(left: Decimal, right: Decimal, sign: 1n | -1n): Decimal {
  const scale = Math.max(left.scale, right.scale);
  const digitsOf = (decimal: Decimal): bigint => decimal.digits * 10n ** BigInt(scale - decimal.scale);
  return { digits: digitsOf(left) + sign * digitsOf(right), scale };
}

function format({ digits, scale }: Decimal): string {
  if (scale === 0) return String(digits);
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  return `${digits < 0n ? "-" : ""}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
