// Random choices, and columns of every type with their values, for random tables.
import { type ColumnType, Row } from "limmat/database";

/** Random choices that a seed determines (mulberry32). */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1);
  }

  /** Returns a whole number from 0 to `max` − 1. */
  below(max: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * max);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** Returns some of the values, in random order. */
  some<T>(values: readonly T[], count: number): readonly T[] {
    const rest = [...values];
    return Array.from(
      { length: Math.min(count, values.length) },
      () => rest.splice(this.below(rest.length), 1)[0] as T,
    );
  }
}

export type Compare = (left: never, right: never) => number;

/** Kind of column: its type, its values as they are written and read, and their order. */
export interface Kind {
  readonly type: ColumnType<unknown>;
  readonly values: readonly unknown[];
  /** Returns a value as it is read after it was stored. Default: unchanged. */
  readonly stored?: (value: never) => unknown;
  /** Order of the values; `undefined` for a kind that is neither sorted nor filtered. */
  readonly compare?: Compare;
  /** True if a filter text looks in the column. */
  readonly isText?: boolean;
}

export const byNumber: Compare = (left: number | bigint | boolean | Date, right: number | bigint | boolean | Date) =>
  left < right ? -1 : Number(left > right);
const byCodePoint: Compare = (left: string, right: string) => Buffer.from(left).compare(Buffer.from(right));

// Texts that a comparison, LIKE, an array of PostgreSQL, JSON or a literal could take for something else.
const texts = [
  ["", " ", "a", "A", "a ", " a", "ab", "AB", "aB", "b", "Z", "z", "ä", "Ä", "é", "e\u0301", "ß", "İ", "ı", "漢字"],
  ["a\nb", "a\tb", "50%", "a_b", "a%b", "it's", '"', "\\", "\\%", "!", "{a,b}", "NULL", "null", "0", "-1", "1e3"],
  ["\u{1f600}", "\u{10ffff}", "\ufeff", "\u00a0", "[a]", "$1", "?", "'; drop", "--", "true", "2026-01-31"],
].flat();

const decimalCents = [0, 5, -5, 50, 250, 700, -700, 1000, 950, 100_050, 999_999_999_999, -999_999_999_999];
const decimalText = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const dates = ["0001-01-01", "1969-12-31", "2024-02-29", "2026-01-31", "9999-12-31"];

export const kinds: Readonly<Record<string, Kind>> = {
  int: {
    type: Row.int,
    values: [0, -1, 1, 7, 10, 9, -0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
    stored: (value: number) => value + 0,
    compare: byNumber,
    isText: true,
  },
  bigint: {
    type: Row.bigint,
    values: [0n, -1n, 9n, 10n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 9_007_199_254_740_993n],
    compare: byNumber,
  },
  float: {
    type: Row.float,
    values: [0, -0, 0.1, 0.1 + 0.2, -0.5, 1.5e-7, 1e21, Number.MAX_VALUE, -1.25e300, 3, 10, 9],
    stored: (value: number) => value + 0,
    compare: byNumber,
  },
  decimal: {
    type: Row.decimal,
    values: [...decimalCents.map(decimalText), "7", "007.5", "-0", "10.0"],
    stored: (value: string) => decimalText(Math.round(Number(value) * 100) + 0),
    compare: (left: string, right: string) => Number(left) - Number(right),
  },
  text: { type: Row.text, values: texts, compare: byCodePoint, isText: true },
  oneOf: {
    type: Row.oneOf("open", "Closed", "x y", "é"),
    values: ["open", "Closed", "x y", "é"],
    compare: byCodePoint,
  },
  bool: { type: Row.bool, values: [true, false], compare: byNumber },
  timestamp: {
    type: Row.timestamp,
    values: [0, 1, -1, 999, 1_769_860_800_123, 253_402_300_799_999, -62_135_596_800_000].map((ms) => new Date(ms)),
    compare: byNumber,
  },
  date: { type: Row.date, values: dates, compare: byCodePoint },
  uuid: {
    type: Row.uuid,
    values: ["0B8F2D1E-6C0C-4B7E-9D3F-2A1B3C4D5E6F", "1b4e28ba-2fa1-41d2-883f-0016d3cca427"],
    stored: (value: string) => value.toLowerCase(),
  },
  json: {
    type: Row.json(),
    values: [{}, [], "text", 5, false, 0.1, { b: 1, a: [null, { "": "é" }] }, [[[[[1]]]]], "null", { __proto: 1 }],
  },
  bytes: { type: Row.bytes, values: [[], [0], [0, 255], [39, 92, 34]].map((bytes) => Uint8Array.from(bytes)) },
};
export const kindNames: readonly string[] = Object.keys(kinds);

// Names that the framework, SQL and JavaScript use.
export const names: readonly string[] = (
  "total count limit offset sort order filter text data next key value id2 rank position owner parent version_no " +
  "select from user group Title aB x_1 constructor relevance page r batch c0 items links full_text_id rowid"
).split(" ");
