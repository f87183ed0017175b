/** Decimal number: `digits` divided by a power of ten, `scale`. */
export interface DecimalParts {
  readonly digits: bigint;
  readonly scale: number;
}

/** Returns the digits of a decimal number for a scale that is not below its own. */
const digitsAt = ({ digits, scale }: DecimalParts, newScale: number): bigint =>
  digits * 10n ** BigInt(newScale - scale);

/** Returns the sum of two decimal numbers. */
export function addParts(left: DecimalParts, right: DecimalParts): DecimalParts {
  const scale = Math.max(left.scale, right.scale);
  return { digits: digitsAt(left, scale) + digitsAt(right, scale), scale };
}

/** Returns the negative of a decimal number. */
export const negateParts = ({ digits, scale }: DecimalParts): DecimalParts => ({ digits: -digits, scale });

/** Returns the product of two decimal numbers, with the digits of both after the point. */
export function multiplyParts(left: DecimalParts, right: DecimalParts): DecimalParts {
  return { digits: left.digits * right.digits, scale: left.scale + right.scale };
}

/** Returns the text of a decimal number, with `scale` digits after the point. */
export function formatParts({ digits, scale }: DecimalParts): string {
  if (scale === 0) return String(digits);
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  return `${digits < 0n ? "-" : ""}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
