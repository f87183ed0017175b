import { type Catalogue, catalogue } from "../core/index.ts";

const entries = {
  E_DECIMAL: (value: unknown): string =>
    `${String(value).slice(0, 50)} (${typeof value}) is not an exact decimal number. Pass digits with a point as a text, such as "12.50", or a whole number.`,
  E_DECIMAL_SCALE: (scale: number): string =>
    `A decimal number cannot be rounded to ${scale} digits after the point. Pass a whole number from 0 to 1,000.`,
  E_DECIMAL_DIVISION: (): string => "A decimal number cannot be divided by zero. Check the divisor first.",
};

/** Error catalogue of this module. */
export const errors: Catalogue<typeof entries> = catalogue(entries);
